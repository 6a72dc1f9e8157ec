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
    /// An object of a device was added, removed or changed: all that there are, one for each adapter.
    case device(DeviceNumber, [DeviceFacts])
    /// The objects of a device's services changed.
    case services(DeviceNumber)
    /// A device is in range of the adapter of this object.
    case heard(DeviceNumber, ObjectPath)
    /// What this object shows of a device's advertisements changed, or became known.
    case advertised(DeviceNumber, ObjectPath, Advertisement)
    /// A device's connection is about to end, for this reason.
    case ended(DeviceNumber, LinkEnd)
}
