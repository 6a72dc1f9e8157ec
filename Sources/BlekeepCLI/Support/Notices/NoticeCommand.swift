import Blekeep
import BlekeepOutputs
import Glibc
import RunLoop
import Subprocess

/// Runs the command of a notice, with the fact as JSON on its standard input.
struct NoticeCommand: Sendable {
    let notice: NoticeConfiguration
    let loop: RunLoop

    /// Returns why it failed; `nil` for a success. Call it on the loop.
    func run(_ fact: NoticeFact, at time: Int64) async -> String? {
        let deadline = Deadline()
        let timer = ClosureTimer { deadline.pass() }
        loop.arm(timer, at: loop.now + notice.timeout)
        defer { loop.disarm(timer) }
        let failure = await execute(Self.input(fact, at: time), deadline)
        return deadline.isPassed ? "it took longer than \(DurationText.text(notice.timeout))" : failure
    }

    /// Kills a command and its children.
    private final class Deadline: @unchecked Sendable {
        private(set) var isPassed = false
        /// The command's session, which has its children, too.
        private var session: Int32?

        func pass() {
            isPassed = true
            if let session { kill(-session, SIGKILL) }
        }

        func began(_ session: Int32) {
            self.session = session
            if isPassed { pass() }
        }
    }

    private func execute(_ input: String, _ deadline: Deadline) async -> String? {
        guard let end = Self.pipe(input) else { return "there are too many open files" }
        var options = PlatformOptions()
        options.createSession = true
        do {
            let result = try await Subprocess.run(
                .path(.init(notice.command[0])), arguments: .init(Array(notice.command.dropFirst())),
                platformOptions: options,
                input: .fileDescriptor(.init(rawValue: end), closeAfterSpawningProcess: true),
                output: .fileDescriptor(.standardError, closeAfterSpawningProcess: false),
                error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false)
            ) { execution in deadline.began(execution.processIdentifier.value) }
            switch result.terminationStatus {
            case .exited(0): return nil
            case .exited(let code): return "it exited with \(code)"
            case .signaled(let number): return "signal \(number) ended it"
            }
        } catch { return "it couldn't be run: \(error)" }
    }

    /// Returns the reading end of a pipe that holds a text and has ended, so that nothing waits for its reader.
    private static func pipe(_ text: String) -> Int32? {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        let bytes = Array(text.utf8)
        // A pipe takes 64 KiB at once.
        _ = Glibc.write(ends[1], bytes, bytes.count)
        close(ends[1])
        return ends[0]
    }

    static func input(_ fact: NoticeFact, at time: Int64) -> String {
        let object = JSON.object([
            "time": .text(UTCTime(milliseconds: time).iso), "event": .text(fact.event.rawValue),
            "device": .text(fact.device),
            "address": .text(fact.address?.description), "message": .text(fact.message),
        ])
        return object.text + "\n"
    }
}
