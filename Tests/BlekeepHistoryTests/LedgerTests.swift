import BlekeepRecords
import Foundation
import GRDB
import HistoryTrials
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepHistory

@Suite struct LedgerTests {
    let folder: TemporaryFolder
    let path: String
    let address: BluetoothAddress
    var device: DeviceID { DeviceID(address) }

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
        address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
    }

    private func entry(
        _ number: Int64, _ message: String = "no answer", of device: DeviceID? = nil
    )
        -> LedgerEntry
    {
        LedgerEntry(
            device: device ?? self.device, number: number, phase: .known(.connect),
            failure: ReadingFailure(.connect, message), remedy: .known(.retry), first: number * 1000,
            last: number * 1000, pause: .seconds(4))
    }

    private func status(_ state: DeviceCondition.State = .lost) -> DeviceStatus {
        var status = DeviceStatus(address: address, name: "attic", since: 7)
        status.condition = DeviceCondition(
            state, inARow: 3, phase: .connect, failure: ReadingFailure(.connect, "no answer"), remedy: .retry)
        status.lastValue = 5
        status.next = 99
        status.interval = .seconds(30)
        status.link = .foreign
        status.rssi = -71
        status.dropped.count = 12
        status.dropped.total = 345
        status.pause = .until(1_700_000_000_000)
        status.identity = BroadcastIdentity("inkbird fff0 sps")
        return status
    }

    private func poller() -> GatewayStatus {
        var poller = GatewayStatus(pid: 42, started: 1000, seen: 2000, power: .init(mode: .normal, reason: "on mains"))
        poller.adapters = [.init(name: "hci0", isOn: true), .init(name: "hci1", isOn: false)]
        poller.adapters += [
            .init(name: "hci2", isOn: false, trouble: .cycling), .init(name: "hci3", isOn: true, trouble: .stuck),
            .init(name: "hci4", isOn: true, trouble: .noNewLinks(since: 1000, attempts: 6, devices: 2)),
            .init(
                name: "hci5", isOn: true,
                trouble: .tooManyDevices(.init(devices: 20, need: .seconds(24), interval: .seconds(20)))),
            .init(
                name: "hci6", isOn: true,
                trouble: .tooManyDevices(.init(devices: 23, need: .milliseconds(70_500), interval: nil))),
        ]
        poller.outage = ReadingFailure(.noBluez, "gone")
        poller.missed = MissedLines(count: 1234, isStalled: true)
        return poller
    }

    /// A damaged file, or another program, may have any number anywhere. An answer without the row, or an error, is fine.
    @Test func noNumberOfTheFileTraps() throws {
        let now = WallClock.milliseconds()
        do {
            let history = try History(path: path)
            var sink = SinkStatus(name: "file")
            sink.backlog = 3
            let statuses = [status(), status(.good), status(.trying)].enumerated().map { place, status in
                var status = status
                status.since = now - 1000 * Int64(place)
                return status
            }
            let changes = LedgerChanges(
                entries: [entry(1), entry(2)], statuses: statuses, poller: poller(), sinks: [sink])
            _ = try history.append(try (0..<5).map { try makeReading(tick: $0) }, nil, changes, durable: true)
        }
        let columns = try damageable(now)
        #expect(columns.count > 90)
        for column in columns {
            let copy = folder.file("copy.sqlite")
            for suffix in ["", "-wal", "-shm", ".lock"] { unlink(copy + suffix) }
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            let queue = try DatabaseQueue(path: copy)
            try? queue.write { database in
                let value = "CASE WHEN rowid % 2 THEN \(Int64.max) ELSE -9223372036854775807 - 1 END"
                try database.execute(sql: "UPDATE OR REPLACE \(column.table) SET \(column.name) = \(value)")
            }
            try queue.close()
            askForEverything(copy, now: now)
        }
    }

    /// Makes the history one file with at least a row in each table, and returns the columns with numbers.
    private func damageable(_ now: Int64) throws -> [(table: String, name: String)] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = DELETE")
            let tables = try String.fetchAll(
                database,
                sql: """
                    SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
                    AND name NOT LIKE 'grdb_%'
                    """)
            return try tables.flatMap { table in
                let columns = try database.columns(in: table)
                if try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") == 0 {
                    let values: [any DatabaseValueConvertible] = columns.map { column in
                        if column.type == "TEXT" { return "f00000000001" }
                        return column.name.hasSuffix("_ms") ? now - 60_000 : 1
                    }
                    let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
                    try? database.execute(
                        sql: "INSERT INTO \(table) VALUES (\(marks))", arguments: StatementArguments(values))
                }
                return columns.filter { $0.type != "TEXT" && $0.type != "BLOB" }.map { (table, $0.name) }
            }
        }
    }

    private func askForEverything(_ path: String, now: Int64) {
        guard let reader = try? HistoryReader(path: path) else { return }
        let (day, all) = (now - 86_400_000...now, Int64.min...Int64.max)
        for period in Summary.Period.allCases { try? reader.summaries(every: period) { _ in } }
        try? reader.readings(HistoryQuery(since: 0)) { _ in }
        _ = try? reader.latest()
        _ = try? reader.page(HistoryQuery(), after: 0, limit: 10)
        _ = try? reader.last(ofFirst: 10, HistoryQuery(), after: 0)
        _ = try? reader.news(after: 0, limit: 10)
        for row in [nil, 0, Int64.max] { _ = try? reader.work(from: row) }
        for time in [day, all] {
            _ = try? reader.gaps(in: time)
            _ = try? reader.notices(in: time, limit: 10)
            _ = try? reader.failures(of: [device], in: time, limit: 10)
            _ = try? reader.firings(of: [device], in: time, limit: 10)
        }
        _ = try? reader.backlogs(in: day, columns: 50)
        _ = try? reader.plotted(PlotSelection(device: device, time: day, columns: 50))
        _ = try? reader.trends(until: now, length: 86_400_000, columns: 50, series: 4)
        for report in [try? reader.report(since: .seconds(86_400)), try? reader.report(since: .seconds(1 << 40))] {
            if let report = report.flatMap({ $0 }) { _ = (ReportFacts(report) { _ in 0 }.all, ReportBands(report)) }
        }
        let report = try? StatusReport.read(from: reader, configured: [], now: now, clocks: .now())
        for status in report?.devices ?? [] {
            let entries = (try? reader.attempts(of: status.id, limit: 10)) ?? []
            _ = WhyReport(status: status, entries: entries, name: "attic", staleSince: now - 1000, now: now).lines
            _ = WhyReport(status: status, entries: entries, name: "attic", staleSince: nil, now: now).lines
        }
        _ = report?.json
        guard let history = try? History(path: path) else { return }
        _ = try? history.append([makeReading(tick: 7)], nil, LedgerChanges(statuses: [status()]), durable: true)
        for _ in 0..<20 where history.needsUpkeep { try? history.upkeep() }
    }

    @Test func failuresOfATimeAreThoseOfTheDevicesAndOfAll() throws {
        let history = try History(path: path)
        let other = DeviceID(BluetoothAddress(bits: 0xF000_0000_0002))
        var (well, long, all) = (entry(3), entry(4, of: other), entry(9))
        (well.failure, long.last) = (nil, 8000)
        all.device = nil
        let third = entry(5, of: DeviceID(BluetoothAddress(bits: 0xF000_0000_0003)))
        _ = try history.append(
            [], nil, LedgerChanges(entries: [entry(1), entry(2), well, long, third, all]), durable: false)
        let reader = try HistoryReader(path: path)
        func numbers(_ devices: [DeviceID], _ time: ClosedRange<Int64>, limit: Int = 10) throws -> [Int64] {
            try reader.failures(of: devices, in: time, limit: limit).map(\.number)
        }
        #expect(try numbers([device, other], 0...20_000) == [1, 2, 4, 9] && numbers([device], 0...5000) == [1, 2])
        #expect(try numbers([device, other], 7000...8500) == [4])
        #expect(try numbers([device, other], 0...20_000, limit: 2) == [4, 9])
        #expect(try numbers([], 0...20_000) == [9])
    }

    @Test func everythingComesBackAlsoWithoutAProperEnd() throws {
        let history = try History(path: path)
        let common = LedgerEntry(
            device: nil, number: 1, phase: .known(.bluez), failure: nil, remedy: nil, first: 500, last: 500)
        let changes = LedgerChanges(entries: [common, entry(1)], statuses: [status()], poller: poller())
        _ = try history.append([], nil, changes, durable: false)
        // Beside the writer, which has not closed anything: as after kill -9.
        let reader = try HistoryReader(path: path)
        #expect(try reader.attempts(of: device, limit: 10) == [common, entry(1)])
        #expect(try reader.status(of: device) == status())
        let run = try #require(try reader.lastRun())
        #expect(run.poller == poller())
        #expect(run.devices == [status()])
        #expect(try history.lastKnown().entries.count == 2)
        #expect(HistoryHolder.process(of: path) == getpid())
        history.close()
        #expect(HistoryHolder.process(of: path) == nil)
    }

    @Test func whatIsKeptOfADeviceIsBounded() throws {
        let history = try History(path: path)
        for start in stride(from: Int64(1), to: 1000, by: 50) {
            _ = try history.append(
                [], nil, LedgerChanges(entries: (start..<start + 50).map { entry($0) }), durable: false)
        }
        let kept = try HistoryReader(path: path).attempts(of: device, limit: 10_000)
        #expect(kept.count == 100)
        #expect(kept.last?.number == 1000)
        #expect(try HistoryReader(path: path).attempts(of: device, limit: 3).map(\.number) == [998, 999, 1000])
    }

    @Test func whatHasLeftTheConfigurationIsNoPartOfTheRun() throws {
        let history = try History(path: path)
        var sink = SinkStatus(name: "mqtt")
        sink.position = 7
        _ = try history.append(
            [], nil, LedgerChanges(statuses: [status()], poller: poller(), sinks: [sink]), durable: false)
        var left = LedgerChanges(statuses: [status()])
        left.leftDevices = [status().id]
        left.leftSinks = ["mqtt"]
        _ = try history.append([], nil, left, durable: false)
        let reader = try HistoryReader(path: path)
        #expect(try reader.lastRun()?.devices == [])
        #expect(try reader.sinks() == [])
        // Both continue when they come back.
        #expect(try history.lastKnown().statuses.map(\.id) == [status().id])
        #expect(try history.lastSinks().first?.position == 7)
    }

    @Test func whatIsKeptInAllIsBounded() throws {
        let history = try History(path: path)
        for device in 10..<99 {
            for other in 10...11 {
                let address = try #require(BluetoothAddress("F0:00:00:00:\(device):\(other)"))
                let entries = (Int64(1)...100).map { entry($0, of: DeviceID(address)) }
                _ = try history.append([], nil, LedgerChanges(entries: entries), durable: false)
            }
        }
        let size = try HistoryReader(path: path).database { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM attempts") ?? 0
        }
        #expect(size <= LedgerRows.maxEntries + 100)
        #expect(size >= 5000)
    }

    @Test func readingsAndLedgerAreOneCommit() throws {
        let history = try History(path: path)
        let reader = try HistoryReader(path: path)
        _ = try history.append(
            [try makeReading(makeFailure())], nil, LedgerChanges(statuses: [status()]), durable: true)
        #expect(try history.synchronousMode() == 2)
        var count = 0
        try reader.readings { _ in count += 1 }
        #expect(count == 1)
        #expect(try reader.status(of: device)?.state == .lost)
        _ = try history.append([], nil, LedgerChanges(statuses: [status(.good)]), durable: false)
        #expect(try history.synchronousMode() == 1)
        #expect(try reader.status(of: device)?.state == .good)
    }

    @Test(arguments: hostileTexts) func hostileTextIsStoredWithoutChange(text: String) throws {
        let history = try History(path: path)
        var hostile = status()
        hostile.name = text
        hostile.condition = DeviceCondition(
            .lost, failure: ReadingFailure(code: OpenEnum(rawValue: text), message: text))
        _ = try history.append(
            [], nil, LedgerChanges(entries: [entry(1, text)], statuses: [hostile]), durable: false)
        let reader = try HistoryReader(path: path)
        #expect(try reader.status(of: device) == hostile)
        #expect(try reader.attempts(of: device, limit: 1).first?.failure?.message == text)
    }

    @Test func aHistoryWithoutARunIsEmptyNotBroken() throws {
        try History(path: path).close()
        let reader = try HistoryReader(path: path)
        #expect(try reader.attempts(of: device, limit: 5) == [])
        #expect(try reader.status(of: device) == nil)
        #expect(try reader.lastRun() == nil)
    }

    @Test func theHolderIsFoundInTheKernelsList() {
        let locks = """
            1: POSIX  ADVISORY  READ  99 fe:01:1234 0 EOF
            2: FLOCK  ADVISORY  READ  98 fe:01:1234 0 EOF
            3: FLOCK  ADVISORY  WRITE 42 fe:01:1234 0 EOF
            4: FLOCK  ADVISORY  WRITE 43 fe:02:1234 0 EOF
            nonsense
            5: FLOCK  ADVISORY  WRITE x fe:01:1234 0 EOF
            """
        #expect(HistoryHolder.holder(in: locks, inode: 1234, device: 0xFE01, written: nil) == 42)
        #expect(HistoryHolder.holder(in: locks, inode: 1234, device: 0xFE02, written: nil) == 43)
        #expect(HistoryHolder.holder(in: locks, inode: 1234, device: 0x1, written: 43) == 43)
        #expect(HistoryHolder.holder(in: locks, inode: 1234, device: 0x1, written: 44) == nil)
        #expect(HistoryHolder.holder(in: locks, inode: 99, device: 0xFE01, written: 42) == nil)
    }

    // MARK: Runs of some ticks

    @Test func aRunOfSomeTicksLeavesWhatTheLedgerSaysOfTheService() throws {
        let other = try #require(BluetoothAddress("F0:00:00:00:00:77"))
        let history = try History(path: path)
        var service = LedgerChanges(statuses: [status(.good)], poller: poller())
        var failing = SinkStatus(name: "file")
        (failing.position, failing.failure) = (9, "the disk is full")
        service.sinks = [failing, SinkStatus(name: "mqtt")]
        _ = try history.append([], nil, service, durable: true)
        var (once, mistyped, oneOff) = (status(.lost), status(.trying), poller())
        (once.entries, once.link) = (9, .held)
        mistyped = DeviceStatus(address: other, name: "mistyped", since: 9)
        (oneOff.pid, oneOff.started, oneOff.isOneOff) = (43, 5000, true)
        var changes = LedgerChanges(entries: [entry(9)], statuses: [once, mistyped], poller: oneOff)
        changes.isOneOff = true
        var (sink, own) = (SinkStatus(name: "file"), SinkStatus(name: "webhook"))
        (sink.position, own.position) = (17, 17)
        changes.sinks = [sink, own]
        changes.leftSinks = ["mqtt"]
        _ = try history.append([], nil, changes, durable: true)

        let reader = try HistoryReader(path: path)
        let run = try #require(try reader.lastRun())
        #expect(run.poller.pid == 42 && !run.poller.isOneOff)
        #expect(run.devices.map(\.address) == [address])
        #expect(run.devices[0].state == .good && run.devices[0].entries == 9 && run.devices[0].link == .held)
        #expect(try reader.status(of: DeviceID(other))?.name == "mistyped")
        #expect(try reader.attempts(of: device, limit: 5).count == 1)
        // Otherwise, the next run would send the readings again.
        let sinks = try reader.sinks()
        #expect(sinks.map(\.name) == ["file", "mqtt"])
        #expect(sinks[0].position == 17 && sinks[0].failure == "the disk is full")
    }

    @Test func withoutAServiceTheLastRunOfSomeTicksIsTheStatus() throws {
        let history = try History(path: path)
        for pid: Int32 in [42, 43] {
            var oneOff = poller()
            (oneOff.pid, oneOff.started, oneOff.isOneOff) = (pid, Int64(pid), true)
            var changes = LedgerChanges(statuses: [status()], poller: oneOff)
            changes.isOneOff = true
            _ = try history.append([], nil, changes, durable: true)
        }
        let run = try #require(try HistoryReader(path: path).lastRun())
        #expect(run.poller.pid == 43 && run.poller.isOneOff && run.devices.count == 1)
    }
}
