/// How long a part of the work for a device took.
package enum WorkTime: Sendable, Hashable {
    /// From the time when a tick was due until its first read.
    case lateness(Duration)
    /// From the attempt to connect the device until BlueZ reported the connection.
    case connect(Duration)
}
