import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import BusBench
import DBus
import Foundation
import Logging
import Testing

@testable import BlekeepCLI
@testable import BlekeepHistory
@testable import BlekeepLog

@Suite struct NoticeDeskTests {
    @Test func onlyOneProcessGivesNoticesAboutAHistory() throws {
        let history = NSTemporaryDirectory() + "blekeep-\(UUID().uuidString.prefix(8))"
        defer { unlink("\(history).notices.lock") }
        try NoticeFile(history: history).lock()
        let failure = #expect(throws: Failure.self) { try NoticeFile(history: history).lock() }
        #expect(failure?.code == .alreadyRunning)
        try NoticeFile(history: history + "-other").lock()
        unlink("\(history)-other.notices.lock")
    }

    /// As on a full disk, which is what the notice is about.
    @Test func aNoticeComesAlsoWhenItCannotBeKept() async throws {
        let path = NSTemporaryDirectory() + "blekeep-\(UUID().uuidString.prefix(8))"
        defer { unlink(path) }
        try await Bench.run(.loopback) { bench in
            var notice = NoticeConfiguration(command: ["/bin/sh", "-c", "cat > \(path)"])
            notice.timeout = .seconds(600)
            notice.events = [.deviceLost]
            var configuration = Configuration(
                poll: PollConfiguration(
                    devices: [DeviceConfiguration(alias: "attic", address: BluetoothAddress(bits: 1))]))
            configuration.notices = [notice]
            let context = CommandContext(
                on: bench.loop, try GlobalOptions.usual, output: Collected(), terminal: .none,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, environment: [:]
            ) { () async throws(BusError) in try await bench.connect() }
            var desk = NoticeDesk(configuration, file: NoticeFile(history: "/nonexistent/history"), in: context)
            let device = DeviceStatus(
                address: BluetoothAddress(bits: 1), name: "attic",
                condition: DeviceCondition(.lost, failure: ReadingFailure(.notFound, "not heard")), since: 0)
            let poller = GatewayStatus(pid: 1, started: 0, seen: 0, power: .init(mode: .normal, reason: "x"))
            let facts = NoticeFacts(
                report: StatusReport(poller: poller, devices: [device], pid: 1, now: 0), newest: [])
            await #expect(throws: (any Error).self) { try await desk.tell(facts) }
            let first = try String(contentsOfFile: path, encoding: .utf8)
            #expect(first.contains("device_lost"))
            // It is said once nevertheless.
            unlink(path)
            try await desk.tell(facts)
            #expect(access(path, F_OK) != 0)
        }
    }

    /// Two commands get the same fact: it is one row, with why one of them failed. The poller has a device that the
    /// configuration of notices lacks, as with `poll ADDRESS`: its notice comes once, too.
    @Test func noticesAreLoggedInTheHistory() async throws {
        let folder = NSTemporaryDirectory() + "blekeep-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/history.sqlite"
        try History(path: path).close()
        let attic = BluetoothAddress(bits: 1)
        let lines = try await Bench.run(.loopback) { bench in
            let log = Lines()
            var configuration = Configuration()
            configuration.notices = ["/bin/true", "/bin/false"].map { command in
                var notice = NoticeConfiguration(command: [command])
                (notice.events, notice.holdOff) = ([.deviceLost, .deviceBack], .zero)
                // A busy machine may need long to start a program.
                notice.timeout = .seconds(600)
                return notice
            }
            let context = CommandContext(
                on: bench.loop, try GlobalOptions.usual, output: Collected(), terminal: .none,
                log: Logger(label: "test") { _ in
                    StandardErrorLog(level: .notice, isJournal: false, write: log.add)
                }, environment: [:]
            ) { () async throws(BusError) in try await bench.connect() }
            func facts(_ state: DeviceCondition.State) -> NoticeFacts {
                let device = DeviceStatus(
                    address: attic, name: "attic",
                    condition: DeviceCondition(
                        state, failure: state == .good ? nil : ReadingFailure(.notFound, "not heard")), since: 0)
                let poller = GatewayStatus(pid: 1, started: 0, seen: 0, power: .init(mode: .normal, reason: "x"))
                return NoticeFacts(report: StatusReport(poller: poller, devices: [device], pid: 1, now: 0), newest: [])
            }
            var desk = NoticeDesk(configuration, file: NoticeFile(history: path), in: context)
            for state in [DeviceCondition.State.lost, .lost, .good] { try await desk.tell(facts(state)) }
            let given = try HistoryReader(path: path).notices(of: [DeviceID(attic)], in: 0...Int64.max, limit: 10)
            #expect(given.map(\.event) == [.known(.deviceLost), .known(.deviceBack)])
            #expect(given.first?.message.contains("not heard") == true)
            #expect(given.map(\.failure) == ["it exited with 1", "it exited with 1"])
            // A history that isn't there stops no notice.
            for name in [path, "\(path)-wal", "\(path)-shm"] { unlink(name) }
            for state in [DeviceCondition.State.lost, .good] { try await desk.tell(facts(state)) }
            return log.all
        }
        #expect(lines.count { $0.contains("/bin/false for device_") } == 4, "\(lines)")
        #expect(lines.count { $0.contains("can't log notices: ") } == 1, "\(lines)")
    }

    @Test func aFailureToLookIsLoggedOnce() async throws {
        let folder = NSTemporaryDirectory() + "blekeep-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (history, file) = ("\(folder)/history.sqlite", "\(folder)/config.yaml")
        try "history: \(history)\n".write(toFile: file, atomically: true, encoding: .utf8)
        let lines = try await Bench.run(.loopback) { bench in
            let log = Lines()
            let context = CommandContext(
                on: bench.loop, try globalOptions(["-c", file]), output: Collected(), terminal: .none,
                log: Logger(label: "test") { _ in
                    StandardErrorLog(level: .notice, isJournal: false, write: log.add)
                }, environment: [:]
            ) { () async throws(BusError) in try await bench.connect() }
            var desk = NoticeDesk(Configuration(), file: NoticeFile(history: history), in: context)
            for _ in 1...3 { await desk.look() }
            // Another reason is news.
            try String(repeating: "no history ", count: 1000).write(
                toFile: history, atomically: true, encoding: .utf8)
            for _ in 1...3 { await desk.look() }
            return log.all
        }
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("can't check the history: ") }, "\(lines)")
    }
}
