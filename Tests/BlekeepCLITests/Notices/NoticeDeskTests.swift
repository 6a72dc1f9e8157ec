import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import BusBench
import DBus
import Foundation
import Logging
import Testing

@testable import BlekeepCLI
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
            notice.events = [.deviceLost]
            var configuration = Configuration(
                poll: PollConfiguration(
                    devices: [DeviceConfiguration(alias: "attic", address: BluetoothAddress(bits: 1))]))
            configuration.notices = [notice]
            let context = CommandContext(
                on: bench.loop, try GlobalOptions.parse([]), output: Collected(), terminal: .none,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, environment: [:]
            ) { () async throws(BusError) in try await bench.connect() }
            var desk = NoticeDesk(configuration, file: NoticeFile(history: "/nonexistent/history"), in: context)
            let device = DeviceStatus(
                address: BluetoothAddress(bits: 1), name: "attic",
                condition: DeviceCondition(.lost, failure: ReadingFailure(.notFound, "not heard")), since: 0)
            let keeper = GatewayStatus(pid: 1, started: 0, seen: 0, power: .init(mode: .normal, reason: "x"))
            let facts = NoticeFacts(
                report: StatusReport(keeper: keeper, devices: [device], pid: 1, now: 0), newest: [])
            await #expect(throws: (any Error).self) { try await desk.tell(facts) }
            let first = try String(contentsOfFile: path, encoding: .utf8)
            #expect(first.contains("device_lost"))
            // It is said once nevertheless.
            unlink(path)
            try await desk.tell(facts)
            #expect(access(path, F_OK) != 0)
        }
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
                on: bench.loop, try GlobalOptions.parse(["-c", file]), output: Collected(), terminal: .none,
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
