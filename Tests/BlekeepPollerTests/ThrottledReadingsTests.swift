import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

@Suite struct ThrottledReadingsTests {
    /// A device's throttles in virtual time, and the readings that pass them.
    private final class Bench: @unchecked Sendable {
        let loop: RunLoop
        let address: BluetoothAddress
        var clock: Int64 = 0
        private(set) var readings: [Reading] = []
        private(set) lazy var throttled = ThrottledReadings(
            on: loop, wallTime: { [unowned self] in self.wallTime }, record: { [unowned self] in self.readings += $0 })

        init() throws {
            loop = try RunLoop(.virtual)
            address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        }

        var wallTime: Int64 { clock + loop.now.nanoseconds / 1_000_000 }

        func reading(_ number: Int, field: String? = "temperature", instance: Int = 1) -> Reading {
            let failure = ReadingFailure(code: .other("short"), message: "\(number)")
            let outcome: Reading.Outcome =
                field.map { .value(Measurement(field: $0, value: .integer(Int64(number))), raw: []) }
                ?? .failure(failure, raw: [])
            return Reading(
                time: wallTime, tick: 0, device: "attic", address: address, service: nil, characteristic: nil,
                instance: instance, name: "", outcome: outcome)
        }

        func reading(_ value: MeasuredValue, field: String) -> Reading {
            Reading(
                time: wallTime, tick: 0, device: "attic", address: address, service: nil, characteristic: nil,
                name: "", outcome: .value(Measurement(field: field, value: value), raw: []))
        }

        func sleep(_ milliseconds: Int) async throws {
            try await loop.sleep(until: loop.now + .milliseconds(milliseconds))
        }

        var values: [Int64] {
            readings.compactMap { reading in
                guard case .value(let measurement, _) = reading.outcome, case .integer(let value)? = measurement.value
                else { return nil }
                return value
            }
        }
    }

    /// Two packets of manufacturer data with one field name don't take each other's turn.
    @Test func twoFormatsHaveThrottlesOfTheirOwn() throws {
        try run { bench in
            for format in ["Ruuvi", "Govee", "Ruuvi"] {
                var reading = bench.reading(bench.readings.count)
                reading.name = format
                bench.throttled.add([reading], every: .seconds(60))
            }
            #expect(bench.readings.map(\.name) == ["Ruuvi", "Govee"])
        }
    }

    private func run(_ body: @escaping @Sendable (Bench) async throws -> Void) throws {
        let bench = try Bench()
        try bench.loop.run { try await body(bench) }
    }

    @Test func storesTheNewestAtTheEndOfThePeriodWithTheTimeOfItsArrival() throws {
        try run { bench in
            for number in 0..<10 {
                bench.throttled.add([bench.reading(number)], every: .seconds(1))
                try await bench.sleep(50)
            }
            #expect(bench.values == [0])
            try await bench.sleep(500)
            #expect(bench.values == [0, 9])
            #expect(bench.readings.map(\.time) == [0, 450])
            #expect(bench.throttled.counts.total == 10 && bench.throttled.counts.count == 8)
        }
    }

    @Test func whatWaitsComesBeforeTheSameFieldInATick() throws {
        try run { bench in
            bench.throttled.add([bench.reading(0), bench.reading(10, field: "humidity")], every: .seconds(1))
            try await bench.sleep(100)
            bench.throttled.add([bench.reading(1), bench.reading(11, field: "humidity")], every: .seconds(1))
            try await bench.sleep(100)
            bench.throttled.pass([bench.reading(2)])
            #expect(bench.values == [0, 10, 1, 2])
            try await bench.sleep(1000)
            #expect(bench.values == [0, 10, 1, 2, 11])
            #expect(bench.readings.map(\.time) == [0, 0, 100, 200, 100])
        }
    }

    @Test func throttlesEachFieldInstanceAndFailureByItself() throws {
        try run { bench in
            for number in 0..<2 {
                bench.throttled.add(
                    [
                        bench.reading(number), bench.reading(number, field: "humidity"),
                        bench.reading(number, instance: 2), bench.reading(number, field: nil),
                    ], every: .seconds(1))
            }
            #expect(bench.readings.count == 4)
            bench.throttled.flush()
            #expect(bench.readings.count == 8 && bench.throttled.counts.count == 0)
        }
    }

    /// A press among packets 0.3 s apart, and a motion of 0.3 s.
    @Test func eventsPassAtOnce() throws {
        try run { bench in
            for (event, motion) in [
                ("none", false), ("press", true), ("none", false), ("none", false), ("press", false),
            ] {
                bench.throttled.add(
                    [bench.reading(.text(event), field: "button"), bench.reading(.boolean(motion), field: "motion")],
                    every: .seconds(1))
                try await bench.sleep(300)
            }
            let values = bench.readings.compactMap { reading in
                if case .value(let measurement, _) = reading.outcome { measurement.value } else { nil }
            }
            #expect(values.count { $0 == .text("press") } == 2)
            #expect(
                values.filter { $0 == .boolean(true) || $0 == .boolean(false) }.prefix(3) == [
                    .boolean(false), .boolean(true), .boolean(false),
                ])
            #expect(bench.readings.map(\.time) == bench.readings.map(\.time).sorted())
        }
    }

    @Test func aFloodOfEventsIsThrottled() throws {
        try run { bench in
            for number in 0..<10_000 {
                bench.throttled.add(
                    [
                        bench.reading(.text("press"), field: "button_\(number % 2000)"),
                        bench.reading(.boolean(number.isMultiple(of: 2)), field: "motion"),
                    ], every: .seconds(1))
                try await bench.sleep(1)
            }
            // 1024 fields, once a second each, and what the budget lets pass.
            #expect(bench.readings.count < 12_000)
            let motions = bench.readings.count {
                if case .value(let measurement, _) = $0.outcome { measurement.field == "motion" } else { false }
            }
            #expect(motions < 60)
        }
    }

    @Test func storesEverythingWithoutAPeriod() throws {
        try run { bench in
            for number in 0..<100 { bench.throttled.add([bench.reading(number)], every: .zero) }
            #expect(bench.values == Array(0..<100))
        }
    }

    @Test func flushStoresWhatWaitsOnce() throws {
        try run { bench in
            for number in 0..<3 { bench.throttled.add([bench.reading(number)], every: .seconds(3600)) }
            bench.throttled.flush()
            bench.throttled.flush()
            #expect(bench.values == [0, 2])
            try await bench.sleep(4_000_000)
            #expect(bench.values == [0, 2])
        }
    }

    @Test func flushKeepsTheOrderInWhichValuesCame() throws {
        try run { bench in
            for round in 0..<2 {
                let readings = (0..<100).map { bench.reading(100 * round + $0, field: "f\($0)") }
                bench.throttled.add(readings, every: .seconds(1))
            }
            bench.throttled.flush()
            #expect(bench.values == Array(0..<200))
        }
    }

    /// The value came 0.9 s before the clock was set by an hour, and gets the time of the new clock.
    @Test func stampsAReadingThatWaitedByTheClockAsItIsSetNow() throws {
        try run { bench in
            bench.throttled.add([bench.reading(0)], every: .seconds(10))
            try await bench.sleep(100)
            bench.throttled.add([bench.reading(1)], every: .seconds(10))
            try await bench.sleep(900)
            bench.clock = 3_600_000
            bench.throttled.flush()
            #expect(bench.readings.map(\.time) == [0, 3_600_100])
        }
    }

    /// A device that sends ever new fields. Fields beyond the limit share one throttle until others fall silent.
    @Test func remembersALimitedNumberOfFields() throws {
        try run { bench in
            let most = ThrottledReadings.maxSlots
            for number in 0..<4 * most {
                bench.throttled.add([bench.reading(number, field: "f\(number)")], every: .seconds(1))
            }
            #expect(bench.readings.count == most + 1)
            try await bench.sleep(5000)
            #expect(bench.readings.count == most + 2)
            #expect(bench.values.last == Int64(4 * most - 1))
            let new = ["new", "newer"].map { bench.reading(0, field: $0) }
            bench.throttled.add(new, every: .seconds(1))
            #expect(bench.readings.count == most + 4)
        }
    }
}
