import BlekeepHistory
import Glibc
import RunLoop

/// Waits for changes of the history, and for SIGHUP.
final class NoticeWatch: @unchecked Sendable {
    private let loop: RunLoop
    private let gate: Gate
    private let pauses: ClosedRange<Duration>
    private var signals: Watch?
    private var follower: HistoryFollower?
    private var hasNews = false
    private var isReloadDue = false
    private var isEnded = false

    /// - Parameters:
    ///   - path: the path of the history, which needn't exist yet.
    ///   - pauses: the shortest time between two looks at the history, and the longest one. Some facts are news after a
    ///     minute without a change of the history.
    init(
        _ path: String, on loop: RunLoop, pauses: ClosedRange<Duration> = .seconds(10)...(.seconds(30))
    ) throws(RunLoopError) {
        self.loop = loop
        self.pauses = pauses
        gate = Gate(loop)
        signals = try loop.onSignals([SIGHUP]) { [unowned self] _ in
            isReloadDue = true
            gate.open()
        }
        follower = HistoryFollower(path: path, on: loop) { [unowned self] in
            hasNews = true
            gate.open()
        }
        follower?.start()
    }

    /// Ends a wait, and those that come.
    func end() {
        isEnded = true
        gate.open()
    }

    /// Waits until the next look is due.
    ///
    /// - Parameter last: the time of the last look.
    /// - Returns: whether a user wants the configuration to be read again.
    func wait(after last: Uptime) async -> Bool {
        while !isEnded, !isReloadDue {
            let due = last + (hasNews ? pauses.lowerBound : pauses.upperBound)
            if loop.now >= due { break }
            await gate.wait(until: due)
        }
        defer { (hasNews, isReloadDue) = (false, false) }
        return isReloadDue
    }

    func close() {
        if let signals { loop.unwatch(signals) }
        follower?.stop()
    }
}
