import BlekeepRecords

/// The readings of a query, page by page, and then those that are stored later, whatever their times are.
///
/// A poller may restart, and an upkeep may delete readings: the sequence numbers go on. Another file may take the place of
/// the history. If it is an older copy, its readings aren't returned again.
package struct HistoryTail: Sendable {
    private var query: HistoryQuery
    private var reader: KeptReader
    /// The number of the last reading that was looked at.
    private var position: Int64 = 0
    /// Returned readings, the last of a page each, by which the tail recognizes the history.
    private var marks: [StoredReading] = []

    package static let pageSize = 256
    private static let maxMarks = 64

    package var path: String { reader.path }

    package init(_ query: HistoryQuery, path: String) {
        self.query = query
        reader = KeptReader(path: path)
    }

    /// Returns the next readings; none when all that the history has were returned.
    /// Throws `HistoryError`. The next call tries again.
    package mutating func next() throws -> [StoredReading] {
        let (query, position, marks) = (query, position, marks)
        let (page, start, newest) = try reader.read { reader in
            let newest = try reader.lastSequence()
            let start = try Self.start(in: reader, newest: newest, position: position, marks: marks)
            return (try reader.page(query, after: start, limit: Self.pageSize), start, newest)
        }
        if start < position { self.marks.removeAll { $0.sequence > start } }
        // Without a full page, no reading up to the newest one is selected.
        self.position = page.count == Self.pageSize ? start : max(start, newest)
        if page.count < Self.pageSize { self.query.since = nil }
        guard let last = page.last else { return page }
        self.position = max(self.position, last.sequence)
        self.marks.append(last)
        // Half of them are as good.
        if self.marks.count > Self.maxMarks {
            self.marks = self.marks.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        }
        return page
    }

    /// Returns the number after which the next readings come: 0 in another history, the last number of an older copy.
    private static func start(
        in reader: HistoryReader, newest: Int64, position: Int64, marks: [StoredReading]
    ) throws -> Int64 {
        guard let mark = marks.last(where: { $0.sequence <= newest }) else { return newest < position ? 0 : position }
        guard let stored = try reader.page(HistoryQuery(), after: mark.sequence - 1, limit: 1).first,
            stored.sequence == mark.sequence
        else {
            // An upkeep may have removed it.
            return newest < position ? 0 : position
        }
        return isSame(stored.reading, as: mark.reading) ? min(position, newest) : 0
    }

    /// Whether a reading is the one that was returned. Its time may have been corrected since, and its device renamed.
    private static func isSame(_ stored: Reading, as returned: Reading) -> Bool {
        var stored = stored
        if !returned.isClockSet { (stored.time, stored.isClockSet) = (returned.time, false) }
        (stored.device, stored.name) = (returned.device, returned.name)
        return stored == returned
    }
}
