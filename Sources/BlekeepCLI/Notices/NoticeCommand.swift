import Blekeep
import BlekeepOutputs
import Glibc
import RunLoop
import Subprocess
import SystemPackage

/// Runs the command of a notice, with the fact as JSON on its standard input.
struct NoticeCommand: Sendable {
    let notice: NoticeConfiguration
    let loop: RunLoop
    /// The gateway's name.
    var gateway: String?
    /// What commands leave behind.
    var left = LeftProcesses()

    struct Outcome: Sendable {
        /// Why it failed; `nil` for a success.
        var failure: String?
        /// What it printed, in a few words; `nil` for nothing.
        var printed: String?
    }

    /// Call it on the loop.
    func run(_ fact: NoticeFact, at time: Int64) async -> Outcome {
        let deadline = Deadline()
        let timer = ClosureTimer { [loop] in
            deadline.pass()
            // A process that was just becoming another program had no environment.
            loop.schedule(at: loop.now + .seconds(1)) { deadline.pass() }
        }
        loop.arm(timer, at: loop.now + notice.timeout)
        guard let end = Self.pipe(Self.input(fact, at: time, gateway: gateway)), let output = CommandOutput(on: loop)
        else {
            loop.disarm(timer)
            return Outcome(failure: "there are too many open files")
        }
        let failure = await execute(end, output: output, deadline: deadline)
        output.close()
        deadline.ended()
        if !deadline.isPassed { left.add(deadline) }
        return Outcome(
            failure: deadline.isPassed ? "it took longer than \(DurationText.text(notice.timeout))" : failure,
            printed: output.text)
    }

    private func execute(_ input: Int32, output: CommandOutput, deadline: Deadline) async -> String? {
        var options = PlatformOptions()
        options.createSession = true
        do {
            let result = try await Subprocess.run(
                .path(.init(notice.command[0])), arguments: .init(Array(notice.command.dropFirst())),
                environment: .inherit.updating(["BLEKEEP_NOTICE": deadline.mark]),
                platformOptions: options,
                input: .fileDescriptor(.init(rawValue: input), closeAfterSpawningProcess: true),
                output: .fileDescriptor(.init(rawValue: output.end), closeAfterSpawningProcess: false),
                error: .fileDescriptor(.init(rawValue: output.end), closeAfterSpawningProcess: false)
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

    static func input(_ fact: NoticeFact, at time: Int64, gateway: String? = nil) -> String {
        let object = JSON.object([
            "time": .text(UTCTime(milliseconds: time).iso), "event": .text(fact.event.rawValue),
            "gateway": .text(gateway), "rule": .text(fact.rule), "device": .text(fact.device),
            "address": .text(fact.address?.description), "message": .text(fact.message),
        ])
        return object.text + "\n"
    }
}

/// The deadline of a command and of everything that it started: its session, and the processes that left the session but
/// have the command's mark in their environment.
final class Deadline: @unchecked Sendable {
    let mark = "\(getpid())-\(UInt64.random(in: 0 ... .max))"
    private(set) var isPassed = false
    private var session: Int32?

    func pass() {
        isPassed = true
        if let session { kill(-session, SIGKILL) }
        // A process that starts others meanwhile is found again.
        for _ in 0..<5 where !killMarked() { break }
    }

    func began(_ session: Int32) {
        self.session = session
        if isPassed { pass() }
    }

    /// The command has ended. Its session's number may be another one's from now on.
    func ended() { session = nil }

    var isAnyLeft: Bool { Self.processes().contains { isMarked($0) } }

    /// - Returns: whether there was such a process.
    private func killMarked() -> Bool {
        let marked = Self.processes().filter { isMarked($0) }
        for process in marked { kill(process, SIGKILL) }
        return !marked.isEmpty
    }

    private static func processes() -> [pid_t] {
        (SystemFile.names(in: "/proc") ?? []).compactMap { pid_t($0) }.filter { $0 != getpid() }
    }

    /// Whether a process of this user has the mark. Those of others can't be read.
    private func isMarked(_ process: pid_t) -> Bool {
        guard let text = SystemFile.bytes(of: "/proc/\(process)/environ", atMost: 4 << 20) else { return false }
        let wanted = Array("BLEKEEP_NOTICE=\(mark)".utf8)
        return text.split(separator: 0).contains { $0.elementsEqual(wanted) }
    }
}

/// What commands that ended have left behind. It ends at the command's deadline, or with `blekeep notices`.
final class LeftProcesses: @unchecked Sendable {
    private var deadlines: [Deadline] = []

    /// More commands than these, within one deadline, are looked at before.
    private static let many = 100

    /// Waits for the deadline of a command that ended. Whether it left anything behind can't be said for sure: a
    /// process has no environment while it becomes another program.
    func add(_ deadline: Deadline) {
        deadlines.removeAll { $0.isPassed }
        if deadlines.count >= Self.many { deadlines.removeAll { !$0.isAnyLeft } }
        deadlines.append(deadline)
    }

    func end() {
        for deadline in deadlines { deadline.pass() }
        deadlines = []
    }
}

/// Reads what a command prints, and keeps only the beginning. On the loop.
final class CommandOutput: @unchecked Sendable {
    /// The end that the command gets.
    let end: Int32
    private(set) var start: [UInt8] = []
    /// The number of bytes after the beginning.
    private(set) var more = 0
    private let loop: RunLoop
    private let source: Int32
    private var watch: Watch?
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    static let maxKept = 4096

    /// The size, and the lines of the beginning; `nil` without any.
    var text: String? {
        let lines = String(decoding: start, as: UTF8.self).split { $0.isNewline }
        guard !lines.isEmpty else { return nil }
        let size = start.count + more
        return "\(size) \(size == 1 ? "byte" : "bytes"): \(lines.joined(separator: " | "))\(more > 0 ? " …" : "")"
    }

    /// The pause between two reads of what isn't kept: a command may print without end.
    static let pause: Duration = .milliseconds(20)

    /// - Returns: `nil` when there are too many open files.
    init?(on loop: RunLoop) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        (source, end) = (ends[0], ends[1])
        self.loop = loop
        watch = loop.watch(source, for: Int16(POLLIN)) { [unowned self] _ in
            readOnce()
            guard start.count == Self.maxKept else { return }
            watch?.events = 0
            loop.schedule(at: loop.now + Self.pause) { [weak self] in self?.watch?.events = Int16(POLLIN) }
        }
    }

    /// Reads the rest that is there, and ends.
    func close() {
        if let watch { loop.unwatch(watch) }
        watch = nil
        // As much as a pipe holds.
        while more < 1 << 20, readOnce() {}
        Glibc.close(source)
        Glibc.close(end)
    }

    @discardableResult
    private func readOnce() -> Bool {
        let count = Glibc.read(source, &buffer, buffer.count)
        guard count > 0 else { return false }
        let kept = min(count, Self.maxKept - start.count)
        start += buffer.prefix(kept)
        more += count - kept
        return true
    }
}
