import BlekeepRecords
internal import GRDB

extension HistoryReader {
    /// The last number that was given to a reading; 0: none was.
    package func lastSequence() throws -> Int64 { try database { try History.lastSequence(in: $0) ?? 0 } }

    /// The number of series, also of those whose readings are there no more.
    package func seriesCount() throws -> Int {
        try database { try Int.fetchOne($0, sql: "SELECT count(*) FROM series") ?? 0 }
    }

    /// Returns the newest reading of each selected series, in the order of sequence numbers, unless it was removed. The
    /// series of a device goes on when another sensor gets its ID.
    package func latest(_ query: HistoryQuery = HistoryQuery()) throws -> [StoredReading] {
        try database { database in
            let condition = query.seriesCondition
            var newest: [Int64: Int64] = [:]
            let rolled = try Roller.rolled(in: database)
            let rows = try Row.fetchCursor(
                database, sql: "SELECT id, last_seq FROM series WHERE \(condition.sql)",
                arguments: StatementArguments(condition.arguments))
            while let row = try rows.next() {
                if let id = Int64.stored(row[0]) { newest[id] = Int64.stored(row[1]) ?? 0 }
            }
            let tail = try Row.fetchCursor(
                database.cachedStatement(
                    sql: "SELECT series, max(seq) FROM measurements WHERE seq > ? GROUP BY series"),
                arguments: [rolled])
            while let row = try tail.next() {
                guard let id = Int64.stored(row[0]), let before = newest[id] else { continue }
                newest[id] = max(before, Int64.stored(row[1]) ?? 0)
            }
            var seen: Set<StoredSeriesKey> = []
            return try readings(newest.values.sorted(), in: database).reversed()
                .filter { seen.insert($0.seriesOfAnySensor).inserted }.reversed()
                .filter { reading in
                    query.since.map { reading.reading.time >= $0 } ?? true
                        && query.until.map { reading.reading.time <= $0 } ?? true
                }
        }
    }

    private func readings(_ numbers: [Int64], in database: Database) throws -> [StoredReading] {
        let unset = try unsetTimes(database)
        let statement = try database.cachedStatement(
            sql: "SELECT seq, \(HistoryRow.columns) FROM measurements WHERE seq = ?")
        return try numbers.compactMap { number in
            try Row.fetchOne(statement, arguments: [number]).map { try reading($0, unset: unset, in: database) }
        }
    }
}

extension StoredReading {
    /// The series without the address.
    fileprivate var seriesOfAnySensor: StoredSeriesKey {
        var key = Series(reading).key
        key.address = BluetoothAddress(bits: 0)
        return key
    }
}
