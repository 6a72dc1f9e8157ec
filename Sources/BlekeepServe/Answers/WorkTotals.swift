import BlekeepHistory
import BlekeepRecords

/// The work for each device since the first call, from the rows of heartbeats. Unlike a sum over all rows, it doesn't
/// shrink when old rows are removed. Pure.
struct WorkTotals: Sendable, Equatable {
    /// The newest row, whose work may still grow.
    private(set) var row: Int64?
    private var counted: [DeviceID: DeviceActivity] = [:]
    private var totals: [DeviceID: DeviceActivity] = [:]

    var activities: [DeviceActivity] { Array(totals.values) }

    /// - Parameters:
    ///   - activities: of the rows from `row` on, or of the newest row.
    ///   - newest: the newest row; `nil` without any.
    mutating func add(_ activities: [RowActivity], newest: Int64?) {
        let isFirst = row.map { newest ?? .min < $0 } ?? true
        // A device that was renamed has two entries in a row.
        var rows: [Int64: [DeviceID: DeviceActivity]] = [:]
        for entry in activities {
            let (device, new) = (entry.activity.id, entry.activity)
            rows[entry.row, default: [:]][device] = rows[entry.row]?[device].map { $0 + new } ?? new
        }
        for (number, devices) in rows {
            for (device, work) in devices {
                var new = work
                if isFirst {
                    new = DeviceActivity(id: device, device: new.device, address: new.address)
                } else if number == row, let old = counted[device] {
                    new = new - old
                }
                totals[device] = totals[device].map { $0 + new } ?? new
            }
        }
        row = newest
        counted = newest.flatMap { rows[$0] } ?? [:]
    }
}
