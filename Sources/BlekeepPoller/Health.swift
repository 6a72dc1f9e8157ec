import RunLoop

/// How a tick ended. A skipped one counts neither as good nor as failed.
enum TickEnd: Sendable, Hashable {
    case good, failed
    case skipped(ReadingFailure)
}

/// Decides the condition of a device from the results of its attempts and ticks.
struct Health: Sendable, Hashable {
    private(set) var condition = DeviceCondition.new
    /// The last failure, even without an attempt; `nil` after a success.
    private(set) var lastFailure: ReadingFailure?
    /// The failure of the last tick or of a part of it; `nil` when everything was read.
    private(set) var lastTickFailure: ReadingFailure?
    private(set) var goodTicks = 0
    private(set) var failedTicks = 0
    /// The number of good ticks in which a value failed.
    private(set) var partialTicks = 0
    private var tick = Tick()
    /// When the pause after the last failed attempt ends.
    private var pauseEnd: Uptime?
    /// Consecutive failures by kind. A success resets all counts.
    private var consecutiveFailures: [FailureKind: Int] = [:]

    /// The kinds of failures with their own counts.
    enum FailureKind: Sendable {
        /// Another program ended the attempt.
        case cancelled
        /// The remedy was to wait.
        case waited
        /// The connection didn't end in time.
        case endless
        /// The adapter refused another connection.
        case refused
    }

    private struct Tick: Sendable, Hashable {
        var failure: ReadingFailure?
        /// Whether a failed attempt was reported, so that the tick's failure needn't be.
        var isReported = false
    }

    // MARK: Attempts

    mutating func record(_ attempt: Attempt, at now: Uptime) {
        guard let failure = attempt.failure, !attempt.isGood else { return succeed(attempt.failure) }
        tick.isReported = true
        pauseEnd = attempt.pause.map { now + $0 }
        condition = condition.failing(attempt, failure: failure)
    }

    /// Remembers a failure for the end of the tick. It doesn't change the condition.
    mutating func remember(_ failure: ReadingFailure) { lastFailure = failure }

    private mutating func succeed(_ failure: ReadingFailure?) {
        lastFailure = nil
        tick.isReported = false
        pauseEnd = nil
        consecutiveFailures = [:]
        condition = condition.succeeding(failure)
    }

    /// Counts a failure of this kind, and returns the number of consecutive ones.
    mutating func count(_ kind: FailureKind) -> Int {
        consecutiveFailures[kind, default: 0] += 1
        return consecutiveFailures[kind, default: 0]
    }

    mutating func reset(_ kind: FailureKind) { consecutiveFailures[kind] = nil }

    // MARK: Ticks

    mutating func beginTick() { tick.failure = nil }

    /// Takes the failure of a value in the current tick. A failure that needs the user has priority.
    mutating func missed(_ failure: ReadingFailure?) {
        if tick.failure?.code.known?.needsUserAction != true { tick.failure = failure ?? tick.failure }
    }

    /// Takes a tick without values.
    /// Returns the attempt to report; `nil` when an attempt was reported already, or the device isn't at fault.
    mutating func giveUpTick(in phase: Attempt.Phase = .read, _ failure: ReadingFailure, at now: Uptime) -> Attempt? {
        lastFailure = failure
        if failure.code.known?.isNotDeviceFault == true { return nil }
        defer { tick.isReported = false }
        if tick.isReported || pauseEnd.map({ $0 >= now }) ?? false { return nil }
        let attempt =
            condition.repeated(failure)
            ?? Attempt(phase: phase, failure: failure, remedy: phase == .search ? .rediscover : .retry)
        record(attempt, at: now)
        return attempt
    }

    mutating func endTick(_ end: TickEnd) {
        switch end {
        case .good:
            goodTicks += 1
            if tick.failure != nil { partialTicks += 1 }
            lastTickFailure = tick.failure
        case .failed:
            failedTicks += 1
            lastTickFailure = tick.failure ?? lastFailure
        case .skipped(let cause): lastTickFailure = cause
        }
    }

    /// Takes a tick in which nothing was due, or nothing came, without a fault of the device.
    /// Returns the attempt to report; `nil` when the condition says the cause already, or a failure.
    mutating func skipTick(because cause: ReadingFailure) -> Attempt? {
        let skipping = condition.skipping(because: cause)
        guard skipping != condition else { return nil }
        condition = skipping
        return Attempt(phase: .read, failure: cause)
    }

    // MARK: Runs

    /// Continues from the condition of an earlier run.
    mutating func resume(_ earlier: DeviceCondition) { condition = condition.resuming(earlier) }
}
