import BlekeepHistory
import BlekeepOutputs

extension HistoryQuery {
    /// Takes times as users write them; see `TimeText`.
    ///
    /// - Parameters:
    ///   - until: selects readings up to the last millisecond before this time.
    ///   - now: milliseconds since 1970.
    mutating func select(since: String?, until: String?, now: Int64) throws(Failure) {
        if let since { self.since = try TimeText.parse(since, now: now, offset: LocalTime.offset) }
        if let until { self.until = try TimeText.parse(until, now: now, offset: LocalTime.offset) - 1 }
    }
}
