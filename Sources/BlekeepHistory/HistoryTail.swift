import Blekeep

/// The readings of a query, page by page, and then those that are stored later.
///
/// A poller may restart, and an upkeep may delete readings: the sequence numbers go on. Another file may take the place of
/// the history. Its numbers are other ones, so only readings from later times count.
package struct HistoryTail: Sendable {
    private var query: HistoryQuery
    private var reader: KeptReader
    /// The number of the last reading that was looked at.
    private var position: Int64 = 0
    /// The time of the newest reading that was returned.
    private var newestTime: Int64?

    package static let pageSize = 256

    package var path: String { reader.path }

    package init(_ query: HistoryQuery, path: String) {
        self.query = query
        reader = KeptReader(path: path)
    }

    /// Returns the next readings; none when all that the history has were returned.
    ///
    /// - Throws: `HistoryError`. The next call tries again.
    package mutating func next() throws -> [StoredReading] {
        while true {
            let (query, position) = (query, position)
            let (page, newest) = try reader.read { reader in
                let newest = try reader.lastSequence()
                return (try reader.page(query, after: position, limit: Self.pageSize), newest)
            }
            if newest < position {
                self.position = 0
                self.query.since = [query.since, newestTime.map { $0 + 1 }].compactMap(\.self).max()
                continue
            }
            // Without a full page, no reading up to the newest one is selected.
            self.position = page.count == Self.pageSize ? position : newest
            if let last = page.last { self.position = max(self.position, last.sequence) }
            newestTime = ([newestTime] + page.map(\.reading.time)).compactMap(\.self).max()
            return page
        }
    }
}
