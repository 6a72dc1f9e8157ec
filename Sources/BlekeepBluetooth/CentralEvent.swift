import DBus

/// What a client of BlueZ reports of the devices that it watches, which it calls by their places in its list.
package enum CentralEvent: Sendable {
    /// BlueZ's objects are known, or known again after a doubt.
    case snapshot
    /// BlueZ has gone, with all its objects.
    case lost
    /// BlueZ is there and didn't report its objects; the client asks again after a while.
    case refused(BusError)
    /// An adapter, or the connection of a device that isn't watched, came, went or changed.
    case adapters
    /// A device's object came, went or changed.
    case device(Int, DeviceFacts?)
    /// The objects of a device's services changed.
    case services(Int)
    /// A device is in range.
    case heard(Int)
    /// A device that is listened to sent this; `properties` names the properties that have just come.
    case advertised(Int, Advertisement, properties: Set<String>)
    /// BlueZ says why a device's connection is about to end.
    case ended(Int, LinkEnd)
}
