import DBus

/// The state of a device in BlueZ that matters for its connection.
package struct DeviceFacts: Sendable, Hashable {
    package var path: ObjectPath
    package var adapter: ObjectPath
    package var isConnected: Bool
    package var isResolved: Bool
    package var isPaired = false
    package var isBlocked = false
    /// Whether a program is subscribed to a characteristic of the device. Only the first snapshot sets it.
    package var isSubscribed = false
    /// Whether BlueZ can connect the device by Low Energy only.
    package var hasLowEnergyBearer = false
    /// Whether BlueZ offers to prefer Low Energy for the device, and doesn't do so yet.
    package var mayPreferLowEnergy = false
}

extension DeviceFacts {
    /// `nil` when there is no device at `path`.
    init?(at path: ObjectPath, on adapter: ObjectPath, in tree: ObjectTree) {
        guard let object = tree.objects[path], let device = object[Device1.name.text] else { return nil }
        func isTrue(_ property: Property<Bool>) -> Bool { device[property] ?? false }
        self.init(
            path: path, adapter: adapter, isConnected: isTrue(Device1.connected),
            isResolved: isTrue(Device1.servicesResolved), isPaired: isTrue(Device1.paired),
            isBlocked: isTrue(Device1.blocked), hasLowEnergyBearer: object[BearerLE1.name.text] != nil,
            mayPreferLowEnergy: device[Device1.preferredBearer].map { $0 != Bluez.lowEnergy } ?? false)
    }

    /// The properties in these facts that change often.
    static let properties = [
        Device1.connected.name.text, Device1.servicesResolved.name.text, Device1.paired.name.text,
        Device1.blocked.name.text,
    ]
}
