import BlekeepRecords

/// A series' values in five minutes or in an hour.
package struct Summary: Sendable, Hashable {
    package enum Period: Int64, Sendable, CaseIterable {
        case fiveMinutes = 5
        case hour = 60

        package var milliseconds: Int64 { rawValue * 60_000 }

        /// Which period a time is in, counted from 1970.
        func start(of time: Int64) -> Int64 {
            // Towards the past also before 1970.
            time >= 0 ? time / milliseconds : (time + 1) / milliseconds - 1
        }

        /// When a period begins; the earliest or latest time for one that a damaged row names.
        func time(of start: Int64) -> Int64 {
            let (time, isTooLarge) = start.multipliedReportingOverflow(by: milliseconds)
            return isTooLarge ? (start < 0 ? .min : .max) : time
        }

        /// How many rows of a series lie side by side.
        var rowsTogether: Int64 { self == .hour ? 168 : 12 }

        /// Returns the group of periods that contains this one.
        func group(of start: Int64) -> Int64 {
            start >= 0 ? start / rowsTogether : (start + 1) / rowsTogether - 1
        }
    }

    /// When it begins: milliseconds since 1970, UTC; whole periods since then.
    package var start: Int64
    package var period: Period
    /// As in `Reading`; alias and name as they were last.
    package var id: DeviceID
    package var device: String
    package var address: BluetoothAddress
    package var service: BluetoothUUID?
    package var characteristic: BluetoothUUID?
    package var recipe: String?
    package var instance: Int
    package var name: String
    /// `nil`: reads that failed.
    package var field: String?
    package var unit: String?
    /// The number of values or failed reads, without special values.
    package var count: Int64
    /// `nil` for values that aren't numbers.
    package var minimum: Double?
    package var mean: Double?
    package var maximum: Double?
    /// The newest value, a long text cut; of failed reads the last one's code.
    package var last: MeasuredValue?
}
