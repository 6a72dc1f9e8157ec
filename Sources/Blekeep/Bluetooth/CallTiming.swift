/// How long BlueZ may take for what is asked of it.
enum CallTiming {
    /// To connect a device that may not be there.
    static let connect: Duration = .seconds(45)
    /// To resolve the services of a device that is connected.
    static let resolve: Duration = .seconds(30)
    static let disconnect: Duration = .seconds(10)
    /// To read, write or subscribe to one value.
    static let read: Duration = .seconds(10)
    /// A device that isn't heard in this time isn't there.
    static let search: Duration = .seconds(15)
}
