internal import CLinux
internal import Glibc

/// A writer to a descriptor, such as standard output, whose reader may stop reading.
///
/// On a run loop, it never waits for the reader, and queues the rest. Without a loop, a write blocks. The caller keeps the
/// descriptor, and its flags don't change.
///
/// Use it on the run loop's thread, or while no loop runs.
package final class OutputWriter: @unchecked Sendable {
    private let original: Int32
    private var queue = OutputQueue(limit: nil)
    private var output: OutputDescriptor?
    private var loop: RunLoop?
    private var watch: Watch?
    private var room: Gate?
    /// The errno after which it writes no more.
    private var failure: Int32?
    /// Whether the terminal is gone. The program continues without it.
    private var isHungUp = false
    package private(set) var droppedLines = 0

    /// Called when the first line is dropped, because the reader stopped reading.
    package var onStall: (() -> Void)?
    /// Called with the number of dropped lines when the reader has read the queue.
    package var onResume: ((Int) -> Void)?
    /// Called when the terminal is gone.
    package var onHangup: (() -> Void)?

    /// The failure of an output, with its errno: `EPIPE` when the reader is gone.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let code: Int32
        package var description: String { String(cString: strerror(code)) }
    }

    /// The most bytes that may wait when `hasRoom` returns.
    private static let enough = 65536

    /// Creates a writer. From now on, the process ignores SIGPIPE, which a closed pipe raises.
    package init(_ descriptor: Int32) {
        original = descriptor
        signal(SIGPIPE, SIG_IGN)
    }

    deinit { output?.end(milliseconds: 0) }

    /// Stops waiting for the reader.
    ///
    /// - Parameters:
    ///   - limit: the most bytes that wait for the reader. Further lines are dropped. `nil` drops nothing.
    ///   - reopens: whether to open a pipe or a terminal again, if possible.
    package func attach(to loop: RunLoop, limit: Int?, reopens: Bool = true) {
        guard output == nil else { return }
        self.loop = loop
        queue = OutputQueue(limit: limit)
        do throws(RunLoopError) {
            let output = try OutputDescriptor(original, reopens: reopens)
            self.output = output
            guard output.kind != .file else { return }
            room = Gate(loop)
            watch = loop.watch(output.descriptor, for: 0) { [weak self] _ in self?.push() }
        } catch {
            guard case .descriptors(let code) = error else { return }
            failure = code
        }
    }

    /// Allows writing again after a failure, such as a full disk.
    package func forgetFailure() { failure = nil }

    /// Whether no output waits for the reader.
    package var isIdle: Bool { queue.isEmpty && failure == nil && !isHungUp }

    /// Whether the reader has stopped reading, so that lines are dropped.
    package var isStalled: Bool { queue.missed != nil }

    /// Writes whole lines.
    package func write(_ lines: [UInt8]) throws(Failure) {
        guard !isHungUp else { return }
        if let failure { throw Failure(code: failure) }
        guard output != nil else { return try writeAndWait(lines) }
        // Lines beyond the queue may still fit into the pipe.
        var rest = lines[...]
        var hasMoved = true
        while hasMoved, !rest.isEmpty, failure == nil {
            let before = rest.count
            rest = queue.add(rest)
            let waiting = queue.count
            push()
            hasMoved = rest.count < before || queue.count < waiting
        }
        if let failure { throw Failure(code: failure) }
        let wasStalled = isStalled
        if !isHungUp { droppedLines += queue.drop(rest) }
        if !wasStalled, isStalled { onStall?() }
        resumeIfRead()
    }

    /// Waits while much output waits for the reader. For commands that print without end.
    /// Throws `Failure` when the reader is gone, or with `ECANCELED` when the program must end.
    package func hasRoom() async throws(Failure) {
        while queue.count > Self.enough, !Termination.isRequested { await room?.wait() }
        if let failure { throw Failure(code: failure) }
        if queue.count > Self.enough { throw Failure(code: ECANCELED) }
    }

    /// Makes a command that waits in `hasRoom` check whether the program must end.
    package func wake() { room?.open() }

    private func push() {
        while let output, !queue.isEmpty {
            let outcome = queue.withWaiting { output.write($0) }
            switch outcome {
            case .wrote(let count):
                queue.remove(first: count)
                continue
            case .full: break
            case .failed(let code): fail(code, output: output)
            }
            break
        }
        watch?.events = queue.isEmpty ? 0 : Int16(POLLOUT)
        if queue.count <= Self.enough { room?.open() }
        resumeIfRead()
    }

    private func resumeIfRead() {
        if failure == nil, !isHungUp, let missed = queue.resume() { onResume?(missed) }
    }

    private func fail(_ code: Int32, output: OutputDescriptor) {
        queue.removeAll()
        // Only a terminal's EIO means that it was closed. A file's means a broken disk.
        if code == EIO, queue.limit != nil, output.kind != .file {
            isHungUp = true
            onHangup?()
        } else {
            failure = code
        }
    }

    /// Waits until the reader has everything. If the program must end, waits until its time is up.
    ///
    /// Call it after the loop has ended. Later writes wait for the reader.
    package func finish() throws(Failure) {
        guard let output else { return }
        if let watch { loop?.unwatch(watch) }
        while !queue.isEmpty, failure == nil {
            push()
            let time = Termination.millisecondsLeft
            if queue.isEmpty || time == 0 { break }
            output.waitForRoom(milliseconds: time)
        }
        output.end(milliseconds: Termination.millisecondsLeft)
        let isLost = !queue.isEmpty
        (self.output, watch, loop, room) = (nil, nil, nil, nil)
        queue = OutputQueue(limit: nil)
        // A program that must end doesn't wait for a reader that doesn't read.
        if isLost { isHungUp = true }
        if let failure { throw Failure(code: failure) }
    }

    /// Writes waiting output for at most 100 ms, before a signal stops the process.
    package func flushBriefly() {
        push()
        if let output, !queue.isEmpty {
            output.waitForRoom(milliseconds: 100)
            push()
        }
    }

    private func writeAndWait(_ bytes: [UInt8]) throws(Failure) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(original, buffer.baseAddress.map { $0 + done }, buffer.count - done)
            }
            if count > 0 {
                done += count
            } else if count == 0 || errno == EAGAIN {
                var entry = pollfd(fd: original, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
            } else if errno != EINTR {
                throw Failure(code: errno)
            }
        }
    }
}

/// Lines that wait for a reader. With a limit, the queue drops whole lines when the reader stops reading.
///
/// After the first dropped line, the queue drops every line until the reader has read the queue. The reader misses one
/// continuous part of the output.
struct OutputQueue {
    /// The most bytes that wait; `nil` keeps everything.
    let limit: Int?
    private var bytes: [UInt8] = []
    /// The number of bytes at the start of `bytes` that were read.
    private var start = 0
    /// The number of dropped lines since the reader stopped reading; `nil` while it reads.
    private(set) var missed: Int?

    init(limit: Int?) { self.limit = limit }

    var count: Int { bytes.count - start }
    var isEmpty: Bool { count == 0 }

    /// Adds as many lines as there is room for. Each ends with a line feed. Returns the lines without room.
    mutating func add(_ lines: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard missed == nil else { return lines }
        let room = limit.map { $0 - count } ?? lines.count
        guard lines.count > room else {
            bytes += lines
            return []
        }
        let end = lines.prefix(max(0, room)).lastIndex(of: Self.lineFeed).map { $0 + 1 } ?? lines.startIndex
        bytes += lines[..<end]
        return lines[end...]
    }

    /// Drops these lines, and all later ones until the reader has read the queue. Returns the number of lines.
    mutating func drop(_ lines: ArraySlice<UInt8>) -> Int {
        guard !lines.isEmpty else { return 0 }
        let number = lines.count { $0 == Self.lineFeed } + (lines.last == Self.lineFeed ? 0 : 1)
        missed = (missed ?? 0) + number
        return number
    }

    private static let lineFeed = UInt8(ascii: "\n")

    /// Calls `body` with the waiting bytes.
    func withWaiting<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    /// Removes the first bytes, after they were written.
    mutating func remove(first number: Int) {
        start += min(number, count)
        if isEmpty {
            bytes = []
            start = 0
        } else if start > bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
    }

    /// Accepts lines again, if the reader has read the queue after it had stopped.
    /// Returns the number of dropped lines; `nil` if the reader didn't stop, or still doesn't read.
    mutating func resume() -> Int? {
        guard isEmpty, let missed else { return nil }
        self.missed = nil
        return missed
    }

    mutating func removeAll() {
        bytes = []
        start = 0
    }
}
