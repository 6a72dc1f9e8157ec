import Blekeep
import BlekeepHistory

/// The work for each device since the first call, from the rows of heartbeats. Unlike a sum over all rows, it doesn't
/// shrink when old rows are removed. Pure.
struct WorkTotals: Sendable, Equatable {
    /// The newest row, whose work may still grow.
    private(set) var row: Int64?
    private var counted: [BluetoothAddress: DeviceActivity] = [:]
    private var totals: [BluetoothAddress: DeviceActivity] = [:]

    var activities: [DeviceActivity] { Array(totals.values) }

    /// - Parameters:
    ///   - activities: of the rows from `row` on, or of the newest row.
    ///   - newest: the newest row; `nil` without any.
    mutating func take(_ activities: [RowActivity], newest: Int64?) {
        let isFirst = row.map { newest ?? .min < $0 } ?? true
        for entry in activities {
            let address = entry.activity.address
            var new = entry.activity
            if isFirst {
                new = DeviceActivity(device: new.device, address: address)
            } else if entry.row == row, let old = counted[address] {
                new = new - old
            }
            totals[address] = (totals[address] ?? DeviceActivity(device: new.device, address: address)) + new
        }
        row = newest
        counted = Dictionary(
            activities.filter { $0.row == newest }.map { ($0.activity.address, $0.activity) }
        ) { $1 }
    }
}
