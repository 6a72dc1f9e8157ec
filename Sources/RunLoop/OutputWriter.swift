internal import Glibc
import Synchronization

/// Writes to a descriptor whose reader may stop reading, such as standard output.
///
/// On a run loop it never waits for the reader: what there is no room for stays in a queue. Without one, a write waits
/// until it's done. The descriptor stays the caller's, and its flags stay as they are.
///
/// To be used on the run loop's thread, or while no loop runs.
package final class OutputWriter: @unchecked Sendable {
    private let original: Int32
    private var queue = OutputQueue(limit: nil)
    private var output: OutputDescriptor?
    private var drops = false
    private var loop: RunLoop?
    private var watch: Watch?
    private var room: Gate?
    /// The errno after which nothing more can be written.
    private var failure: Int32?
    /// The terminal is gone, and the program goes on without it.
    private var isHungUp = false
    /// How many lines were dropped so far.
    package private(set) var droppedLines = 0

    /// Called when the reader has stopped reading and the first line is dropped.
    package var onStall: (() -> Void)?
    /// Called when the reader has read everything that waited, with the number of dropped lines.
    package var onResume: ((Int) -> Void)?
    /// Called when the terminal is gone.
    package var onHangup: (() -> Void)?

    /// An output that takes nothing any more; the number is errno, `EPIPE` when its reader is gone.
    package struct Failure: Error, Equatable {
        package let code: Int32
    }

    /// What waits at most before `hasRoom` lets a command go on.
    private static let enough = 65536

    /// A closed pipe raises SIGPIPE, which would end the process: the process ignores it from now on.
    package init(_ descriptor: Int32) {
        original = descriptor
        signal(SIGPIPE, SIG_IGN)
    }

    deinit { output?.end(milliseconds: 0) }

    /// Lets no write wait for the reader from now on.
    ///
    /// - Parameters:
    ///   - limit: the most bytes that wait for the reader; what exceeds them is dropped. `nil` drops nothing.
    ///   - reopens: whether a pipe or a terminal is opened again where that is possible.
    package func attach(to loop: RunLoop, limit: Int?, reopens: Bool = true) {
        guard output == nil else { return }
        self.loop = loop
        drops = limit != nil
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

    /// Lets the next write try again after a failure, such as that of a full disk.
    package func forgetFailure() { failure = nil }

    /// Whether nothing waits for the reader.
    package var isIdle: Bool { queue.isEmpty && failure == nil && !isHungUp }

    /// Whether the reader has stopped reading, so that lines are dropped.
    package var isStalled: Bool { queue.missed != nil }

    /// Writes whole lines.
    package func write(_ lines: [UInt8]) throws(Failure) {
        guard !isHungUp else { return }
        if let failure { throw Failure(code: failure) }
        guard output != nil else { return try writeAndWait(lines) }
        // What exceeds the queue may still fit into the pipe behind it.
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

    /// Waits until little waits for the reader: for commands that print without end.
    ///
    /// - Throws: `Failure` when there is no reader any more; `ECANCELED` when the program is asked to end.
    package func hasRoom() async throws(Failure) {
        while queue.count > Self.enough, !Termination.isRequested { await room?.wait() }
        if let failure { throw Failure(code: failure) }
        if queue.count > Self.enough { throw Failure(code: ECANCELED) }
    }

    /// Lets a command that waits in `hasRoom` look whether the program is to end.
    package func wake() { room?.open() }

    private func push() {
        while let output, !queue.isEmpty {
            let outcome = queue.withWaiting { output.write($0) }
            switch outcome {
            case .wrote(let count):
                queue.remove(first: count)
                continue
            case .full: break
            case .failed(let code): fail(code, output)
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

    private func fail(_ code: Int32, _ output: OutputDescriptor) {
        queue.removeAll()
        // A terminal that was closed; a file's EIO is a broken disk.
        if code == EIO, drops, output.kind != .file {
            isHungUp = true
            onHangup?()
        } else {
            failure = code
        }
    }

    /// Waits until the reader has everything; when the program was asked to end, until its time is up.
    ///
    /// To be called when the loop has ended. What is written afterwards waits for the reader again.
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
        // Whoever was asked to end must not wait for a reader that doesn't read.
        if isLost { isHungUp = true }
        if let failure { throw Failure(code: failure) }
    }

    /// Writes what waits, for a tenth of a second at most: before the process is stopped.
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
