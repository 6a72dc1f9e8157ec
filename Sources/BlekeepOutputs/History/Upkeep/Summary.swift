import Blekeep

/// What was read of a series in five minutes or in an hour.
public struct Summary: Sendable, Hashable {
    public enum Period: Int64, Sendable, CaseIterable {
        case fiveMinutes = 5
        case hour = 60

        var milliseconds: Int64 { rawValue * 60_000 }

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

        /// Which of these a period is in.
        func group(of start: Int64) -> Int64 {
            start >= 0 ? start / rowsTogether : (start + 1) / rowsTogether - 1
        }
    }

    /// When it begins: milliseconds since 1970, UTC; whole periods since then.
    public var start: Int64
    public var period: Period
    /// As in `Reading`; alias and name as they were last.
    public var device: String
    public var address: BluetoothAddress
    public var service: BluetoothUUID?
    public var characteristic: BluetoothUUID?
    public var instance: Int
    public var name: String
    /// `nil`: reads that failed.
    public var field: String?
    public var unit: String?
    /// How many values there were, or failed reads; special values are none.
    public var count: Int64
    /// `nil` for what is no number.
    public var minimum: Double?
    public var mean: Double?
    public var maximum: Double?
    /// The newest value, a long text cut; of failed reads the last one's code.
    public var last: MeasuredValue?
}
