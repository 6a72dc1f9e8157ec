import RunLoop

/// How a device is, from what became of its attempts and ticks: the one judge of good, trying, lost and needs you.
struct Health: Sendable, Hashable {
    private(set) var verdict = Verdict.new
    /// What went wrong last, also where no attempt was made; `nil` after a success.
    private(set) var lastFailure: ReadingFailure?
    /// Why the last tick, or a part of it, failed; `nil`: everything was read.
    private(set) var lastTickFailure: ReadingFailure?
    private(set) var goodTicks = 0
    private(set) var failedTicks = 0
    /// Good ticks in which something could not be read.
    private(set) var partialTicks = 0
    private var tick = Tick()
    /// When the pause after the last failed attempt ends.
    private var pauseEnd: Uptime?
    /// Consecutive failures by kind. A success resets all counts.
    private var consecutiveFailures: [FailureKind: Int] = [:]

    /// So many consecutive failed attempts are quick tries; with the next the device is lost.
    static let quickTries: Int64 = 3
    /// After a pause of this length nothing quick can be hoped for.
    static let longPause: Duration = .seconds(60)

    /// Failures that are counted apart, as the next step depends on how many there were.
    enum FailureKind: Sendable {
        /// Somebody ended the attempt.
        case cancelled
        /// Nothing helps until something changes.
        case waited
        /// The connection didn't end when it should have.
        case endless
        /// The adapter refused another connection.
        case refused
    }

    /// The tick in progress.
    private struct Tick: Sendable, Hashable {
        /// What could not be read in it.
        var failure: ReadingFailure?
        /// Whether the last attempt failed: then the tick's own failure is no news.
        var isReported = false
    }

    // MARK: Attempts

    /// Takes the end of an attempt.
    mutating func take(_ attempt: Attempt, at now: Uptime) {
        guard let failure = attempt.failure, !attempt.isGood else { return succeed(attempt.failure) }
        tick.isReported = true
        pauseEnd = attempt.pause.map { now + $0 }
        verdict = verdict.failing(attempt, failure)
    }

    /// Remembers what a tick that ends now would have failed for. It has no part in the verdict.
    mutating func remember(_ failure: ReadingFailure) { lastFailure = failure }

    private mutating func succeed(_ failure: ReadingFailure?) {
        lastFailure = nil
        tick.isReported = false
        pauseEnd = nil
        consecutiveFailures = [:]
        verdict = verdict.succeeding(failure)
    }

    /// Counts one more failure of this kind.
    ///
    /// - Returns: how many consecutive ones there were.
    mutating func count(_ kind: FailureKind) -> Int {
        consecutiveFailures[kind, default: 0] += 1
        return consecutiveFailures[kind, default: 0]
    }

    mutating func reset(_ kind: FailureKind) { consecutiveFailures[kind] = nil }

    // MARK: Ticks

    mutating func beginTick() { tick.failure = nil }

    /// Takes what could not be read in the current tick; what only the user can help outranks all else.
    mutating func missed(_ failure: ReadingFailure?) {
        if tick.failure?.code != .known(.needsUser) { tick.failure = failure ?? tick.failure }
    }

    /// Takes a tick that ends without a single value.
    ///
    /// - Returns: the attempt that it counts as; `nil`: an attempt has reported it, it came in the pause after one, or no
    ///   device is to blame.
    mutating func giveUpTick(_ failure: ReadingFailure, at now: Uptime) -> Attempt? {
        lastFailure = failure
        if failure.code.known?.excusesDevice == true { return nil }
        defer { tick.isReported = false }
        if tick.isReported || pauseEnd.map({ $0 >= now }) ?? false { return nil }
        let attempt = verdict.repeated(failure) ?? Attempt(phase: .read, failure: failure, remedy: .retry)
        take(attempt, at: now)
        return attempt
    }

    mutating func endTick(good isGood: Bool) {
        if isGood { goodTicks += 1 } else { failedTicks += 1 }
        if isGood, tick.failure != nil { partialTicks += 1 }
        lastTickFailure = tick.failure ?? (isGood ? nil : lastFailure)
    }

    // MARK: Runs

    /// Continues from the verdict of an earlier run. Attempts of this run come after it.
    mutating func resume(_ earlier: Verdict) { verdict = verdict.resuming(earlier) }
}
