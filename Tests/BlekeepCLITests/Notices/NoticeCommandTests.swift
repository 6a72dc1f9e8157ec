import Blekeep
import BlekeepSimulation
import BusBench
import Foundation
import RunLoop
import Testing

@testable import BlekeepCLI

/// Real commands.
@Suite struct NoticeCommandTests {
    private let fact = NoticeFact(
        subject: .device(BluetoothAddress(bits: 1)), event: .deviceLost, message: "no \"answer\"", device: "attic",
        address: BluetoothAddress(bits: 1))

    private func run(_ command: [String], timeout: Duration = .seconds(30)) async throws -> String? {
        var notice = NoticeConfiguration(command: command)
        notice.timeout = timeout
        return try await Bench.run(.loopback) { [notice, fact] bench in
            await NoticeCommand(notice: notice, loop: bench.loop).run(fact, at: 0)
        }
    }

    @Test func aCommandGetsTheFactOnItsStandardInput() async throws {
        let path = NSTemporaryDirectory() + "blekeep-\(UUID().uuidString.prefix(8))"
        defer { unlink(path) }
        #expect(try await run(["/bin/sh", "-c", "cat > \(path)"]) == nil)
        #expect(
            try String(contentsOfFile: path, encoding: .utf8)
                == #"{"time":"1970-01-01T00:00:00.000Z","event":"device-lost","device":"attic","#
                + #""address":"00:00:00:00:00:01","message":"no \"answer\""}"# + "\n")
    }

    @Test func reportsHowACommandFailed() async throws {
        #expect(try await run(["/bin/sh", "-c", "exit 3"]) == "it exited with 3")
        #expect(try await run(["/bin/sh", "-c", "kill -9 $$"]) == "signal 9 ended it")
        let missing = try await run(["/nonexistent"])
        #expect(missing?.hasPrefix("it couldn't be run: ") == true)
    }

    @Test func aCommandThatReadsNothingIsNoFailure() async throws {
        for _ in 0..<20 { #expect(try await run(["/bin/true"]) == nil) }
    }

    @Test func aCommandThatTakesTooLongIsKilledWithItsChildren() async throws {
        let path = NSTemporaryDirectory() + "blekeep-\(UUID().uuidString.prefix(8))"
        defer { unlink(path) }
        let script = "trap '' TERM; sleep 1000 & echo $! > \(path); wait; sleep 1000"
        #expect(try await run(["/bin/sh", "-c", script], timeout: .milliseconds(300)) == "it took longer than 300ms")
        let child = try #require(
            Int32(try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)))
        // A killed process may run for a moment, and stay as an entry of the process table until its new parent notices.
        func isGone() -> Bool {
            let state = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
            return state.map { $0.contains(") Z ") } ?? true
        }
        for _ in 0..<6000 where !isGone() { usleep(10_000) }
        #expect(isGone())
    }

    @Test func theSameCommandTwiceHasTwoMemories() {
        let notices = [["/a", "b"], ["/c"], ["/a", "b"]].map(NoticeConfiguration.init(command:))
        #expect(NoticeDesk.keys(notices) == ["1 /a b", "1 /c", "2 /a b"])
    }

    @Test func withoutCommandsThereIsNothingToRun() async throws {
        let outcome = try await BlekeepCLITests.run(["notices", "--once"])
        #expect(outcome.code == 78)
        #expect(outcome.failure?.message == "the configuration has no commands; add them under 'notices:'")
    }
}
