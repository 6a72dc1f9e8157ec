import DBus

/// An event of the client of BlueZ.
package enum CentralEvent: Sendable {
    /// BlueZ's objects are known, for the first time or again.
    case snapshot
    /// BlueZ stopped, and all its objects are gone.
    case lost
    /// BlueZ didn't report its objects. The client asks again later.
    case refused(BusError)
    /// An adapter, or the connection to an unwatched device, was added, removed or changed.
    case adapters
    /// BlueZ says that an adapter began or ended a search, for whichever program.
    case discovering(ObjectPath, Bool)
    /// A device's object was added, removed or changed.
    case device(DeviceNumber, DeviceFacts?)
    /// The objects of a device's services changed.
    case services(DeviceNumber)
    /// A device is in range.
    case heard(DeviceNumber)
    /// What BlueZ shows of a device's advertisements changed, or became known.
    case advertised(DeviceNumber, Advertisement)
    /// A device's connection is about to end, for this reason.
    case ended(DeviceNumber, LinkEnd)
}
