import BlekeepSimulation
import BusBench
import Glibc
import RunLoop

/// This program once more, in another role. It ends when its standard input does, so never outlives us.
final class Child: @unchecked Sendable {
    private let pid: pid_t
    private let leash: Int32
    private let output: Int32
    private let loop: RunLoop
    private var watch: Watch?
    private var rest: [UInt8] = []
    private(set) var lines: [String] = []
    private(set) var isGone = false

    init(_ words: [String], of program: String, on loop: RunLoop) throws {
        self.loop = loop
        let (input, output) = (try ChildProcess.Pipe(), try ChildProcess.Pipe())
        pid = try ChildProcess.spawn([program, "as"] + words, input.read, output.write)
        close(input.read)
        close(output.write)
        leash = input.write
        self.output = output.read
        watch = loop.watch(output.read, for: Int16(POLLIN)) { [weak self] _ in self?.read() }
    }

    deinit { kill() }

    /// Returns the number in the last line with this word.
    func number(_ word: String) -> Int? {
        lines.last { $0.hasPrefix(word + " ") }.flatMap { Int($0.dropFirst(word.count + 1)) }
    }

    /// SIGKILL; when this returns it is gone.
    func kill() {
        guard !isGone else { return }
        Glibc.kill(pid, SIGKILL)
        reap()
    }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(output, &bytes, bytes.count)
        guard count > 0 else { return reap() }
        rest += bytes.prefix(count)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: rest[..<end], as: UTF8.self))
            rest.removeSubrange(...end)
        }
    }

    private func reap() {
        guard !isGone else { return }
        isGone = true
        if let watch { loop.unwatch(watch) }
        close(leash)
        close(output)
        waitpid(pid, nil, 0)
    }
}

extension RunLoop {
    /// Waits until something is so; looks often.
    ///
    /// - Returns: how long that took; `nil`: it did not come in time.
    func wait(atMost limit: Duration, until isSo: () -> Bool) async throws -> Duration? {
        let begin = now
        while !isSo() {
            guard now - begin < limit else { return nil }
            try await sleep(until: now + .milliseconds(2))
        }
        return now - begin
    }
}
