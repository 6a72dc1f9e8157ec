import RunLoop

/// A limit for values that a device sends by itself: at most one per period is stored, and the newest wins.
///
/// A value within the period waits for its end, and a newer one replaces it. If none replaces it, it is stored after nine
/// tenths of the period. So a device that sends once per period loses no values, even if it sends
/// slightly early or late.
struct Throttle<Value> {
    let period: Duration
    private var storedAt: Uptime?
    private var waiting: Value?
    /// Whether a value was replaced since the last one was stored.
    private var isCrowded = false

    init(_ period: Duration) {
        self.period = period
    }

    enum Decision {
        /// Store the value now.
        case store
        /// Store the value when it is due.
        case wait
        /// Store the value when it is due, and drop the one that waited.
        case replace
    }

    /// Takes a value that came at `now`.
    mutating func take(_ value: Value, at now: Uptime) -> Decision {
        if waiting == nil, now >= earliest {
            storedAt = now
            return .store
        }
        isCrowded = waiting != nil
        waiting = value
        return isCrowded ? .replace : .wait
    }

    /// When to store the value that waits.
    var due: Uptime { waiting == nil ? .never : earliest }

    /// Removes and returns the value that waits, to store it at `now`.
    mutating func release(at now: Uptime) -> Value? {
        guard let value = waiting else { return nil }
        waiting = nil
        isCrowded = false
        storedAt = now
        return value
    }

    /// Whether no value waits, and the next value would be stored at once.
    func isIdle(at now: Uptime) -> Bool { waiting == nil && now >= earliest }

    private var earliest: Uptime {
        guard let storedAt else { return .start }
        return storedAt + (isCrowded ? period : period * 9 / 10)
    }
}
