import BlekeepRecords
internal import GRDB

/// A notice that `blekeep notices` gave.
package struct GivenNotice: Sendable, Hashable {
    package var time: Int64
    package var event: OpenEnum<NoticeEvent>
    /// `nil` for one about the gateway.
    package var device: DeviceID?
    /// The rule's name; `nil` for other notices.
    package var rule: String?
    package var message: String
    /// Why its command failed; `nil` for a success.
    package var failure: String?

    package init(
        time: Int64, event: OpenEnum<NoticeEvent>, device: DeviceID? = nil, rule: String? = nil, message: String,
        failure: String? = nil
    ) {
        self.time = time
        self.event = event
        self.device = device
        self.rule = rule
        self.message = message
        self.failure = failure
    }
}

/// The log of notices: at most 100 about a device, or about the gateway, and 1000 in all.
///
/// `blekeep notices` writes it beside the poller, which knows nothing of notices, and never waits for it longer than for any
/// other program.
package enum NoticeLog {
    static let maxNotices = 1000
    static let maxNoticesOfOne = 100
    /// The longest text that is kept, in characters.
    static let maxText = 200

    /// Adds notices to an existing history, all or none. Call it on any thread; it blocks.
    /// Throws `HistoryError`, `busy` among others when the poller writes for more than 250 ms.
    package static func append(_ notices: [GivenNotice], path: String) throws(HistoryError) {
        guard !notices.isEmpty else { return }
        do {
            let file = try HistoryFile.resolved(path)
            try HistoryFile.checkKind(file, path: path)
            guard let before = HistoryFile(file) else { throw HistoryError.missing(path: path) }
            let queue = try HistoryDatabase.openBeside(file)
            defer { try? queue.close() }
            try queue.writeWithoutTransaction { database in
                guard try HistorySchema.isMade(database, path: path) else { throw HistoryError.missing(path: path) }
                try database.inTransaction(.immediate) {
                    // If the poller has just put a damaged history away, the log of its changes may be the new history's.
                    guard HistoryFile(file)?.isSame(as: before) == true else { throw HistoryError.busy(path: path) }
                    for notice in notices { try write(notice, in: database) }
                    return .commit
                }
            }
        } catch { throw HistoryError(error, path: path) }
    }

    private static func write(_ notice: GivenNotice, in database: Database) throws {
        func text(_ text: String?) -> DatabaseValue { HistoryText.encode(text.map { String($0.prefix(maxText)) }) }
        let device = notice.device?.description
        try database.cachedStatement(
            sql: "INSERT INTO notices (time_ms, event, device, rule, message, failure) VALUES (?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            notice.time, text(notice.event.rawValue), device, text(notice.rule), text(notice.message),
            text(notice.failure),
        ])
        try database.cachedStatement(
            sql: """
                DELETE FROM notices WHERE id IN (
                    SELECT id FROM notices WHERE device IS ? ORDER BY id DESC LIMIT -1 OFFSET \(maxNoticesOfOne))
                """
        ).execute(arguments: [device])
        try database.cachedStatement(
            sql:
                "DELETE FROM notices WHERE id IN (SELECT id FROM notices ORDER BY id DESC LIMIT -1 OFFSET \(maxNotices))"
        ).execute()
    }
}

extension HistoryReader {
    /// Returns the newest notices of a time, the oldest first.
    ///
    /// - Parameter devices: only those about these; `nil` for all.
    package func notices(
        of devices: [DeviceID]? = nil, in time: ClosedRange<Int64>, limit: Int
    ) throws -> [GivenNotice] {
        let marks = devices.map { Array(repeating: "?", count: $0.count).joined(separator: ", ") }
        let place = StatementArguments((devices ?? []).map(\.description))
        let rows = try database { database in
            try LedgerRow.all(
                database,
                sql: """
                    SELECT * FROM notices WHERE \(marks.map { "device IN (\($0))" } ?? "TRUE") AND time_ms BETWEEN ? AND ?
                    ORDER BY time_ms DESC, id DESC LIMIT ?
                    """,
                arguments: place + [time.lowerBound, time.upperBound, max(0, limit)])
        }
        return rows.reversed().compactMap { row in
            let device = row.text("device").flatMap { DeviceID($0) }
            guard let time = row.number("time_ms"), let event = row.text("event"), let message = row.text("message"),
                (device == nil) == row.stored("device").isNull
            else { return nil }
            return GivenNotice(
                time: time, event: OpenEnum(rawValue: event), device: device,
                rule: row.text("rule"), message: message, failure: row.text("failure"))
        }
    }
}
