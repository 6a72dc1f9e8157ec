import Logging
import RunLoop
import Synchronization

/// Runs your work at once, and then at an interval, for as long as your program runs.
///
/// ```swift
/// KeepAlive.shared.onKeepAliveCallback = { tick in
///     await readMySensors(within: tick.remaining) ? .newData : .failed
/// }
/// KeepAlive.shared.start()
/// ```
///
/// It has a thread of its own, which wakes once per tick. Ticks don't drift: each one comes at a whole number of intervals
/// after the first. A tick that is more than half an interval late doesn't come, and the next ``Tick/skipped`` counts it.
/// blekeep cancels work that exceeds ``Tick/budget``.
///
/// On battery, ticks slow down by ``PowerIntervals``. After the machine's sleep, one tick comes at once; `wakesMachine` of
/// ``start(interval:powerIntervals:isAdaptive:wakesMachine:)`` wakes the machine for it.
public final class KeepAlive: Sendable {
    /// A keep-alive for the whole program. Create your own for a second interval.
    public static let shared = KeepAlive()

    /// The work of a tick. It runs on the keep-alive's own thread, unless it is isolated to an actor.
    public typealias Callback = @Sendable (Tick) async -> TickOutcome

    /// The results of ticks since `start`.
    public struct Statistics: Sendable, Hashable {
        /// The number of ticks with new data.
        public internal(set) var newData = 0
        /// The number of ticks without new data.
        public internal(set) var noData = 0
        /// The number of failed ticks.
        public internal(set) var failed = 0
        /// The ticks that didn't come, by cause.
        public internal(set) var missed = Missed()

        /// The ticks that didn't come, by cause. A power mode without ticks misses none.
        public struct Missed: Sendable, Hashable {
            /// The number of those that came due while the work of an earlier tick went on, or while the machine was busy.
            public internal(set) var late = 0
            /// The number of those that came due while the machine slept.
            public internal(set) var asleep = 0

            /// The number of all of them.
            public var total: Int { late + asleep }
        }

        /// The number of finished ticks.
        public var ticks: Int { newData + noData + failed }

        mutating func count(_ outcome: TickOutcome) {
            switch outcome {
            case .newData: newData += 1
            case .noData: noData += 1
            case .failed: failed += 1
            }
        }
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

    /// Creates the `Machine` at its first use, on the thread or by its owner.
    private final class Home: Sendable {
        private let made = Mutex<Machine?>(nil)
        private let requests: TickRequests
        private let wakesMachine: Bool

        init(_ requests: TickRequests, wakesMachine: Bool) {
            self.requests = requests
            self.wakesMachine = wakesMachine
        }

        func machine(on loop: RunLoop) -> Machine {
            made.withLock { made in
                let machine =
                    made
                    ?? Machine(
                        on: loop, onChange: requests.change, onResume: requests.resume,
                        wake: wakesMachine ? WakeAlarm.setter(Logger(label: "blekeep")) : nil)
                made = machine
                return machine
            }
        }
    }

    private let state = Mutex(State())

    /// Creates a keep-alive. Call `start` to run it. It ends with its last reference, and a sequence of `ticks` is one.
    public init() {}

    deinit { stop() }

    /// The work to do at each tick. A change takes effect at the next tick.
    public var onKeepAliveCallback: Callback? {
        get { state.withLock { $0.callback } }
        set { state.withLock { $0.callback = newValue } }
    }

    /// The results of ticks since the last `start`.
    public var statistics: Statistics { state.withLock { $0.statistics } }

    /// Whether ticks come: `start` was called, and `stop` wasn't.
    public var isRunning: Bool { state.withLock { $0.stopping != nil } }

    /// Whether a user is watching. An adaptive interval then doesn't stretch. Power modes still apply.
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

    /// Starts the ticks, the first one at once. Does nothing while they run; call `stop` first to change the interval.
    ///
    /// ```swift
    /// KeepAlive.shared.start(interval: .seconds(30), powerIntervals: PowerIntervals(low: .every(.seconds(300))))
    /// ```
    ///
    /// - Parameters:
    ///   - interval: the time between ticks; at least a millisecond.
    ///   - powerIntervals: how ticks slow down on battery.
    ///   - isAdaptive: whether the interval stretches up to four times while ticks return `noData`. A tick that returns
    ///     `newData` brings it back.
    ///   - wakesMachine: whether a sleeping machine wakes up for the next tick: 15 minutes after it fell asleep at the
    ///     earliest, and not on a low battery. Without the means for that, which ``wakeObstacle`` names, ticks wait until
    ///     something else wakes the machine.
    /// - Returns: `false` when the system has no thread or file descriptor left.
    @discardableResult
    public func start(
        interval: Duration = .seconds(30), powerIntervals: PowerIntervals = PowerIntervals(), isAdaptive: Bool = false,
        wakesMachine: Bool = false
    ) -> Bool {
        state.withLock { state in
            guard state.stopping == nil else { return true }
            let (requests, stopping) = (TickRequests(), TickRequests())
            let interval = max(.milliseconds(1), interval)
            let work: Callback = { [weak self] in await self?.work($0) ?? .noData }
            let report: @Sendable (TickOutcome, Statistics.Missed) -> Void = { [weak self] in
                self?.count($0, missed: $1)
            }
            // Made here: a closure that made it on the thread would hold the keep-alive.
            let isWatched: @Sendable () -> Bool = { [weak self] in self?.isForeground == true }
            let home = Home(requests, wakesMachine: wakesMachine)
            let plan = TickTimer.Plan(
                intervals: [interval], powerIntervals: powerIntervals,
                adaptive: isAdaptive ? .zero ... .seconds(86_400) : nil)
            let thread = try? LoopThread { loop in
                let machine = home.machine(on: loop)
                let ticking = KeepAliveLoop(
                    clock: loop.clock, plan: plan, mode: { machine.mode },
                    isWatched: isWatched, requests: requests,
                    power: { machine.supply }, noticeSleep: { machine.noticeSleep() },
                    willWait: { machine.nextTick = $0 }, work: work, report: report)
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

    /// Stops the ticks: cancels work in progress, and ends the sequences of `ticks`. You may call `start` again.
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

    /// The reason why this program can't wake a sleeping machine, such as a missing capability; `nil` when it can. It needs
    /// `CAP_WAKE_ALARM`, and a clock that runs while the machine sleeps.
    public static var wakeObstacle: String? { WakeAlarm.obstacle() }

    /// Requests a tick now. The other ticks come at their usual times, except for one that is due within a quarter of the
    /// interval, and within 30 s: it comes along.
    public func requestTick() { state.withLock { $0.requests }?.request() }

    /// The ticks from now on, as a sequence that ends with `stop`. A slow loop gets only the newest tick.
    ///
    /// ```swift
    /// for await tick in KeepAlive.shared.ticks {
    ///     KeepAlive.shared.report(await readMySensors(within: tick.remaining) ? .newData : .failed)
    /// }
    /// ```
    ///
    /// A tick without a callback and without a `report` counts as `noData`.
    public var ticks: AsyncStream<Tick> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let key = state.withLock { state in
                state.follower += 1
                state.followers[state.follower] = continuation
                return state.follower
            }
            continuation.onTermination = { [self] _ in
                _ = state.withLock { $0.followers.removeValue(forKey: key) }
            }
        }
    }

    /// Reports the result of a tick from `ticks`. It replaces a `noData` in the statistics.
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

    private func count(_ outcome: TickOutcome, missed: Statistics.Missed) {
        state.withLock { state in
            state.statistics.missed.late += missed.late
            state.statistics.missed.asleep += missed.asleep
            state.statistics.count(outcome)
        }
    }
}
