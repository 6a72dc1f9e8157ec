import Blekeep
internal import GRDB

/// The history as publishers read it: beside the connection that writes, so that nothing that is read keeps a commit
/// from coming.
extension History: ReadingLog {
    /// The poller's only thread waits for nobody.
    private var reader: HistoryReader {
        get throws { try HistoryReader(path: path, patience: .milliseconds(100)) }
    }

    package func readings(after sequence: Int64, limit: Int) throws -> [StoredReading] {
        var page: [StoredReading] = []
        try reader.readings(after: sequence, limit: limit) { page.append($0) }
        return page
    }

    package func bounds() throws -> (oldest: Int64, newest: Int64) {
        try reader.database { database in
            let newest = try History.givenSequence(in: database) ?? 0
            let oldest = try Int64.fetchOne(database, sql: "SELECT min(seq) FROM measurements") ?? newest + 1
            return (oldest, newest)
        }
    }

    package func lastSinks() throws -> [SinkStanding] {
        try reader.database { try LedgerRows.sinks(ofLastRun: false, in: $0) }
    }
}
