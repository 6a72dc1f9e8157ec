import BlekeepRecords

extension HistoryQuery {
    /// Takes times as users write them; see `TimeText`.
    ///
    /// - Parameters:
    ///   - until: selects readings up to the last millisecond before this time.
    ///   - offset: the seconds that the local clock is ahead of UTC at a time.
    /// - Throws: an error also when it would end before it begins.
    package mutating func select(
        since: String?, until: String?, now: Int64, offset: (Int64) -> Int = LocalTime.offset
    ) throws(HistoryQueryError) {
        if let since { self.since = try TimeText.parse(since, now: now, offset: offset) }
        if let until { self.until = try TimeText.parse(until, now: now, offset: offset) - 1 }
        if let since = self.since, let until = self.until, until < since {
            throw HistoryQueryError(.reversed, "the end (until) must be after the beginning (since)")
        }
    }
}

/// A mistake in a query, as a sentence.
package struct HistoryQueryError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: Sendable {
        case notATime, reversed, unknownDevice, ambiguousDevice
    }

    package let code: Code
    package let message: String
    package var description: String { message }

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }
}
