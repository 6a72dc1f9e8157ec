/// How long BlueZ may take for what is asked of it.
package enum CallTiming {
    /// To connect a device that may not be there.
    package static let connect: Duration = .seconds(45)
    /// To resolve the services of a device that is connected.
    package static let resolve: Duration = .seconds(30)
    package static let disconnect: Duration = .seconds(10)
    /// To read, write or subscribe to one value.
    package static let read: Duration = .seconds(10)
    /// A device that isn't heard in this time isn't there.
    package static let search: Duration = .seconds(15)
}
