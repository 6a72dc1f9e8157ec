import RunLoop

/// A limit for values that come by themselves: at most one in each period is stored, and the newest wins.
///
/// A value that comes within the period waits for its end, and a newer one replaces it. So a signal that is as slow as
/// the period loses nothing when its values come early or late, as long as the earliest and the latest differ by less
/// than the period. A value that waits alone is stored after nine tenths of the period: so a signal that is a
/// little quicker than it should be loses nothing either, and one that was delayed catches up. The whole period passes
/// only when a value was replaced.
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
        /// The value is to be stored now.
        case store
        /// The value is to be stored when it is due.
        case wait
        /// The same, and the value that waited until now is dropped.
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

    /// When the value that waits is to be stored.
    var due: Uptime { waiting == nil ? .never : earliest }

    /// Returns the value that waits, which is to be stored at `now`.
    mutating func release(at now: Uptime) -> Value? {
        guard let value = waiting else { return nil }
        waiting = nil
        isCrowded = false
        storedAt = now
        return value
    }

    /// Whether it is as good as new: nothing waits, and the next value would be stored at once.
    func isIdle(at now: Uptime) -> Bool { waiting == nil && now >= earliest }

    private var earliest: Uptime {
        guard let storedAt else { return .start }
        return storedAt + (isCrowded ? period : period * 9 / 10)
    }
}
