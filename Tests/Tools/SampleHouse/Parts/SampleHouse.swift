import Blekeep
import BlekeepHistory
import Glibc
import RunLoop

/// A house with a past: readings, a ledger and heartbeats, as if it had been polled until now.
package struct SampleHouse: Sendable {
    package var devices: Int
    /// How long ago it begins.
    package var length: Duration
    /// The time between two reads of a device.
    package var step: Duration = .seconds(300)

    package init(devices: Int, length: Duration) {
        self.devices = devices
        self.length = length
    }

    private static let rooms = [
        "Living Room", "Freezer", "Greenhouse", "Bedroom", "Cellar", "Attic", "Kitchen", "Bathroom", "Nursery",
        "Garage", "Hall", "Study",
    ]

    package func name(_ index: Int) -> String {
        let room = Self.rooms[index % Self.rooms.count]
        return index < Self.rooms.count ? room : "\(room) \(index / Self.rooms.count + 1)"
    }

    package func address(_ index: Int) -> BluetoothAddress { BluetoothAddress(bits: 0xF000_0000_0001 + UInt64(index)) }

    /// What happened to a device. A larger house has devices of all kinds.
    private enum Fate { case good, lost, needsUser, trying, paused, neverHeard }

    private func fate(_ index: Int) -> Fate {
        guard devices >= 5 else { return .good }
        return switch index {
        case 2: .lost
        case 4: devices >= 10 ? .neverHeard : .good
        case 7: .needsUser
        case 9: .trying
        case 11: .paused
        default: .good
        }
    }

    // MARK: Readings

    private struct Field {
        let service: UInt16
        let characteristic: UInt16
        let name: String
        let field: String
        let unit: String
        let middle: Double
        let swing: Double
        let step: Double
    }

    private static let fields = [
        Field(
            service: 0x181A, characteristic: 0x2A6E, name: "Temperature", field: "temperature", unit: "°C", middle: 20,
            swing: 3, step: 0.01),
        Field(
            service: 0x181A, characteristic: 0x2A6F, name: "Humidity", field: "humidity", unit: "%", middle: 52,
            swing: 9, step: 0.01),
        Field(
            service: 0x181A, characteristic: 0x2A6D, name: "Pressure", field: "pressure", unit: "Pa", middle: 101_300,
            swing: 700, step: 0.1),
        Field(
            service: 0x180F, characteristic: 0x2A19, name: "Battery Level", field: "battery_level", unit: "%",
            middle: 70, swing: 0, step: 1),
    ]

    /// Returns the readings of a device at a time, in milliseconds since 1970.
    package func readings(_ index: Int, at time: Int64, tick: Int) -> [Reading] {
        Self.fields.enumerated().map { number, field in
            let days = Double(time) / 86_400_000
            let daily = sin((days + Double(index) * 0.07) * 2 * .pi)
            let weekly = sin((days / 6.3 + Double(index * 3 + number) * 0.21) * 2 * .pi)
            let noise = Double((UInt64(bitPattern: time) ^ UInt64(index * 7919 + number * 104_729)) % 101) / 100 - 0.5
            var value = field.middle + field.swing * (0.55 * daily + 0.35 * weekly + 0.12 * noise)
            if index % Self.rooms.count == 1, number == 0 { value -= 38 }
            if number == 3 { value = max(4, 100 - Double((index * 37) % 97)) }
            let rounded = (value / field.step).rounded() * field.step
            return Reading(
                time: time, tick: tick, device: name(index), address: address(index),
                service: BluetoothUUID(field.service), characteristic: BluetoothUUID(field.characteristic),
                name: field.name,
                outcome: .value(
                    Measurement(
                        field: field.field, value: number == 3 ? .integer(Int64(rounded)) : .number(rounded),
                        unit: field.unit), raw: [UInt8(truncatingIfNeeded: tick), 8]))
        }
    }

    /// Writes the past.
    ///
    /// - Parameter now: milliseconds since 1970.
    package func write(to history: History, now: Int64) throws {
        let (all, step) = (length.wholeMilliseconds, step.wholeMilliseconds)
        let steps = Int(all / step)
        for number in 0...steps {
            let time = now - all + Int64(number) * step
            let left = now - time
            var readings: [Reading] = []
            var activities: [DeviceActivity] = []
            for index in 0..<devices where isRead(index, left) {
                readings += self.readings(index, at: time - Int64(index * 37 % 997), tick: number + 1)
                var activity = DeviceActivity(device: name(index), address: address(index))
                (activity.good, activity.values, activity.connects) = (1, Self.fields.count, 1)
                activity.onAir = .milliseconds(1400 + index * 13)
                activities.append(activity)
            }
            let clocks = ClockReading.now()
            let before = Duration.milliseconds(left)
            var heartbeat = Heartbeat(
                clocks: ClockReading(
                    boot: clocks.boot, sinceBoot: clocks.sinceBoot - before, awake: clocks.awake - before, time: time),
                mode: .normal, supply: .mains, percentage: 100, activities: activities)
            let hour = left / 3_600_000
            if (2...6).contains(hour) {
                heartbeat.mode = hour < 3 ? .low : .battery
                heartbeat.supply = .battery
                heartbeat.percentage = max(12, 12 + Double(left - 7_200_000) / 3_600_000 * 17)
            }
            // The broker was away for two hours.
            if (9...10).contains(hour) {
                heartbeat.backlogs["mqtt"] = (39_600_000 - left) / step * Int64(devices * Self.fields.count)
            }
            let isOnlyHistory = left > 7 * 86_400_000
            _ = try history.append(readings, isOnlyHistory ? nil : heartbeat, LedgerChanges(), durable: false)
            while history.needsUpkeep { try history.upkeep() }
        }
        _ = try history.append([], nil, ledger(now: now), durable: true)
        for change in firings(now: now) { _ = try history.append([], nil, change, durable: false) }
        try NoticeLog.append(notices(now: now), path: history.path)
    }

    /// The first device had a low battery, and others were lost.
    private func notices(now: Int64) -> [GivenNotice] {
        var all = [
            GivenNotice(
                time: now - 14 * 3_600_000, event: .known(.batteryLow), device: DeviceID(address(0)),
                message: "its battery has 19 %"),
            GivenNotice(time: now - 10 * 3_600_000, event: .known(.sinkFails), message: "mqtt: no route to the broker"),
        ]
        for index in 0..<devices where fate(index) == .lost {
            all.append(
                GivenNotice(
                    time: now - 5_100_000, event: .known(.deviceLost), device: DeviceID(address(index)),
                    message: "blekeep didn't hear the device",
                    failure: index % 2 == 0 ? "it exited with 6" : nil))
        }
        return all.sorted { $0.time < $1.time }
    }

    /// A rule fired twice for the first device.
    private func firings(now: Int64) -> [LedgerChanges] {
        func change(_ index: Int, _ number: Int64, from hours: Int64, to end: Int64?) -> LedgerChanges {
            var status = RuleStatus(rule: "warm", device: DeviceID(address(index)), condition: "temperature > 22 °C")
            (status.phase, status.firings) = (end == nil ? .firing : .calm, number)
            status.fired = RuleMoment(time: now - hours * 3_600_000)
            status.ended = end.map { RuleMoment(time: now - $0 * 3_600_000) }
            status.message = end == nil ? "temperature is 22.4 °C, above 22 °C for 5m" : "temperature is 21.9 °C"
            var changes = LedgerChanges()
            changes.rules = [status]
            return changes
        }
        return [
            change(0, 1, from: 20, to: nil), change(0, 1, from: 20, to: 18), change(0, 2, from: 9, to: nil),
            change(0, 2, from: 9, to: 7),
        ]
    }

    private func isRead(_ index: Int, _ left: Int64) -> Bool {
        switch fate(index) {
        case .neverHeard: false
        case .lost: left > 5_400_000
        case .trying: left > 60_000
        // A night out of range.
        case .good where index % 6 == 3: !(30_000_000...41_000_000).contains(left)
        case .good, .needsUser, .paused: true
        }
    }

    // MARK: The ledger

    package func ledger(now: Int64) -> LedgerChanges {
        var poller = GatewayStatus(
            pid: getpid(), started: now - length.wholeMilliseconds, seen: now,
            power: .init(mode: .normal, reason: "on mains"))
        poller.adapters = [.init(name: "hci0", isOn: true)]
        var sink = SinkStatus(name: "mqtt")
        sink.position = 17
        return LedgerChanges(
            entries: (0..<devices).flatMap { entries($0, now: now) },
            statuses: (0..<devices).map { status($0, now: now) }, poller: poller, sinks: [sink])
    }

    private func status(_ index: Int, now: Int64) -> DeviceStatus {
        var status = DeviceStatus(address: address(index), name: name(index), since: now - 9_000_000)
        status.interval = step
        status.next = now + 20_000 + Int64(index * 53 % 100) * 1000
        status.rssi = -48 - (index * 11) % 44
        (status.condition, status.link, status.lastValue) = (.init(.good, inARow: 412), .held, now)
        func fail(_ state: DeviceCondition.State, _ code: FailureCode, _ message: String, _ remedy: Remedy) {
            status.condition = .init(state, inARow: 14, failure: ReadingFailure(code, message), remedy: remedy)
            status.link = .released
            status.lastValue = now - 5_400_000
        }
        switch fate(index) {
        case .good: break
        case .lost: fail(.lost, .notFound, "blekeep didn't hear the device", .rediscover)
        case .needsUser:
            fail(.needsUser, .needsPairing, "the device must be paired", .pairing)
        case .trying: fail(.trying, .connect, "BlueZ couldn't connect the device", .retry)
        case .paused: status.pause = .untilResumed
        case .neverHeard:
            fail(.lost, .notFound, "blekeep didn't hear the device", .rediscover)
            (status.lastValue, status.rssi) = (nil, nil)
        }
        return status
    }

    private func entries(_ index: Int, now: Int64) -> [LedgerEntry] {
        guard let failure = status(index, now: now).failure else {
            return [
                LedgerEntry(
                    device: DeviceID(address(index)), number: 1, phase: .known(.connect),
                    failure: ReadingFailure(.connect, "BlueZ couldn't connect the device"), remedy: .known(.retry),
                    first: now - 9_060_000, last: now - 9_030_000, count: 3, pause: .seconds(30)),
                LedgerEntry(
                    device: DeviceID(address(index)), number: 2, phase: .known(.read), failure: nil, remedy: nil,
                    first: now - 9_000_000, last: now, count: 412),
            ]
        }
        return [
            LedgerEntry(
                device: DeviceID(address(index)), number: 1, phase: .known(.search), failure: failure,
                remedy: .known(.rediscover), first: now - 5_400_000, last: now - 60_000, count: 14,
                pause: .seconds(80))
        ]
    }
}
