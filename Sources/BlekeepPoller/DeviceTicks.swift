import RunLoop

/// A device's ticks: their timer, the tick in progress, and counters. Pure.
struct DeviceTicks: Sendable {
    var timer: TickTimer
    /// The number of ticks to make; `nil` for no limit.
    private let limit: Int?
    /// The end of a user's pause; `nil` without one.
    private(set) var pausedUntil: Uptime?
    /// Whether another gateway reads the device, or it isn't decided yet which one does.
    private(set) var isStandingBy: Bool
    /// Whether the device has left the configuration.
    private(set) var isOver = false
    private var inProgress: InProgress?
    /// The number of ticks that ended.
    private(set) var finished = 0
    /// The number of ticks that didn't come.
    private(set) var missed = 0

    private struct InProgress: Sendable {
        let tick: DueTick
        /// The number of reconnections during the tick.
        var relinks = 0
        /// Whether its reads began.
        var isPolled = false
    }

    init(_ plan: DevicePlan, at start: Uptime) {
        timer = TickTimer(plan.ticks, from: start)
        limit = plan.count
        isStandingBy = plan.isShared
    }

    var current: DueTick? { inProgress?.tick }
    var isInProgress: Bool { if case .some = inProgress { true } else { false } }

    var isFinished: Bool { limit.map { finished >= $0 } ?? false }

    /// Whether the last tick of a run with an end was taken.
    private var areAllTaken: Bool { limit.map { timer.taken >= $0 } ?? false }

    /// Whether there are no ticks: a user paused the device, another gateway reads it, or it has left the configuration. A
    /// run of a given number of ticks reads a paused device nevertheless.
    var isPaused: Bool { isOver || isStandingBy || pausedUntil != nil && limit == nil }

    var next: Uptime { areAllTaken || isPaused ? .never : timer.next(isBusy: isInProgress) }

    /// From when the next tick comes along with another device's tick.
    var earliest: Uptime { areAllTaken || isPaused ? .never : timer.earliest(isBusy: isInProgress) }

    /// The current time between ticks; `nil` when the device is paused.
    var interval: Duration? { isPaused ? nil : timer.interval }

    // MARK: Pauses

    /// Gives the device no more ticks, because it has left the configuration.
    mutating func close() {
        isOver = true
        timer.cancelRequest()
    }

    mutating func pause(until end: Uptime) {
        pausedUntil = end
        timer.cancelRequest()
    }

    /// Leaves the device to another gateway.
    mutating func standBy() {
        isStandingBy = true
        timer.cancelRequest()
    }

    /// Takes the device over: a single tick is due now.
    mutating func endStandby(at now: Uptime) {
        isStandingBy = false
        timer.skip(at: now)
    }

    /// Ends a user's pause: a single tick is due now, instead of those that didn't come.
    mutating func endPause(at now: Uptime) {
        pausedUntil = nil
        timer.skip(at: now)
    }

    // MARK: Ticks

    /// Takes a due tick. Ticks that come due before it begins are skipped and counted.
    ///
    /// - Parameter isCoalescing: whether another device's tick is due. Then a tick that is due soon runs, too.
    mutating func takeDue(at now: Uptime, isCoalescing: Bool = false) -> DueTick? {
        guard !areAllTaken, !isPaused else { return nil }
        return timer.takeDue(at: now, isCoalescing: isCoalescing, isBusy: isInProgress)
    }

    mutating func begin(_ tick: DueTick) {
        inProgress = InProgress(tick: tick)
        missed += tick.skipped
    }

    /// Counts a reconnection during the tick in progress. Returns whether it is allowed.
    mutating func relink() -> Bool {
        inProgress?.relinks += 1
        return inProgress.map { $0.relinks <= Timing.relinksPerTick } ?? true
    }

    /// Takes the beginning of the reads of the tick in progress.
    /// Returns how late they are; `nil` when they begin again, on another connection.
    mutating func polls(at now: Uptime) -> Duration? {
        guard let tick = inProgress?.tick, inProgress?.isPolled == false else { return nil }
        inProgress?.isPolled = true
        return max(.zero, now - tick.deadline)
    }

    mutating func end() {
        inProgress = nil
        finished += 1
    }

    /// Drops the tick in progress, because the machine sleeps.
    mutating func drop() {
        guard isInProgress else { return }
        inProgress = nil
        timer.drop()
    }
}
