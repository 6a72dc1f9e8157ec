import Blekeep
import BlekeepOutputs
import BlekeepSimulation
import BusBench
import DBus
import Foundation
import Logging
import RunLoop
import Testing

@testable import BlekeepCLI
@testable import BlekeepConfiguration
@testable import BlekeepHistory

/// `status` and `why` beside a poller in virtual time, on a history of its own.
@Suite struct StatusTests {
    /// 03:00 on a day in November, in the time zone of this machine.
    private static let day: Int64 = {
        let day = Date(timeIntervalSince1970: 1_795_230_000)
        return Int64(day.timeIntervalSince1970 - Double(TimeZone.current.secondsFromGMT(for: day))) * 1000
    }()

    /// Returns the output of commands after this many seconds in a house with one device out of range.
    private func tell(
        _ arguments: [[String]], after seconds: Int,
        _ script: @escaping @Sendable (World, _ at: @Sendable (Int) async throws -> Void) async throws -> Void
    ) async throws -> [Outcome] {
        try await Bench.run(.virtual, .house) { bench, world in
            let loop = bench.loop
            let folder = NSTemporaryDirectory() + "blekeep-status-\(UInt64.random(in: 0 ... .max))"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try """
            history: \(folder)/history.sqlite
            devices:
              - {address: "F0:00:00:00:00:01", alias: living}
              - {address: "F0:00:00:00:00:02", alias: freezer}
              - {address: "F0:00:00:00:00:77", alias: attic}
            """.write(toFile: "\(folder)/config.yaml", atomically: true, encoding: .utf8)
            let file = ConfigurationLoader(
                file: "\(folder)/config.yaml", environment: [:], names: Composition.characteristicNames)
            let configuration = try #require(try file.load()?.configuration)
            let history = try History(path: "\(folder)/history.sqlite")
            let time: @Sendable () -> Int64 = { Self.day + loop.now.nanoseconds / 1_000_000 }
            let poller = Poller(
                configuration.poll, on: loop, store: history, sinks: [],
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, wallTime: time,
                supply: { SupplyFacts(state: .unknown) }
            ) { () async throws(BusError) in try await bench.connect() }
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = await poller.run() }
                try await script(world) { try await loop.sleep(until: Uptime(nanoseconds: Int64($0) * 1_000_000_000)) }
                try await loop.sleep(until: .start + .seconds(seconds))
                var outcomes: [Outcome] = []
                for words in arguments {
                    outcomes.append(try await perform(words + ["-c", "\(folder)/config.yaml"], bench, time))
                }
                poller.stop()
                try await group.waitForAll()
                return outcomes
            }
        }
    }

    private func perform(
        _ words: [String], _ bench: Bench, _ time: @escaping @Sendable () -> Int64
    ) async throws -> Outcome {
        let command = try #require(try BlekeepCLI.Blekeep.parse(words) as? any ContextCommand)
        let output = Collected()
        let context = CommandContext(
            on: bench.loop, command.options, output: output, terminal: .none,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, environment: [:], wallTime: time
        ) { () async throws(BusError) in try await bench.connect() }
        do { try await context.run(command) } catch {
            return Outcome(output: output.text, log: [], failure: try #require(error as? Failure))
        }
        return Outcome(output: output.text, log: [], failure: nil)
    }

    private func masked(_ text: String) -> String { text.replacing("process \(getpid())", with: "process 4242") }

    @Test func theWorstDeviceIsFirstAndNumbersAreInOrder() {
        func device(_ name: String, _ state: DeviceCondition.State) -> DeviceStatus {
            DeviceStatus(
                address: BluetoothAddress(bits: UInt64(name.utf8.first ?? 0)), name: name,
                condition: DeviceCondition(state, failure: ReadingFailure(.timeout, "no answer")), since: 0)
        }
        var paused = device("p", .good)
        paused.pause = .untilResumed
        let poller = GatewayStatus(pid: 1, started: 0, seen: 0)
        let report = StatusReport(
            poller: poller,
            devices: [
                device("s10", .good), device("s2", .good), paused, device("t", .trying), device("l", .lost),
                device("n", .needsUser),
            ], pid: 1, now: 0)
        let table = StatusTable(report: report).table
        #expect(table.rows.map { $0[0].text } == ["n", "l", "t", "p", "s2", "s10"])
        let failures = report.lines(width: nil, on: .none).filter { $0.hasSuffix(": no answer") }
        #expect(failures.map { $0.prefix { $0 != ":" } } == ["n", "l", "t", "p", "s2", "s10"])
    }

    @Test func valuesAndBatteryComeLast() throws {
        let address = BluetoothAddress(bits: 1)
        func reading(_ characteristic: UInt16, _ field: String, _ value: MeasuredValue, _ unit: String) -> Reading {
            Reading(
                time: 0, tick: 1, device: "attic", address: address, service: nil,
                characteristic: BluetoothUUID(characteristic), name: "x",
                outcome: .value(Measurement(field: field, value: value, unit: unit), raw: []))
        }
        let status = DeviceStatus(address: address, name: "attic", since: 0)
        let poller = GatewayStatus(pid: 1, started: 0, seen: 0)
        var report = StatusReport(poller: poller, devices: [status], pid: 1, now: 0)
        report.newest = NewestValues([
            reading(0x2A6E, "temperature", .number(20.5), "°C"), reading(0x2A19, "battery_level", .integer(9), "%"),
        ])
        let row = try #require(StatusTable(report: report).table.rows.first)
        #expect(row.suffix(2).map(\.text) == ["9 %", "20.50 °C"])
    }

    @Test func showsEveryDeviceAndWhyItIsSo() async throws {
        let outcomes = try await tell(
            [["status"], ["why", "attic"], ["why", "freezer"], ["why", "living"], ["status", "--json"]], after: 425
        ) { world, at in
            try await at(100)
            world.deaf("Freezer")
            world.drop("Freezer")
            try await at(200)
            world.heal("Freezer")
            try await at(400)
            world.hide("Living Room")
        }
        #expect(outcomes.map(\.code) == [1, 0, 0, 0, 1])
        try expectSnapshot("status", masked(outcomes[0].output))
        try expectSnapshot("why-attic", outcomes[1].output)
        try expectSnapshot("why-freezer", outcomes[2].output)
        #expect(outcomes[3].output.contains("living (F0:00:00:00:00:01)"))
        #expect(outcomes[4].lines.count == 1)
        for outcome in outcomes { #expect(isHarmless(outcome.output)) }
    }

    /// It is connected, and reads are not answered.
    @Test(arguments: [150, 300, 371]) func saysWhatComesNextForADeviceThatIsMute(seconds: Int) async throws {
        let outcomes = try await tell([["why", "living"]], after: seconds) { world, at in
            try await at(65)
            world.mute("Living Room")
        }
        let last = outcomes[0].lines.last { !$0.isEmpty } ?? ""
        #expect(last.hasPrefix("The device is connected but doesn't reply: switch it off and on."), "\(last)")
        let next = ["The device is connected. Next read", "blekeep is connecting", "Next attempt"]
        let isSaid = next.contains { last.contains($0) } || outcomes[0].output.contains(" (in ")
        #expect(isSaid, "\(outcomes[0].output)")
        #expect(outcomes[0].output.contains("at 03:0"))
    }

    @Test func saysOfARadioThatItMakesNoNewLinks() {
        var poller = GatewayStatus(pid: 1, started: 0, seen: 0, power: .init(mode: .normal, reason: "on mains"))
        poller.adapters = [
            .init(name: "hci0", isOn: true, trouble: .noNewLinks(since: 1000, attempts: 6, devices: 2))
        ]
        let report = StatusReport(poller: poller, devices: [], pid: 1, now: 131_000)
        let line = "hci0 can't make new connections: 6 attempts to 2 nearby devices failed in 2m10s"
        #expect(report.lines(width: nil, on: .none)[1].contains(line))
        #expect(report.json.contains(#""trouble":"no_new_links""#))
        // One more attempt is no news while it is watched.
        poller.adapters[0].trouble = .noNewLinks(since: 1000, attempts: 7, devices: 2)
        #expect(StatusReport(poller: poller, devices: [], pid: 1, now: 140_000).news == report.news)
    }

    @Test func statusAndWhySayThatAnAdapterHasTooManyDevices() {
        let shortage = AirShortage(devices: 20, need: .milliseconds(24_200), interval: .seconds(20))
        var poller = GatewayStatus(pid: 1, started: 0, seen: 0, power: .init(mode: .normal, reason: "on mains"))
        poller.adapters = [.init(name: "hci0", isOn: true, trouble: .tooManyDevices(shortage))]
        let report = StatusReport(poller: poller, devices: [], pid: 1, now: 131_000)
        let line = "hci0 has too little time: 20 devices need about 24s a round; the interval is 20s"
        #expect(report.lines(width: nil, on: .none)[1].contains(line))
        #expect(report.json.contains(#""trouble":"too_many_devices""#))
        var status = DeviceStatus(address: BluetoothAddress(bits: 1), name: "attic", since: 0)
        status.condition = DeviceCondition(.good)
        func advice() -> String {
            let view = WhyReport(
                status: status, entries: [], name: "attic", shortage: poller.adapters[0].shortage, staleSince: nil,
                now: 131_000)
            return view.lines.last ?? ""
        }
        #expect(advice().contains("20 devices need about 24s of hci0 a round; the interval is 20s. Poll less often"))
        // The device's own failure comes first.
        status.condition = DeviceCondition(.good, failure: ReadingFailure(.noPoint, "it has none of these"))
        #expect(advice().hasPrefix("Configure characteristics that the device has"))
    }

    @Test(arguments: [
        (PollExclusion.disabled, "disabled", "'blekeep set attic enabled true' enables it."),
        (.elsewhere(["barn"]), "read only by the gateway barn", "see 'gateways' in the configuration."),
        (.unconfigured, "not in the configuration", "'blekeep add 00:00:00:00:00:01' adds it."),
    ])
    func whySaysThatADeviceIsNotPolled(exclusion: PollExclusion, state: String, advice: String) {
        var status = DeviceStatus(address: BluetoothAddress(bits: 1), name: "attic", since: 0)
        status.condition = DeviceCondition(.good)
        (status.next, status.pause, status.intervalReason) = (1000, .untilResumed, .paused)
        for staleSince in [nil, Int64(500)] {
            let why = WhyReport(
                status: status, entries: [], name: "attic", exclusion: exclusion, staleSince: staleSince, now: 131_000)
            #expect(why.lines.first == "attic (00:00:00:00:00:01): \(state)")
            #expect(why.outlook == "blekeep doesn't poll the device: \(advice)")
            #expect(why.json.last?.contains("next") == false)
        }
    }

    @Test func whyPromisesNoAttemptWithoutAPoller() {
        let address = BluetoothAddress(bits: 1)
        let entry = LedgerEntry(
            device: DeviceID(address), number: 1, phase: .known(.search),
            failure: ReadingFailure(.notFound, "not heard"),
            remedy: .known(.rediscover), first: 0, last: 0, pause: .seconds(4))
        func text(isPolled: Bool, now: Int64) -> String {
            WhyReport(
                status: DeviceStatus(address: address, name: "attic", since: 0), entries: [entry], name: "attic",
                staleSince: isPolled ? nil : now, now: now
            ).lines.joined(separator: "\n")
        }
        // A zone may be three quarters of an hour ahead, but no seconds.
        #expect(text(isPolled: true, now: 1000).contains(/next search at \d\d:\d\d:04 \(in 3s\)/))
        #expect(!text(isPolled: true, now: 3500).contains("(in"))
        #expect(!text(isPolled: false, now: 1000).contains("next search"))
    }

    /// An adapter that rfkill blocks comes before a device that wasn't heard yet.
    @Test func whyLooksAtAnOutageFirst() {
        var poller = GatewayStatus(pid: 1, started: 0, seen: 0)
        func advice(_ adapters: [GatewayStatus.Adapter], outage: ReadingFailure? = nil) -> String {
            (poller.adapters, poller.outage) = (adapters, outage)
            let report = StatusReport(poller: poller, devices: [], pid: 1, now: 1000)
            return WhyReport(
                status: DeviceStatus(address: BluetoothAddress(bits: 1), name: "attic", since: 0), entries: [],
                name: "attic",
                outage: report.outage, staleSince: nil, now: 1000
            ).advice
        }
        let (on, off) = (
            GatewayStatus.Adapter(name: "hci0", isOn: true), GatewayStatus.Adapter(name: "hci1", isOn: false)
        )
        #expect(advice([off]).hasPrefix("Turn the adapter on"))
        #expect(advice([.init(name: "hci0", isOn: true, trouble: .noDiscovery)]).contains("blekeep doctor"))
        #expect(advice([on], outage: ReadingFailure(.noBluez, "x")).hasPrefix("Start BlueZ"))
        #expect(advice([on, off]).contains("make sure that it is on and near"))
    }

    @Test func reportsThatNoProgramReadsTheOutput() {
        var poller = GatewayStatus(pid: 1, started: 0, seen: 0, power: .init(mode: .normal, reason: "on mains"))
        func report() -> StatusReport { StatusReport(poller: poller, devices: [], pid: 1, now: 131_000) }
        #expect(report().lines(width: nil, on: .none)[2] == "")
        #expect(report().json.contains(#""output":{"stalled":false,"missed_lines":0}"#))
        poller.missed = MissedLines(count: 1234, isStalled: true)
        let stalled = "no program reads the output of poll: 1234 lines dropped so far; 'blekeep history' has them"
        #expect(report().lines(width: nil, on: .none)[2] == stalled)
        #expect(report().json.contains(#""output":{"stalled":true,"missed_lines":1234}"#))
        poller.missed?.isStalled = false
        let missed = "the reader of poll's output missed 1234 lines; 'blekeep history' has them"
        #expect(report().lines(width: nil, on: .none)[2] == missed)
    }

    @Test func saysWhatKeepsEverythingFromBeingPolled() async throws {
        let outcomes = try await tell([["status"], ["why", "living"]], after: 100) { world, at in
            try await at(70)
            world.power(on: false)
        }
        #expect(outcomes[0].code == 4)
        #expect(outcomes[0].output.contains("hci0 off"))
        let gone = try await tell([["status"], ["why", "living"]], after: 100) { world, at in
            try await at(70)
            world.stop()
        }
        #expect(gone[0].code == 3)
        #expect(gone[0].output.contains("bluetoothd isn't running"))
    }

    @Test func aDeviceWithoutAttemptsIsNotFound() async throws {
        let outcomes = try await tell([["why", "F0:00:00:00:00:99"]], after: 10) { _, _ in }
        #expect(outcomes[0].code == 5)
    }

    @Test func theVerdictIsTheWorstThatAllShare() throws {
        let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        func code(
            _ states: [DeviceCondition.State], outage: String? = nil, isOn: Bool = true, sink: String? = nil,
            pid: Int32? = 1
        ) -> Int32 {
            var poller = GatewayStatus(pid: 1, started: 0, seen: 0)
            poller.adapters = [.init(name: "hci0", isOn: isOn)]
            poller.outage = outage.map { ReadingFailure(code: OpenEnum(rawValue: $0), message: "") }
            let devices = states.map { state in
                let failure = ReadingFailure(.timeout, "no answer")
                return DeviceStatus(
                    address: address, name: "x", condition: DeviceCondition(state, failure: failure), since: 0)
            }
            var status = SinkStatus(name: "mqtt")
            status.failure = sink
            return StatusReport(poller: poller, devices: devices, sinks: [status], pid: pid, now: 0).exitCode?.rawValue
                ?? 0
        }
        #expect(code([.good, .good]) == 0)
        #expect(code([.good, .good], sink: "another client took over") == 1)
        #expect(code([.good, .lost]) == 1)
        #expect(code([.trying, .lost]) == 6)
        #expect(code([.needsUser, .needsUser]) == 7)
        #expect(code([.needsUser, .lost]) == 6)
        #expect(code([.good], outage: "no_bluez") == 3)
        #expect(code([.good], isOn: false) == 4)
        #expect(code([.good], pid: nil) == 6)
    }

    /// Once, `status` and `values` answered about the history that there would be without a configuration.
    @Test func aConfigurationWithMistakesHasNoHistory() throws {
        let file = NSTemporaryDirectory() + "blekeep-mistake-\(UInt64.random(in: 0 ... .max)).yaml"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try "history: /nowhere/history.sqlite\nintervall: 5s\n".write(toFile: file, atomically: true, encoding: .utf8)
        let context = CommandContext(on: try RunLoop(.virtual), try globalOptions(["-c", file]))
        let failure = #expect(throws: Failure.self) { try StoredHistory.path(context) }
        #expect(failure?.code == .badConfiguration)
        #expect(failure?.message.hasPrefix("\(file):2:1: ") == true, "\(failure?.message ?? "")")
        #expect(throws: Failure.self) { try StatusSource(context).report() }
    }

    @Test func aFolderIsNoHistory() {
        let failure = #expect(throws: Failure.self) {
            try Composition.historyPath(Configuration(history: HistoryConfiguration(path: "/tmp")))
        }
        #expect(failure?.code == .badConfiguration)
        #expect(failure?.message == "the history /tmp is a folder; name a file in it")
    }

    /// A device with an interval of an hour may send values each second.
    @Test func theLastValueMayComeBetweenTicks() throws {
        let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        let poller = GatewayStatus(pid: 1, started: 0, seen: 0, power: .init(mode: .normal, reason: ""))
        var device = DeviceStatus(address: address, name: "strap", since: 0)
        device.lastValue = 1000
        var report = StatusReport(poller: poller, devices: [device], pid: 1, now: 60_000)
        let reading = Reading(
            time: 58_000, tick: 1, device: "strap", address: address, service: nil, characteristic: nil,
            name: "Heart Rate",
            outcome: .value(Measurement(field: "heart_rate", value: .integer(70), unit: "bpm"), raw: []))
        report.newest = NewestValues([reading])
        #expect(report.lines(width: nil, on: .none).contains { $0.contains("2s ago") })
    }

    @Test func showsHowMuchWasDropped() throws {
        let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        let poller = GatewayStatus(pid: 1, started: 0, seen: 0, power: .init(mode: .normal, reason: ""))
        var device = DeviceStatus(address: address, name: "chatty", since: 0)
        device.dropped.total = 5_678_901
        for (count, line) in [(0, nil), (7, "7"), (1234, "1,234"), (1_234_567, "1,234,567")] {
            device.dropped.count = count
            let report = StatusReport(poller: poller, devices: [device], pid: 1, now: 0)
            let expected = line.map { "chatty: the throttle dropped \($0) of 5,678,901 values that it sent by itself" }
            #expect(report.lines(width: nil, on: .none).first { $0.contains("dropped") } == expected)
            #expect(report.json.contains(#""dropped":\#(count),"dropped_of":5678901"#))
        }
    }

    private func report(pid: Int32?, clocks: ClockReading? = nil) -> StatusReport {
        var poller = GatewayStatus(pid: 1, started: 0, seen: 60_000, power: .init(mode: .normal, reason: "on mains"))
        poller.adapters = [.init(name: "hci0", isOn: true)]
        poller.life = SignOfLife(
            clocks: ClockReading(boot: "a", sinceBoot: .seconds(60), awake: .seconds(60), time: 60_000),
            silence: .seconds(25))
        var sink = SinkStatus(name: "mqtt")
        sink.failure = "refused"
        let devices = [("good", DeviceCondition.State.good), ("lost", .lost), ("new", .new)].map { name, state in
            var device = DeviceStatus(address: BluetoothAddress(bits: UInt64(name.count)), name: name, since: 0)
            let failure = state == .lost ? ReadingFailure(.timeout, "no answer") : nil
            device.condition = DeviceCondition(state, inARow: 0, failure: failure)
            (device.lastValue, device.link) = (30_000, .held)
            return device
        }
        return StatusReport(
            poller: poller, devices: devices, sinks: [sink], pid: pid, now: 300_000, clocks: clocks)
    }

    /// Nobody knows how a device is while no poller runs, or one that doesn't write.
    @Test func withoutAPollerStatesAreStale() throws {
        let late = ClockReading(boot: "a", sinceBoot: .seconds(300), awake: .seconds(300), time: 300_000)
        for report in [report(pid: nil), report(pid: 1, clocks: late)] {
            #expect(report.staleSince == 60_000 && report.trouble == .notPolling)
            let rows = StatusTable(report: report).table.rows
            #expect(rows.map { $0[1].text } == ["stale, was lost", "new", "stale, was good"])
            #expect(rows.map { $0[2].text } == ["4m", "", "4m"])
            #expect(rows[0][3].text == "4m30s ago" && rows[0][5].text.isEmpty)
            let isGray = rows.joined().allSatisfy { $0.paint == .faint }
            #expect(isGray)
            let head = StatusHead(report).lines
            #expect(head.map(\.tone) == [.bad, .stale, .stale])
            #expect(head[1].text == "4m ago: bus and bluetoothd run; hci0 on; power normal: on mains")
            #expect(head[2].text.hasPrefix("4m ago: can't write readings to the sink mqtt: refused"))
            #expect(report.json.components(separatedBy: #""stale":true"#).count == 3)
            let why = WhyReport(
                status: report.devices[0], entries: [], name: "good", staleSince: report.staleSince, now: report.now)
            #expect(why.lines[0].contains("stale for 4m; before that, good for 1m"))
            #expect(why.outlook == "blekeep isn't polling; start it with 'blekeep poll'.")
        }
        let polled = report(pid: 1)
        #expect(StatusTable(report: polled).table.rows.map { $0[1].text } == ["lost", "new", "good"])
        #expect(polled.json.components(separatedBy: #""stale":false"#).count == 4)
    }

    @Test func withoutAPollerValuesAreGray() throws {
        let address = BluetoothAddress(bits: 4)
        let reading = Reading(
            time: 30_000, tick: 1, device: "good", address: address, service: nil,
            characteristic: BluetoothUUID(0x2A6E), name: "Temperature",
            outcome: .value(Measurement(field: "temperature", value: .number(20.5), unit: "°C"), raw: []))
        var view = ValuesView([StoredReading(sequence: 1, reading: reading)], of: nil, now: 300_000)
        let news = view.news
        view.report = report(pid: 1)
        #expect(view.head(width: nil, on: .none).isEmpty && view.table.rows[0][1].paint == .plain && view.news == news)
        view.report = report(pid: nil)
        #expect(view.head(width: nil, on: .none).first?.hasPrefix("not polling: ") == true && view.news != news)
        let isGray = view.table.rows[0].allSatisfy { $0.paint == .faint }
        #expect(isGray && view.table.rows[0][3].text == "4m")
    }

    private func reading(
        _ device: String, _ bits: UInt64, _ field: String, _ value: MeasuredValue, at time: Int64 = 0
    )
        -> StoredReading
    {
        StoredReading(
            sequence: Int64(bits),
            reading: Reading(
                time: time, tick: 1, device: device, address: BluetoothAddress(bits: bits), service: nil,
                characteristic: nil, name: "ATC",
                outcome: .value(Measurement(field: field, value: value, unit: "%"), raw: [])))
    }

    @Test func valuesHaveTheOrderOfTheNames() {
        let readings = [
            reading("door 10", 1, "battery", .integer(90), at: 5), reading("door 9", 2, "humidity", .number(45), at: 7),
            reading("attic", 3, "battery", .integer(20), at: 1),
        ]
        let view = ValuesView(readings, of: nil, now: 10)
        #expect(view.table.rows.map { $0[0].text } == ["attic", "door 9", "door 10"])
    }

    @Test func theValuesOfAReplacedSensorArePast() throws {
        func reading(_ bits: UInt64, at time: Int64) throws -> Reading {
            Reading(
                time: time, tick: 1, id: DeviceID("cellar"), device: "cellar",
                address: BluetoothAddress(bits: bits), service: nil, characteristic: nil, name: "ATC",
                outcome: .value(
                    Measurement(field: "temperature", value: .integer(Int64(bits)), unit: "°C"), raw: []))
        }
        let readings = [try reading(1, at: 5), try reading(2, at: 9)]
        #expect(NewestValues(readings).devices.values.map(\.text) == ["2 °C"])
    }

    @Test func oldValuesAreLeftOut() {
        let readings = [
            reading("attic", 1, "battery", .integer(90), at: 0), reading("attic", 1, "humidity", .integer(9), at: 8000),
            reading("barn", 2, "humidity", .integer(20), at: 6999),
        ]
        let view = ValuesView(readings, of: nil, maxAge: .seconds(3), now: 10_000)
        #expect(view.table.rows.map { $0[0].text } == ["attic"] && view.lines(.json, isFirst: true).count == 1)
    }

    @Test func aStatusOfSomeDevicesHasTheirTrouble() {
        let all = report(pid: 1)
        #expect(all.trouble == .someFail)
        let one = all.only([all.devices[2].id], of: [])
        #expect(one.devices.map(\.name) == ["new"] && one.trouble == .allFail && one.sinks.count == 1)
        #expect(all.only([], of: []).devices.isEmpty)
    }

    /// Such as the successor of a broken sensor, whose attempts are the earlier ones.
    @Test func aDeviceThatIsNotHeardYetIsNotWell() {
        var device = DeviceStatus(address: BluetoothAddress(bits: 1), name: "attic", since: 0)
        device.link = .listening
        let search = LedgerEntry(Attempt(phase: .search), of: device.id, number: 1, at: 0)
        func report(_ link: DeviceStatus.Link) -> WhyReport {
            device.link = link
            return WhyReport(
                status: device, entries: [search], name: "attic", staleSince: nil, now: 1, offset: { _ in 0 })
        }
        #expect(report(.listening).advice.hasPrefix("blekeep hasn't heard the device yet: make sure"))
        #expect(report(.listening).lines[2] == "before that:")
        #expect(report(.reading).advice == "There is nothing to do.")
        #expect(!report(.reading).lines.contains("before that:"))
    }

    @Test func aReaderElsewhereLearnsWhereToRunACommand() {
        var device = DeviceStatus(address: BluetoothAddress(bits: 1), name: "attic", since: 0)
        func advice(_ code: FailureCode, gateway: String?) -> String {
            device.condition = DeviceCondition(.lost, inARow: 0, failure: ReadingFailure(code, "no answer"))
            return WhyReport(
                status: device, entries: [], name: "attic", gateway: gateway, staleSince: nil, now: 1, offset: nil
            ).advice
        }
        #expect(
            advice(.connect, gateway: "cellar").hasSuffix(
                "'blekeep gatt attic' tries it once. Run that on the gateway cellar."))
        #expect(advice(.connect, gateway: nil).hasSuffix("tries it once."))
        #expect(!advice(.dropped, gateway: "cellar").contains("gateway"))
    }

    @Test func aLowBatteryIsThatOfTheNotices() throws {
        let reading = Reading(
            time: 0, tick: 1, device: "a", address: BluetoothAddress(bits: 1), service: nil,
            characteristic: BluetoothUUID(0x2A19), name: "Battery Level",
            outcome: .value(Measurement(field: "battery_level", value: .integer(19), unit: "%"), raw: []))
        func paint(_ configuration: Configuration) -> Paint {
            let values = NewestValues([reading], limits: configuration.batteryLimits).devices[reading.id]
            return Table.Cell(batteryOf: values).paint
        }
        #expect(paint(Configuration()) == .warning)
        var configuration = Configuration()
        configuration.notices = [NoticeConfiguration(command: ["/bin/true"])]
        #expect(paint(configuration) == .warning)
        configuration.notices[0].battery = 19
        #expect(paint(configuration) == .plain)
    }

    /// Only where the user says what it runs on: it may be the voltage of a car's battery.
    @Test func aVoltageSaysWhenACellEnds() throws {
        func reading(_ field: String, _ number: Double, _ unit: String) -> Reading {
            Reading(
                time: 0, tick: 1, device: "a", address: BluetoothAddress(bits: 1), service: nil, characteristic: nil,
                name: "RuuviTag",
                outcome: .value(Measurement(field: field, value: .number(number), unit: unit), raw: []))
        }
        func cell(_ volts: Double, at temperature: Double = 20, _ battery: Battery? = .cr2477) -> Table.Cell {
            let readings = [reading("battery_voltage", volts, "V"), reading("temperature", temperature, "°C")]
            let limits = BatteryLimits(batteries: battery.map { [readings[0].id: $0] } ?? [:])
            return Table.Cell(batteryOf: NewestValues(readings, limits: limits).devices[readings[0].id])
        }
        #expect(cell(2.41).paint == .warning && cell(2.41).text == "2.41 V")
        #expect(cell(2.41, at: -5).paint == .plain && cell(2.2, at: -5).paint == .warning)
        #expect(cell(2.2, at: -25).paint == .plain && cell(1.9, at: -25).paint == .warning)
        #expect(cell(2.41, .twoAAA).paint == .plain)
        #expect(cell(2.41, .mains).text == "" && cell(2.41, nil).text == "")
    }

    @Test func saysHowBlekeepListens() {
        var poller = GatewayStatus(pid: 1, started: 0, seen: 0)
        func line(_ listening: GatewayStatus.Adapter.Listening?) -> String? {
            poller.adapters = [.init(name: "hci0", isOn: true, listening: listening)]
            let lines = StatusHead(StatusReport(poller: poller, devices: [], pid: 1, now: 1)).lines
            return lines.map(\.text).first { $0.contains("hci0") }
        }
        #expect(line(.passive)?.contains("hci0 on, listens passively; power") == true)
        #expect(line(.windows)?.contains("hci0 on, listens in windows; power") == true)
        #expect(line(.open)?.contains("hci0 on, listens without a pause; power") == true)
        #expect(line(.deaf)?.contains("hci0 on, hears no advertisements") == true)
        #expect(line(nil)?.contains("hci0 on; power") == true)
    }

    @Test func saysThatTheDiskWasSlow() {
        var poller = GatewayStatus(pid: 1, started: 0, seen: 0)
        poller.slow = SlowWrites(count: 1, longest: .milliseconds(3200), last: 60_000)
        func report(at now: Int64) -> StatusReport { StatusReport(poller: poller, devices: [], pid: 1, now: now) }
        let line = "the disk took 3s200ms to write to the history, 4m ago; readings wait in memory meanwhile"
        let last = StatusHead(report(at: 300_000)).lines.last
        #expect(last?.text == line && last?.tone == .warning)
        #expect(report(at: 300_000).json.contains(#""slow_writes":{"count":1,"longest_s":3.2,"last":"1970"#))
        poller.slow?.count = 7
        #expect(StatusHead(report(at: 300_000)).lines.last?.text.hasPrefix("the disk was slow 7 times") == true)
        #expect(StatusHead(report(at: 90_000_000)).lines.last?.text.contains("disk") == false)
    }
}
