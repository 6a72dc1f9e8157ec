import BlekeepRecords
internal import GRDB
import Synchronization

/// The history for publishers. They read with another connection than the writer's, so that no read delays a commit.
extension History: ReadingLog {
    private func read<Result: Sendable>(_ body: (HistoryReader) throws -> Result) throws -> Result {
        try log.withLock { try $0.read(body) }
    }

    package func readings(after sequence: Int64, limit: Int) throws -> [StoredReading] {
        try read { reader in
            var page: [StoredReading] = []
            try reader.readings(after: sequence, limit: limit) { page.append($0) }
            return page
        }
    }

    package func bounds() throws -> (oldest: Int64, newest: Int64) {
        try read { reader in
            try reader.database { database in
                let newest = try History.lastSequence(in: database) ?? 0
                let oldest = try Int64.fetchOne(database, sql: "SELECT min(seq) FROM measurements") ?? newest + 1
                return (oldest, newest)
            }
        }
    }

    package func logged(after number: Int64, limit: Int) throws -> [StoredReading] {
        try read { try $0.logged(after: number - StoredReading.loggedBase, limit: limit) }
    }

    package func lastLogged() throws -> Int64 {
        try read { reader in
            try reader.database { database in
                StoredReading.loggedBase + (try Int64.stored(database, sql: "SELECT max(number) FROM logged") ?? 0)
            }
        }
    }

    /// Returns the newest reading of each series, as `HistoryReader.latest` does, with the connection that stays open.
    /// Throws `HistoryError`.
    package func latest() throws -> [StoredReading] { try read { try $0.latest() } }

    package func lastSinks() throws -> [SinkStatus] {
        try read { try $0.database { try LedgerRows.sinks(ofLastRun: false, in: $0) } }
    }
}

extension History: HistoryIdentity {
    package func parts() throws -> [HistoryPart] {
        try read { reader in
            try reader.database { database in
                let rows = try Row.fetchAll(database, sql: "SELECT first, id FROM parts ORDER BY first")
                let parts = rows.compactMap { row -> HistoryPart? in
                    guard let first = Int64.stored(row[0]), let id = String.fromDatabaseValue(row[1]),
                        id.utf8.count == 32, id.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "f") ~= $0 })
                    else { return nil }
                    return HistoryPart(first: first, id: id)
                }
                guard !parts.isEmpty else { throw HistoryError.damaged(path: self.path) }
                return parts
            }
        }
    }

    package func begin(at number: Int64) throws { try change { try HistoryPart.begin(at: number, in: $0) } }

    package func owned() throws -> [DeviceID] {
        try read { reader in
            try reader.database { database in
                try String.fetchAll(database, sql: "SELECT device FROM owned ORDER BY device").compactMap {
                    DeviceID($0)
                }
            }
        }
    }

    package func keep(owned devices: [DeviceID]) throws {
        try change { database in
            try database.execute(sql: "DELETE FROM owned")
            for device in devices {
                try database.execute(sql: "INSERT OR IGNORE INTO owned VALUES (?)", arguments: [device.description])
            }
        }
    }

    package func server() throws -> DatabaseServer? {
        try read { reader in
            try reader.database { database in
                try Row.fetchOne(database, sql: "SELECT system, timeline FROM server").flatMap { row in
                    guard let system = String.fromDatabaseValue(row[0]),
                        let timeline = Int64.stored(row[1])
                    else { return nil }
                    return DatabaseServer(system: system, timeline: timeline)
                }
            }
        }
    }

    package func keep(_ server: DatabaseServer) throws {
        try change { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO server VALUES (1, ?, ?)", arguments: [server.system, server.timeline])
        }
    }

    /// Changes the database, unless the disk is at work.
    private func change(_ body: @Sendable (Database) throws -> Void) throws {
        let isDone: Void? = try writer.withLockIfAvailable { writer in
            do { try writer.database().write(body) } catch { throw HistoryError(error, path: path) }
        }
        guard isDone != nil else { throw HistoryError.failed(path: path, reason: "the disk is at work; trying again") }
    }
}

extension HistoryPart {
    /// Begins a part at a number. One that begins later begins there.
    static func begin(at number: Int64, in database: Database) throws {
        let later = try String.fetchOne(
            database, sql: "SELECT id FROM parts WHERE first > ? ORDER BY first", arguments: [number])
        try database.execute(sql: "DELETE FROM parts WHERE first >= ?", arguments: [number])
        if let later {
            try database.execute(sql: "INSERT INTO parts VALUES (?, ?)", arguments: [number, later])
        } else {
            try database.execute(sql: "INSERT INTO parts VALUES (?, \(HistorySchema.newPart))", arguments: [number])
        }
    }
}
