import BlekeepRecords
internal import GRDB

/// The work for a device in one of the heartbeats' rows, of which the newest still grows.
package struct RowActivity: Sendable, Hashable {
    /// The number of the row. Later rows have higher ones.
    package let row: Int64
    package let activity: DeviceActivity

    package init(row: Int64, activity: DeviceActivity) { (self.row, self.activity) = (row, activity) }
}

extension HistoryReader {
    /// A damaged row may have any count. Sums of many rows can't overflow.
    private static let maxWork: Int64 = 1 << 40

    /// Returns the work of the heartbeats' rows from a number on, and the charge of the machine's battery in percent.
    ///
    /// - Parameter row: `nil` for the newest row only.
    package func work(
        from row: Int64?
    ) throws -> (
        activities: [RowActivity], air: [Int64: AirUse], newest: Int64?, percentage: Double?
    ) {
        try database { database in
            let newest = try Int64.fetchOne(database, sql: "SELECT max(id) FROM heartbeats")
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT heartbeat, device, alias, address, good, failed, missed, samples, connects FROM activity
                    WHERE heartbeat >= ? ORDER BY heartbeat
                    """, arguments: [row ?? newest])
            var activities: [RowActivity] = []
            while let row = try rows.next() {
                guard let id = Int64.stored(row[0]),
                    let device = HistoryText.decode(row[1]).flatMap({ DeviceID($0) }),
                    let alias = HistoryText.decode(row[2]),
                    let address = HistoryText.decode(row[3]).flatMap({ BluetoothAddress($0) })
                else { continue }
                let counts = (4...8).map { column in
                    Int64.stored(row[column]).map { Int(clamping: min(max(0, $0), Self.maxWork)) } ?? 0
                }
                var activity = DeviceActivity(id: device, device: alias, address: address)
                (activity.good, activity.failed, activity.missed) = (counts[0], counts[1], counts[2])
                (activity.values, activity.connects) = (counts[3], counts[4])
                activities.append(RowActivity(row: id, activity: activity))
            }
            let air = try Row.fetchAll(
                database, sql: "SELECT id, scan_ms, packets FROM heartbeats WHERE id >= ?", arguments: [row ?? newest])
            return (activities, Self.air(air), newest, try HeartbeatTables.last(in: database)?.percentage)
        }
    }

    private static func air(_ rows: [Row]) -> [Int64: AirUse] {
        let pairs = rows.compactMap { row in Int64.stored(row[0]).map { ($0, AirUse(row[1], row[2])) } }
        return Dictionary(pairs) { $1 }
    }
}

extension AirUse {
    /// - Parameters:
    ///   - scan: the stored milliseconds. A damaged row may have any numbers.
    ///   - packets: their stored count.
    init(_ scan: DatabaseValue, _ packets: DatabaseValue) {
        func bounded(_ value: DatabaseValue) -> Int64 { max(0, min(1 << 40, Int64.stored(value) ?? 0)) }
        self.init(scanned: .milliseconds(bounded(scan)), packets: Int(bounded(packets)))
    }
}
