import DBus

/// An event of the client of BlueZ. Watched devices are numbered by their index in the list.
package enum CentralEvent: Sendable {
    /// BlueZ's objects are known, for the first time or again.
    case snapshot
    /// BlueZ stopped, and all its objects are gone.
    case lost
    /// BlueZ didn't report its objects. The client asks again later.
    case refused(BusError)
    /// An adapter, or the connection to an unwatched device, was added, removed or changed.
    case adapters
    /// A device's object was added, removed or changed.
    case device(Int, DeviceFacts?)
    /// The objects of a device's services changed.
    case services(Int)
    /// A device is in range.
    case heard(Int)
    /// What BlueZ shows of a device's advertisements changed, or became known.
    case advertised(Int, Advertisement)
    /// A device's connection is about to end, for this reason.
    case ended(Int, LinkEnd)
}
