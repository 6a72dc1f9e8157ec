import RunLoop

/// The consecutive failures of a sink, and the time of the next attempt. Pure.
///
/// A success that doesn't last counts as a part of the failure: otherwise, a sink that fails again at once would be tried
/// once a second for ever.
package struct SinkTrouble: Sendable {
    private var failures = 0
    /// When the sink first worked since its last failure; `nil` while it fails.
    private var workingSince: Uptime?
    /// Whether the sink failed again soon after it worked.
    private var isRelapse = false
    /// The last failure.
    private(set) var error: (any Error)?
    /// The last failure as text.
    private(set) var text: String?
    /// The time of the next attempt, after a pause that grows to a minute.
    package private(set) var nextTry = Uptime.start
    private var random: SplitMix64?

    /// - Parameter gateway: spreads the attempts of many gateways, which lose their server at one moment; `nil` for pauses of
    ///   whole lengths.
    package init(of gateway: String? = nil) { random = gateway.map { SplitMix64(seed: $0) } }

    var isThere: Bool { text != nil }
    /// Whether the last attempt failed.
    var isFailing: Bool { isThere && workingSince == nil }

    /// When a relapse is over, if the sink works until then; `nil` without one.
    var end: Uptime? { isThere ? workingSince.map { $0 + OutputRetryPause.proof } : nil }

    /// Takes a failure. Returns whether it differs from the last one.
    package mutating func record(_ error: any Error, at now: Uptime) -> Bool {
        if let workingSince {
            if now - workingSince >= OutputRetryPause.proof { failures = 0 }
            isRelapse = failures > 0
        }
        workingSince = nil
        let new = "\(error)"
        let isNew = text != new
        (text, self.error) = (new, error)
        nextTry = now + max(pause(), (error as? any DelayedRetry)?.pause ?? .zero)
        failures += 1
        return isNew
    }

    /// Of a gateway, the second half of the pause is random.
    private mutating func pause() -> Duration {
        let length = OutputRetryPause.length(after: failures)
        guard var numbers = random else { return length }
        defer { random = numbers }
        return length * Double.random(in: 0.5...1, using: &numbers)
    }

    /// Takes a success. The first one ends the trouble, and after a relapse one that lasts.
    /// Returns whether the trouble is over.
    mutating func succeed(at now: Uptime) -> Bool {
        let since = workingSince ?? now
        workingSince = since
        if now - since >= OutputRetryPause.proof { (failures, isRelapse) = (0, false) }
        guard isThere, !isRelapse else { return false }
        (text, error) = (nil, nil)
        return true
    }
}

/// A failure whose server may name the time of the next attempt.
package protocol DelayedRetry: Error {
    /// The shortest pause before the next attempt; `nil` when the server named none.
    var pause: Duration? { get }
}

/// The pause between two attempts to write to the history or to a sink, or to reach a sink's server.
package enum OutputRetryPause {
    package static let max: Duration = .seconds(60)
    /// How long something must work until its failures are forgotten: longer than the longest pause of another client that
    /// takes over the connection.
    package static let proof = max * 2

    /// Returns 1, 2, 4 … 60 s.
    ///
    /// - Parameter failures: the number of consecutive failed attempts before the last one.
    package static func length(after failures: Int) -> Duration {
        Swift.min(max, .seconds(1 << Swift.min(failures, 6)))
    }
}

/// The status of a sink: a line of `blekeep status`.
package struct SinkStatus: Sendable, Hashable {
    package var name: String
    /// The number of the last reading that the sink has; `nil` for a sink that gets only new readings.
    package var position: Int64?
    /// The numbers above `position` that the sink has, too; `nil` for a sink that gets the readings in order.
    package var confirmed: [ClosedRange<Int64>]?
    /// The number of the last value of devices' own memories that the sink has; `nil` for a sink that gets none.
    package var logged: Int64?
    /// The number of readings that wait for the sink.
    package var backlog: Int64 = 0
    /// The number of readings that were dropped, because too many waited.
    package var dropped: Int64 = 0
    /// The last failure; `nil` after a success.
    package var failure: String?
    /// The time of the next attempt, in milliseconds since 1970.
    package var nextTry: Int64?

    package init(name: String) { self.name = name }

    /// Whether nothing changed that matters to users.
    func isLike(_ other: SinkStatus) -> Bool {
        // A file knows itself what it has; what a server has is known here alone.
        let isSamePlace = confirmed == nil ? (position == nil) == (other.position == nil) : position == other.position
        return name == other.name && failure == other.failure && logged == other.logged && isSamePlace
    }
}
