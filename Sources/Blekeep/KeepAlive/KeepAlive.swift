import RunLoop
import Synchronization

/// Calls back at once and then every 30 s, or whatever interval, for as long as the program runs.
///
/// ```swift
/// KeepAlive.shared.onKeepAliveCallback = { tick in
///     await readMySensors(within: tick.remaining) ? .newData : .failed
/// }
/// KeepAlive.shared.start()
/// ```
/// It has a thread and a run loop of its own: one wake-up a tick, no drift, nothing else, in any program. A tick
/// whose moment has passed is skipped and counted, never made up for; work that outlives the tick's budget is
/// cancelled. On the battery ticks slow down, as `PowerIntervals` says; a sleep of the machine is followed by one tick.
public final class KeepAlive: Sendable {
    /// One for the whole program, for those who need no more.
    public static let shared = KeepAlive()

    /// A tick's work. Runs on the keep-alive's own thread unless it is isolated elsewhere.
    public typealias Callback = @Sendable (Tick) async -> TickOutcome

    /// What has happened since `start`.
    public struct Statistics: Sendable, Hashable {
        public var newData = 0
        public var noData = 0
        public var failed = 0
        /// Moments that passed unused because work or the machine was late.
        public var skipped = 0

        /// Ticks whose work is done.
        public var ticks: Int { newData + noData + failed }
    }

    private struct State {
        var callback: Callback?
        var followers: [Int: AsyncStream<Tick>.Continuation] = [:]
        var follower = 0
        var requests: TickRequests?
        var stopping: TickRequests?
        var statistics = Statistics()
        var machine: Machine?
        var isForeground = false
    }

    /// Where the thread and its owner find the same machine, whoever comes first.
    private final class Home: Sendable {
        private let made = Mutex<Machine?>(nil)
        private let requests: TickRequests

        init(_ requests: TickRequests) {
            self.requests = requests
        }

        func machine(on loop: RunLoop) -> Machine {
            made.withLock { made in
                let machine = made ?? Machine(on: loop, onChange: requests.change, onResume: requests.resume)
                made = machine
                return machine
            }
        }
    }

    private let state = Mutex(State())

    public init() {}

    /// What to do at each tick. A change counts from the next tick on.
    public var onKeepAliveCallback: Callback? {
        get { state.withLock { $0.callback } }
        set { state.withLock { $0.callback = newValue } }
    }

    public var statistics: Statistics { state.withLock { $0.statistics } }

    public var isRunning: Bool { state.withLock { $0.stopping != nil } }

    /// Whether a person is looking: then an adaptive interval does not stretch. What a power mode asks for holds.
    public var isForeground: Bool {
        get { state.withLock { $0.isForeground } }
        set {
            let requests = state.withLock { state in
                state.isForeground = newValue
                return state.requests
            }
            requests?.change()
        }
    }

    /// Begins to tick, the first time at once. Does nothing while it runs; call `stop` first for another interval.
    ///
    /// - Parameters:
    ///   - interval: from tick to tick; at least a millisecond.
    ///   - rhythm: what the machine's power makes of it.
    ///   - isAdaptive: whether it stretches to four times while ticks bring `noData`, until one brings `newData`.
    /// - Returns: whether it runs; `false` when the system has no thread or descriptor left.
    @discardableResult
    public func start(
        interval: Duration = .seconds(30), powerIntervals: PowerIntervals = PowerIntervals(), isAdaptive: Bool = false
    ) -> Bool {
        state.withLock { state in
            guard state.stopping == nil else { return true }
            let (requests, stopping) = (TickRequests(), TickRequests())
            let interval = max(.milliseconds(1), interval)
            let work: Callback = { [weak self] in await self?.work($0) ?? .noData }
            let report: @Sendable (TickOutcome, Int) -> Void = { [weak self] in self?.count($0, skipped: $1) }
            let home = Home(requests)
            let thread = try? LoopThread { loop in
                let machine = home.machine(on: loop)
                let ticking = KeepAliveLoop(
                    clock: loop.clock, base: interval,
                    pace: { [weak self] in
                        .init(
                            interval: powerIntervals.interval(of: interval, in: machine.mode),
                            isAdaptive: isAdaptive && self?.isForeground != true)
                    },
                    requests: requests, power: { machine.supply }, noticeSleep: { machine.noticeSleep() }, work: work,
                    report: report)
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await machine.run() }
                    group.addTask { await ticking.run() }
                    await stopping.wait()
                    group.cancelAll()
                }
            }
            guard let thread else { return false }
            state.machine = home.machine(on: thread.loop)
            state.statistics = Statistics()
            state.requests = requests
            state.stopping = stopping
            return true
        }
    }

    /// Ends ticking: work under way is cancelled, sequences end. May be started again.
    public func stop() {
        let (stopping, followers) = state.withLock { state in
            defer {
                state.requests = nil
                state.stopping = nil
                state.machine = nil
                state.followers = [:]
            }
            return (state.stopping, state.followers.values)
        }
        stopping?.request()
        for follower in followers { follower.finish() }
    }

    /// Asks for a tick now; the others come when they would have come.
    public func requestTick() { state.withLock { $0.requests }?.request() }

    /// The ticks from now on, as a sequence; it ends with `stop`. Who is slow gets the newest tick only.
    ///
    /// Say with `report` how a tick went; without a callback and without a report it counts as `noData`.
    public var ticks: AsyncStream<Tick> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let key = state.withLock { state in
                state.follower += 1
                state.followers[state.follower] = continuation
                return state.follower
            }
            continuation.onTermination = { [weak self] _ in
                _ = self?.state.withLock { $0.followers.removeValue(forKey: key) }
            }
        }
    }

    /// Says how a tick of the sequence went: what was counted as `noData` counts as this instead.
    public func report(_ outcome: TickOutcome) {
        state.withLock { state in
            guard outcome != .noData, state.statistics.noData > 0 else { return }
            state.statistics.noData -= 1
            state.statistics.count(outcome)
        }
    }

    var machine: Machine? { state.withLock { $0.machine } }

    private func work(_ tick: Tick) async -> TickOutcome {
        let (callback, followers) = state.withLock { ($0.callback, $0.followers.sorted { $0.key < $1.key }) }
        for (_, follower) in followers { follower.yield(tick) }
        return await withBackgroundTask(named: "tick \(tick.number)") { await callback?(tick) ?? .noData }
    }

    private func count(_ outcome: TickOutcome, skipped: Int) {
        state.withLock { state in
            state.statistics.skipped += skipped
            state.statistics.count(outcome)
        }
    }
}
