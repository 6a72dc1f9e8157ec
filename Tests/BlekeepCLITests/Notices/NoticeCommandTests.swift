import Blekeep
import BlekeepOutputs
import BlekeepSimulation
import BusBench
import Foundation
import RunLoop
import Testing

@testable import BlekeepCLI

/// Real commands.
@Suite struct NoticeCommandTests {
    private let fact = NoticeFact(
        subject: .device(DeviceID(BluetoothAddress(bits: 1))), event: .deviceLost, message: "no \"answer\"",
        device: "attic",
        address: BluetoothAddress(bits: 1))

    private func run(_ command: [String], timeout: Duration = .seconds(600)) async throws -> String? {
        var notice = NoticeConfiguration(command: command)
        notice.timeout = timeout
        return try await Bench.run(.loopback) { [notice, fact] bench in
            await NoticeCommand(notice: notice, loop: bench.loop).run(fact, at: 0).failure
        }
    }

    @Test func aCommandGetsTheFactOnItsStandardInput() async throws {
        let path = NSTemporaryDirectory() + "blekeep-\(UUID().uuidString.prefix(8))"
        defer { unlink(path) }
        #expect(try await run(["/bin/sh", "-c", "cat > \(path)"]) == nil)
        #expect(
            try String(contentsOfFile: path, encoding: .utf8)
                == #"{"time":"1970-01-01T00:00:00.000Z","event":"device_lost","device":"attic","#
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
        // The command and its child keep the pipe open, so its end shows that both are gone.
        try #require(mkfifo(path, 0o600) == 0)
        let pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(pipe) }
        let script = "trap '' TERM; exec 9> \(path); sleep 1000 & wait; sleep 1000"
        #expect(try await run(["/bin/sh", "-c", script], timeout: .milliseconds(300)) == "it took longer than 300ms")
        var end = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
        #expect(poll(&end, 1, 60_000) == 1 && end.revents & Int16(POLLHUP) != 0)
    }

    @Test func keepsTheBeginningOfWhatACommandPrints() async throws {
        var notice = NoticeConfiguration(command: ["/bin/sh", "-c", "echo out; echo error >&2; exec yes"])
        var outcome = NoticeCommand.Outcome()
        // A busy machine may need longer to start a shell than the command has.
        for timeout: Duration in [.milliseconds(500), .seconds(10), .seconds(100)] where outcome.printed == nil {
            notice.timeout = timeout
            outcome = try await Bench.run(.loopback) { [notice, fact] bench in
                await NoticeCommand(notice: notice, loop: bench.loop).run(fact, at: 0)
            }
        }
        let printed = try #require(outcome.printed)
        #expect(printed.contains(" bytes: out | error | y | y | ") && printed.hasSuffix(" …"))
        // It reads on, but not as fast as the command prints.
        let size = try #require(printed.split(separator: " ").first.flatMap { Int($0) })
        let most = Int(notice.timeout / CommandOutput.pause) * 64 << 10 + 1 << 20
        #expect(size > CommandOutput.maxKept && size < most && printed.utf8.count < 3 * CommandOutput.maxKept)
        #expect(outcome.failure == "it took longer than \(DurationText.text(notice.timeout))")
    }

    /// The command ended before its deadline. What it left behind has a session of its own.
    @Test func whatACommandLeavesBehindEndsWithItsDeadline() async throws {
        let path = NSTemporaryDirectory() + "blekeep-\(UUID().uuidString.prefix(8))"
        defer { unlink(path) }
        try #require(mkfifo(path, 0o600) == 0)
        let pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(pipe) }
        let script = "exec 9> \(path); setsid sh -c 'sleep 1000; sleep 1000' </dev/null >/dev/null 2>&1 &"
        let failure = try await Bench.run(.loopback) { [fact] bench in
            var failure: String?
            // A busy machine may need longer to start a shell than the command has.
            for timeout: Duration in [.seconds(1), .seconds(10), .seconds(100)] {
                var notice = NoticeConfiguration(command: ["/bin/sh", "-c", script])
                notice.timeout = timeout
                let start = bench.loop.now
                failure = await NoticeCommand(notice: notice, loop: bench.loop).run(fact, at: 0).failure
                var end = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
                while poll(&end, 1, 0) == 0 { try await bench.loop.sleep(until: bench.loop.now + .milliseconds(50)) }
                guard failure != nil else {
                    #expect(bench.loop.now >= start + (timeout - .milliseconds(100)))
                    break
                }
            }
            return failure
        }
        #expect(failure == nil)
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
