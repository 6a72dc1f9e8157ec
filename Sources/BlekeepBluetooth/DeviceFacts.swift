import DBus

/// What BlueZ says of a device's object, as far as it matters for connecting to it.
package struct DeviceFacts: Sendable, Hashable {
    package var path: ObjectPath
    package var adapter: ObjectPath
    package var isConnected: Bool
    package var isResolved: Bool
    package var isPaired = false
    package var isBlocked = false
    /// Whether a program is subscribed to one of its characteristics; known only from a connection's first snapshot.
    package var isSubscribed = false
    /// Whether it can be connected by Low Energy alone.
    package var hasLowEnergyBearer = false
    /// Whether BlueZ can be told to prefer Low Energy, and has not been.
    package var mayPreferLowEnergy = false
}

extension DeviceFacts {
    /// `nil` when there is no device at `path`.
    init?(at path: ObjectPath, on adapter: ObjectPath, in tree: ObjectTree) {
        guard let object = tree.objects[path], let device = object[Device1.name.text] else { return nil }
        func isSo(_ property: Property<Bool>) -> Bool { device[property] ?? false }
        self.init(
            path: path, adapter: adapter, isConnected: isSo(Device1.connected),
            isResolved: isSo(Device1.servicesResolved), isPaired: isSo(Device1.paired),
            isBlocked: isSo(Device1.blocked), hasLowEnergyBearer: object[BearerLE1.name.text] != nil,
            mayPreferLowEnergy: device[Device1.preferredBearer].map { $0 != Bluez.lowEnergy } ?? false)
    }

    /// The properties that it is made of and that change often.
    static let properties = [
        Device1.connected.name.text, Device1.servicesResolved.name.text, Device1.paired.name.text,
        Device1.blocked.name.text,
    ]
}
