import RunLoop
import Testing

@testable import BlekeepRecords

/// The words of rules.
@Suite struct RuleTests {
    private func parsed(_ text: String) throws -> Rule.Condition { try Rule.Condition(text) }

    @Test func readsAllForms() throws {
        let limit = try parsed("temperature of tag:freezer > -10 °C for 15m")
        #expect(limit.subject == .tag("freezer") && limit.length == .seconds(900) && limit.field == "temperature")
        #expect(
            limit.test
                == .limit(
                    field: "temperature",
                    Rule.Limit(comparison: .above, number: DecimalNumber(digits: -10, exponent: 0), unit: "°C")))
        let word = try parsed("door of back door is not closed for 10m")
        #expect(word.test == .word(field: "door", "closed", isNegated: true) && word.subject == .device("back door"))
        let fall = try parsed("temperature of greenhouse falls 5 °C in 30m")
        #expect(
            fall.test
                == .move(field: "temperature", .falls, by: DecimalNumber(digits: 5, exponent: 0), unit: "°C"))
        let silence = try parsed("no value of all for 2h")
        #expect(silence.test == .silence(field: nil) && silence.subject == .all && silence.length == .seconds(7200))
        #expect(try parsed("no co2 of office for 1h").test == .silence(field: "co2"))
    }

    /// Spaces around a comparison may be missing, and the signs of mathematics do as well.
    @Test(arguments: [
        "battery of tag:x<20%", "battery of tag:x < 20 %", "battery  of tag:x <20 %",
    ]) func spacesDoNotMatter(text: String) throws {
        #expect(
            try parsed(text).test
                == .limit(
                    field: "battery",
                    Rule.Limit(comparison: .below, number: DecimalNumber(digits: 20, exponent: 0), unit: "%")))
    }

    @Test(arguments: [
        ("temperature of a > 3 °C for 5m", "big room", "temperature of big room > 3 °C for 5m"),
        ("temperature  of big room>3 °C", "a", "temperature of a > 3 °C"),
        ("no value of big room for 2h", "of b", "no value of of b for 2h"),
        ("door of a is not open", "all", nil), ("door of a is open", "my is", "door of my is is open"),
        ("temperature of a > 3 °C", "what is", "temperature of what is > 3 °C"),
        ("temperature of tag:a > 3 °C", "b", nil), ("no value of a for 2h", "a  b", nil),
    ]) func takesAnotherName(text: String, name: String, new: String?) throws {
        #expect(try parsed(text).naming(name)?.text == new)
    }

    @Test func readsMathematicalSigns() throws {
        #expect(try parsed("temperature of a ≥ −3 °C").test == parsed("temperature of a >= -3 °C").test)
        #expect(try Rule.End("≤-12 °C for 5m").length == .seconds(300))
    }

    @Test(arguments: [
        "", "temperature", "temperature > 3", "temperature of freezer", "temperature of > 3", "temperature of a > ",
        "temperature of a > 3 °C for ever", "temperature of a > 3 °C for 31d", "a b of c > 3", "no value of a",
        "no value of a for 5s", "temperature of a falls 5 °C", "temperature of a falls -5 °C in 30m",
        "temperature of a falls 5 °C in 8d", "door of a is", "temperature of a > 3 °C °F",
    ]) func refusesOtherWords(text: String) { #expect(throws: UserError.self) { try parsed(text) } }
}

/// When a rule fires for a device.
@Suite struct RuleMachineTests {
    private var machine: RuleMachine
    private var log: [String] = []
    /// The clocks: the boot, and whether the time of day is right.
    private var boot = "a"
    private var isSet = true
    private var step: Int64 = 0

    init() throws { machine = try Self.machine("temperature of a > -10 °C for 15m", until: "< -12 °C") }

    private static func machine(_ when: String, until: String? = nil) throws -> RuleMachine {
        let rule = Rule(name: "r", when: try Rule.Condition(when), until: try until.map { try Rule.End($0) })
        return RuleMachine(rule, for: DeviceID(BluetoothAddress(bits: 1)))
    }

    private func moment(_ minutes: Int64) -> RuleMoment {
        let milliseconds = minutes * 60_000
        return RuleMoment(
            boot: boot, sinceBoot: milliseconds, time: isSet ? 1_700_000_000_000 + milliseconds + step : milliseconds,
            isSet: isSet)
    }

    private mutating func see(
        _ value: MeasuredValue?, at minutes: Int64, field: String = "temperature", unit: String? = "°C",
        state: String? = nil
    ) throws {
        let reading = Reading(
            time: 0, tick: 1, device: "a", address: BluetoothAddress(bits: 1), service: nil, characteristic: nil,
            name: "", outcome: .value(Measurement(field: field, value: value, state: state, unit: unit), raw: []))
        if let change = machine.observe(reading, at: moment(minutes)) {
            log.append("\(minutes) \(change.isFiring ? "fires" : "ends"): \(change.status.message ?? "")")
        }
    }

    private mutating func advance(to minutes: Int64) {
        if let change = machine.advance(at: moment(minutes)) {
            log.append("\(minutes) \(change.isFiring ? "fires" : "ends"): \(change.status.message ?? "")")
        }
    }

    // MARK: Limits

    @Test mutating func firesOnceAndIsOverOnce() throws {
        for (minutes, value) in [
            (0, -18.0), (5, -9), (10, -9), (15, -9), (20, -8), (25, -7), (30, -11), (35, -13), (40, -14),
        ] {
            try see(.number(value), at: Int64(minutes))
        }
        #expect(
            log == [
                "20 fires: temperature is -8 °C, above -10 °C for 15m", "35 ends: temperature is -13 °C",
            ])
        #expect(machine.status.firings == 1 && machine.status.phase == .calm)
    }

    @Test mutating func oneColdValueBeginsTheTimeAgain() throws {
        for (minutes, value) in [(0, -9.0), (10, -9), (12, -11), (14, -9), (28, -9)] {
            try see(.number(value), at: Int64(minutes))
        }
        #expect(log == [])
        try see(.number(-9), at: 29)
        #expect(log.count == 1)
    }

    @Test mutating func anEndThatMustLastIsTakenBack() throws {
        machine = try Self.machine("temperature of a > -10 °C", until: "< -12 °C for 5m")
        for (minutes, value) in [(0, -9.0), (1, -13), (4, -11), (5, -13), (9, -13)] {
            try see(.number(value), at: Int64(minutes))
        }
        #expect(log == ["0 fires: temperature is -9 °C, above -10 °C"])
        try see(.number(-13), at: 10)
        #expect(log.last == "10 ends: temperature is -13 °C")
    }

    /// Words such as `unknown`, other fields and other units are no values of it.
    @Test mutating func ignoresWhatItCannotCompare() throws {
        machine = try Self.machine("temperature of a > -10 °C")
        try see(nil, at: 0, state: "unknown")
        try see(.number(30), at: 1, field: "humidity", unit: "%")
        try see(.number(30), at: 2, unit: "hPa")
        try see(.text("hot"), at: 3)
        try see(.list([.number(30)]), at: 4)
        #expect(log == [])
    }

    @Test mutating func comparesInOtherUnits() throws {
        machine = try Self.machine("temperature of a > 14 °F")
        try see(.number(-10.1), at: 0)
        #expect(log == [])
        try see(.number(-9.9), at: 1)
        #expect(log.count == 1)
        machine = try Self.machine("pressure of a < 990 hPa")
        try see(.integer(98_900), at: 2, field: "pressure", unit: "Pa")
        #expect(log.last == "2 fires: pressure is 989.0 hPa, below 990 hPa")
    }

    @Test mutating func batteryIsAlsoTheBatteryLevel() throws {
        machine = try Self.machine("battery of a < 20 %")
        try see(.integer(19), at: 0, field: "battery_level", unit: "%")
        #expect(log == ["0 fires: battery_level is 19 %, below 20 %"])
    }

    @Test mutating func aWordLasts() throws {
        machine = try Self.machine("door of a is open for 10m")
        for minutes: Int64 in [0, 5, 10] { try see(.boolean(true), at: minutes, field: "door", unit: nil) }
        try see(.boolean(false), at: 11, field: "door", unit: nil)
        #expect(log == ["10 fires: door is true for 10m", "11 ends: door is false"])
    }

    /// Once, no value was a number, and each was not.
    @Test(arguments: [
        ("is 62", true), ("is 62 %", true), ("is 62%", true), ("is 62.0", true), ("is 61", false), ("is not 62", false),
        ("is not 61", true),
        // Nothing that can be compared: neither fires.
        ("is full", false), ("is not full", false), ("is 62 °C", false), ("is not 62 °C", false),
    ])
    mutating func aNumberIsANumber(words: String, fires: Bool) throws {
        machine = try Self.machine("battery of a \(words)")
        try see(.integer(62), at: 0, field: "battery", unit: "%")
        #expect(log.count == (fires ? 1 : 0), "\(log)")
    }

    @Test(arguments: [("is Chest", true), ("is 1", true), ("is not 1", false), ("is 2", false), ("is Wrist", false)])
    func aNumberMayBeAWord(words: String, isMet: Bool) throws {
        var machine = try Self.machine("body_sensor_location of a \(words)")
        let measurement = Measurement(field: "body_sensor_location", value: .integer(1), unit: nil)
        let change = machine.observe(measurement, of: BluetoothUUID(0x2A38), at: moment(0))
        #expect((change != nil) == isMet)
    }

    // MARK: Clocks and restarts

    /// The time of day jumps by years, forwards and back, while the machine runs.
    @Test(arguments: [34_560_000_000, -34_560_000_000] as [Int64])
    mutating func aStepOfTheClockChangesNothing(by milliseconds: Int64) throws {
        try see(.number(-9), at: 0)
        step = milliseconds
        try see(.number(-9), at: 14)
        #expect(log == [])
        try see(.number(-9), at: 15)
        #expect(log.count == 1)
    }

    @Test mutating func aRestartOfBlekeepGoesOn() throws {
        try see(.number(-9), at: 0)
        try see(.number(-9), at: 10)
        let kept = machine.status
        machine = try Self.machine("temperature of a > -10 °C for 15m", until: "< -12 °C")
        machine.resume(kept, at: moment(12))
        try see(.number(-9), at: 15)
        #expect(log.count == 1)
        let firing = machine.status
        machine = try Self.machine("temperature of a > -10 °C for 15m", until: "< -12 °C")
        machine.resume(firing, at: moment(20))
        try see(.number(-9), at: 21)
        #expect(log.count == 1, "it fires already")
        try see(.number(-13), at: 22)
        #expect(log.count == 2 && machine.status.firings == 1)
    }

    /// Without any clock, the time begins again: the rule fires late, but it fires.
    @Test mutating func aRestartOfTheMachineWithoutAClockFiresNeitherEarlyNorNever() throws {
        try see(.number(-9), at: 100)
        let kept = machine.status
        (boot, isSet) = ("b", false)
        machine = try Self.machine("temperature of a > -10 °C for 15m", until: "< -12 °C")
        machine.resume(kept, at: moment(1))
        try see(.number(-9), at: 1)
        try see(.number(-9), at: 15)
        #expect(log == [])
        try see(.number(-9), at: 16)
        #expect(log.count == 1)
        // As soon as the clock is set, the time at which it fired is right.
        let time = try #require(machine.status.fired)
        #expect(!time.isSet)
        isSet = true
        advance(to: 30)
        #expect(machine.status.fired?.isSet == true)
        #expect(machine.status.fired?.time == moment(16).time)
    }

    @Test mutating func aRestartOfTheMachineWithAClockGoesOn() throws {
        try see(.number(-9), at: 100)
        let kept = machine.status
        boot = "b"
        step = 100 * 60_000
        machine = try Self.machine("temperature of a > -10 °C for 15m", until: "< -12 °C")
        machine.resume(kept, at: moment(1))
        try see(.number(-9), at: 14)
        #expect(log == [])
        try see(.number(-9), at: 15)
        #expect(log.count == 1)
    }

    @Test mutating func anotherTextBeginsAgainWithHigherNumbers() throws {
        for minutes: Int64 in [0, 15] { try see(.number(-9), at: minutes) }
        let kept = machine.status
        machine = try Self.machine("temperature of a > -5 °C for 15m")
        machine.resume(kept, at: moment(20))
        #expect(!machine.status.isFiring && machine.status.firings == 1)
    }

    // MARK: Silence

    @Test mutating func aSilenceFiresWithoutAValue() throws {
        machine = try Self.machine("no value of a for 2h")
        try see(.number(3), at: 0)
        #expect(machine.due(at: moment(0)) == .seconds(7200))
        advance(to: 119)
        #expect(log == [])
        advance(to: 120)
        advance(to: 180)
        try see(.number(3), at: 200)
        #expect(log == ["120 fires: no value for 2h", "200 ends: a value again: temperature is 3 °C"])
        #expect(machine.due(at: moment(201)) == .seconds(119 * 60))
    }

    /// The gateway was off: the device gets ten minutes to be read.
    @Test mutating func aSilenceBeforeTheStartGetsAGrace() throws {
        machine = try Self.machine("no value of a for 2h")
        machine.recall(heard: moment(0), at: moment(600))
        advance(to: 600)
        advance(to: 609)
        #expect(log == [])
        #expect(machine.due(at: moment(609)) == .seconds(60))
        advance(to: 610)
        #expect(log.count == 1)
    }

    @Test mutating func aSilenceCountsOverARestart() throws {
        machine = try Self.machine("no value of a for 2h")
        machine.recall(heard: moment(0), at: moment(100))
        advance(to: 119)
        #expect(log == [])
        advance(to: 120)
        #expect(log.count == 1)
    }

    @Test mutating func aPauseEndsAndPreventsFiring() throws {
        machine = try Self.machine("no value of a for 2h")
        try see(.number(3), at: 0)
        advance(to: 120)
        #expect(machine.suspend(true, at: moment(130))?.isFiring == false)
        advance(to: 500)
        #expect(machine.suspend(false, at: moment(500)) == nil)
        advance(to: 619)
        #expect(log.count == 1)
        advance(to: 620)
        #expect(log.count == 2)
    }

    // MARK: Moves

    @Test mutating func aFallWithinTheTimeFires() throws {
        machine = try Self.machine("temperature of a falls 5 °C in 30m")
        // Slowly: 4.9 °C in 30 minutes.
        for minutes in 0...60 { try see(.number(30 - Double(minutes) * 4.9 / 30), at: Int64(minutes)) }
        #expect(log == [])
        for minutes in 61...75 { try see(.number(20.2 - Double(minutes - 60)), at: Int64(minutes)) }
        #expect(log.count == 1 && log[0].hasPrefix("61 fires") || log.count == 1, "\(log)")
        for minutes in 76...120 { try see(.number(5.2), at: Int64(minutes)) }
        #expect(log.count == 2, "\(log)")
    }

    @Test mutating func aRiseIsNoFall() throws {
        machine = try Self.machine("temperature of a falls 5 °C in 30m")
        for minutes in 0...60 { try see(.number(Double(minutes)), at: Int64(minutes)) }
        #expect(log == [])
        machine = try Self.machine("temperature of a rises 5 °C in 30m")
        for minutes in 0...4 { try see(.number(Double(minutes)), at: Int64(minutes)) }
        #expect(log == [])
        try see(.number(5), at: 5)
        #expect(log == ["5 fires: temperature is 5 °C, rose 5 °C or more in 30m"])
    }

    /// A device may send a value a millisecond.
    @Test mutating func theWindowOfAMoveIsBounded() throws {
        machine = try Self.machine("temperature of a falls 5 °C in 30m")
        for index in 0..<20_000 {
            let now = RuleMoment(boot: "a", sinceBoot: Int64(index) * 100, time: 0, isSet: false)
            let measurement = Measurement(field: "temperature", value: .number(20 + Double(index % 2)), unit: "°C")
            _ = machine.observe(measurement, at: now)
        }
        #expect(machine.samples <= 61)
    }
}

/// All rules with all devices.
@Suite struct RuleBookTests {
    private let devices = (1...200).map { number -> DeviceConfiguration in
        var device = DeviceConfiguration(alias: "d\(number)", address: BluetoothAddress(bits: UInt64(number)))
        device.tags = number % 2 == 0 ? ["even"] : []
        return device
    }

    private func configuration(_ rules: [(String, String)]) throws -> PollConfiguration {
        var configuration = PollConfiguration(devices: devices)
        configuration.rules = try rules.map { Rule(name: $0.0, when: try Rule.Condition($0.1)) }
        return configuration
    }

    private func reading(_ number: UInt64, _ value: Double) -> Reading {
        Reading(
            time: 0, tick: 1, device: "d", address: BluetoothAddress(bits: number), service: nil, characteristic: nil,
            name: "", outcome: .value(Measurement(field: "temperature", value: .number(value), unit: "°C"), raw: []))
    }

    private let now = RuleMoment(boot: "a", sinceBoot: 0, time: 1000, isSet: true)

    @Test func isBounded() throws {
        let rules = (0..<100).map { ("r\($0)", "temperature of all > 3 °C") }
        var book = RuleBook(try configuration(rules))
        #expect(book.offer().count == Rule.maxPairs)
    }

    @Test func eachDeviceCountsByItself() throws {
        var book = RuleBook(try configuration([("hot", "temperature of tag:even > 3 °C")]))
        #expect(
            book.observe([reading(1, 9), reading(2, 9)], at: now, uptime: .start).map(\.status.device.description).count
                == 1)
        #expect(book.firing(of: DeviceID(BluetoothAddress(bits: 2))) == ["hot"])
        #expect(book.firing(of: DeviceID(BluetoothAddress(bits: 4))) == [])
    }

    @Test func theStoreGetsOnlyChanges() throws {
        var book = RuleBook(try configuration([("hot", "temperature of tag:even > 3 °C")]))
        #expect(book.offer().count == 100)
        book.committed()
        #expect(book.offer() == [])
        _ = book.observe([reading(2, 9)], at: now, uptime: .start)
        #expect(book.offer().map(\.isFiring) == [true])
        // The commit failed.
        #expect(book.offer().count == 1)
        book.committed()
        _ = book.observe([reading(2, 9)], at: now, uptime: .start)
        #expect(book.offer() == [])
    }

    @Test func aNewConfigurationKeepsWhatStaysAndReportsWhatLeft() throws {
        var book = RuleBook(
            try configuration([("hot", "temperature of d2 > 3 °C"), ("old", "temperature of d2 > 4 °C")]))
        _ = book.observe([reading(2, 9)], at: now, uptime: .start)
        book.apply(try configuration([("hot", "temperature of d2 > 3 °C"), ("new", "temperature of d2 > 50 °C")]))
        #expect(book.firing(of: DeviceID(BluetoothAddress(bits: 2))) == ["hot"])
        #expect(book.leftRules.map(\.rule) == ["old"])
        #expect(book.observe([reading(2, 9)], at: now, uptime: .start).isEmpty)
    }

    @Test func aRuleKeepsItsStateWhenItsDeviceHasAnotherName() throws {
        var book = RuleBook(try configuration([("hot", "temperature of d2 > 3 °C")]))
        _ = book.observe([reading(2, 9)], at: now, uptime: .start)
        book.apply(try configuration([("hot", "temperature of 000000000002 > 3 °C")]))
        #expect(book.firing(of: DeviceID(BluetoothAddress(bits: 2))) == ["hot"])
        #expect(book.offer().map(\.condition) == ["temperature of 000000000002 > 3 °C"])
        #expect(book.observe([reading(2, 9)], at: now, uptime: .start).isEmpty)
    }

    @Test func aSilenceIsDue() throws {
        var book = RuleBook(try configuration([("lost", "no value of d2 for 2h")]))
        #expect(book.observe([reading(2, 9)], at: now, uptime: .start).isEmpty)
        #expect(book.due == .start + .seconds(7200))
        var later = now
        later.sinceBoot += 7_200_000
        #expect(book.advance(at: later, uptime: .start + .seconds(7200)).map(\.isFiring) == [true])
        #expect(book.due == .never)
    }

    /// The values before a restart count for a move.
    @Test func earlierReadingsCountForAMove() throws {
        var book = RuleBook(try configuration([("fall", "temperature of d2 falls 5 °C in 30m")]))
        var before = reading(2, 20)
        before.time = 1_700_000_000_000
        let now = RuleMoment(boot: "a", sinceBoot: 0, time: 1_700_000_600_000, isSet: true)
        book.resume([], devices: [], readings: [before], at: now, uptime: .start)
        #expect(book.observe([reading(2, 14)], at: now, uptime: .start).count == 1)
    }
}
