import DBus
import Glibc
import RunLoop

/// A place to try things on: a message bus of any kind, and the run loop on which everything happens.
package final class Bench: @unchecked Sendable {
    package enum Kind: Sendable, CaseIterable {
        /// A bus inside the process, in virtual time: a week passes in under a second.
        case virtual
        /// A bus inside the process, in real time.
        case loopback
        /// A dbus-daemon of our own; foreign clients can use it, too.
        case daemon
    }

    package let loop: RunLoop
    private let loopback: LoopbackDaemon
    private let daemon: PrivateBus?

    /// Tests start all at once, and those in real time would starve each other.
    private static let turnstile = Turnstile(atOnce: 8)

    private init(_ kind: Kind, _ limits: BusLimits) throws {
        loop = try RunLoop(kind == .virtual ? .virtual : .real)
        loopback = LoopbackDaemon(on: loop)
        loopback.limits = limits
        daemon = kind == .daemon ? try PrivateBus(limits: limits) : nil
    }

    /// Runs `body` on a thread of its own until it returns. The bus and everything on it end with it.
    ///
    /// The caller's thread stays free: tests share a few, and whatever `body` waits for may need one of them.
    /// - Parameter limits: what each connection to the bus may use.
    /// - Throws: what `body` throws; `RunLoopError.stalled` in virtual time when nothing could ever wake it.
    package static func run<Success: Sendable>(
        _ kind: Kind, limits: BusLimits = BusLimits(), _ body: @escaping @Sendable (Bench) async throws -> Success
    ) async throws -> Success {
        await turnstile.enter()
        defer { turnstile.leave() }
        let bench = try Bench(kind, limits)
        defer { bench.daemon?.stop() }
        // Made here, so that it inherits what the caller's task knows: which test it is.
        let task = Task(executorPreference: bench.loop) { try await body(bench) }
        return try await withUnsafeThrowingContinuation { continuation in
            onNewThread {
                let result = Result { try bench.loop.run { try await task.value } }
                bench.end()
                continuation.resume(with: result)
            }
        }
    }

    /// A new connection.
    package func connect() async throws(BusError) -> any Bus {
        guard let daemon else { return try loopback.connect() }
        return try await LibdbusBus.connect(to: daemon.address, on: loop)
    }

    /// Lets go of what holds on to each other, or each world would stay in memory for ever.
    private func end() {
        loopback.stop()
        loop.abandon()
    }

    /// The number of calls and match rules that the bus inside the process refused because of its limits.
    package var refusals: Int { loopback.refusals }

    /// Where foreign clients find the bus; `nil` when there is none that they could reach.
    package var address: String? { daemon?.address }

    /// The bus daemon is killed.
    package func killBus() {
        if let daemon { daemon.kill() } else { loopback.stop() }
    }

    /// It is there again, at the same address.
    package func startBus() throws {
        if let daemon { try daemon.start() } else { loopback.start() }
    }

    /// The bus daemon is stopped, and answers nothing until `thawBus`. Only a daemon of our own can be.
    package func freezeBus() { daemon?.freeze() }

    package func thawBus() { daemon?.thaw() }

    private static func onNewThread(_ action: @escaping @Sendable () -> Void) {
        final class Box {
            let action: @Sendable () -> Void
            init(_ action: @escaping @Sendable () -> Void) { self.action = action }
        }
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Box(action)).toOpaque()
        let code = pthread_create(
            &thread, nil,
            { box in
                if let box { Unmanaged<Box>.fromOpaque(box).takeRetainedValue().action() }
                return nil
            }, box)
        precondition(code == 0, "no thread (errno \(code))")
        pthread_detach(thread)
    }
}
