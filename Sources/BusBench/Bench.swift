import DBus
import Glibc
import RunLoop
import Synchronization

/// A message bus of any kind, and the run loop of all its users, for tests and simulations.
package final class Bench: @unchecked Sendable {
    package enum Kind: Sendable, CaseIterable {
        /// A bus inside the process, in virtual time. A week takes less than a second.
        case virtual
        /// A bus inside the process, in real time.
        case loopback
        /// A private dbus-daemon, which other programs can use, too.
        case daemon
    }

    package let loop: RunLoop
    private let loopback: LoopbackDaemon
    private let daemon: PrivateBus?
    private let kind: Kind
    /// The benches of other machines, which end with this one.
    private var others: [Bench] = []

    /// Limits the number of tests in real time, which would starve each other.
    private static let turnstile = Turnstile(atOnce: 8)

    private init(_ kind: Kind, _ limits: BusLimits, on loop: RunLoop) throws {
        self.kind = kind
        self.loop = loop
        loopback = LoopbackDaemon(on: loop)
        loopback.limits = limits
        daemon = kind == .daemon ? try PrivateBus(limits: limits) : nil
    }

    /// Runs `body` on a thread of its own until it returns. The bus and everything on it end with it.
    ///
    /// The caller's thread stays free, because tests share a few threads, and `body` may wait for another test's. Virtual
    /// time can wait, so its threads leave the processor to those that real time passes for.
    ///
    /// - Parameter limits: the limits of each connection to the bus.
    /// - Throws: the error of `body`; `RunLoopError.stalled` in virtual time when all tasks wait forever.
    package static func run<Success: Sendable>(
        _ kind: Kind, limits: BusLimits = BusLimits(), _ body: @escaping @Sendable (Bench) async throws -> Success
    ) async throws -> Success {
        await turnstile.enter()
        defer { turnstile.leave() }
        let bench = try Bench(kind, limits, on: RunLoop(kind == .virtual ? .virtual : .real))
        defer { for each in [bench] + bench.others { each.daemon?.stop() } }
        // Created here, so that it inherits the task-local values of the caller, such as the current test.
        let task = Task(executorPreference: bench.loop) { try await body(bench) }
        return try await withUnsafeThrowingContinuation { continuation in
            onNewThread {
                if kind == .virtual { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }
                let result = Result { try bench.loop.run { try await task.value } }
                bench.end()
                continuation.resume(with: result)
            }
        }
    }

    /// Starts another bus of the same kind on the same run loop, for another machine. It ends with this one.
    /// Throws `PrivateBusError` when dbus-daemon doesn't start.
    package func another() throws -> Bench {
        let other = try Bench(kind, loopback.limits, on: loop)
        others.append(other)
        return other
    }

    /// Connects to the bus.
    package func connect() async throws(BusError) -> any Bus {
        guard let daemon else { return try loopback.connect() }
        return try await LibdbusBus.connect(to: daemon.address, on: loop)
    }

    /// Breaks reference cycles, which would keep each world in memory.
    private func end() {
        for each in [self] + others { each.loopback.stop() }
        loop.abandon()
    }

    /// The number of calls and match rules that the bus inside the process refused because of its limits.
    package var refusals: Int { loopback.refusals }

    /// The address of the bus for other programs; `nil` for a bus inside the process.
    package var address: String? { daemon?.address }

    /// Whether signals about new owners of names get lost. Only for a bus inside the process.
    package var losesOwnerChanges: Bool {
        get { loopback.losesOwnerChanges }
        set { loopback.losesOwnerChanges = newValue }
    }

    package func killBus() {
        if let daemon { daemon.kill() } else { loopback.stop() }
    }

    /// Starts the bus daemon again, at the same address.
    package func startBus() throws {
        if let daemon { try daemon.start() } else { loopback.start() }
    }

    /// Stops the bus daemon, which answers nothing until `thawBus`. Only for a private dbus-daemon.
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

/// A limit for concurrent tasks. Others wait in the order in which they came.
final class Turnstile: Sendable {
    private struct State {
        var free: Int
        var waiting: [UnsafeContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(atOnce count: Int) { state = Mutex(State(free: count)) }

    func enter() async {
        await withUnsafeContinuation { continuation in
            let mayEnter = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if mayEnter { continuation.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}

/// Ends a sequence when nothing holds the mark any more.
package final class LifeMark: Sendable {
    private let end: AsyncStream<Void>.Continuation

    package init(_ end: AsyncStream<Void>.Continuation) { self.end = end }

    deinit { end.finish() }
}
