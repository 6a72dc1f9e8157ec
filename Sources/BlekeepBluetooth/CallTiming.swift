/// The deadlines of calls to BlueZ.
package enum CallTiming {
    /// To connect a device, which may be out of range.
    package static let connect: Duration = .seconds(45)
    /// To resolve the services of a connected device.
    package static let resolve: Duration = .seconds(30)
    package static let disconnect: Duration = .seconds(10)
    /// To read, write or subscribe to one value.
    package static let read: Duration = .seconds(10)
    /// To hear a device. After this time, it counts as out of range.
    package static let search: Duration = .seconds(15)
}
