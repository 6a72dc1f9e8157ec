/// What a new configuration changes about a device.
package struct DeviceChange: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case joined(DeviceSetting)
        case changed(from: DeviceSetting, to: DeviceSetting)
        case left
    }

    package let number: DeviceNumber
    package let kind: Kind

    package init(_ number: DeviceNumber, _ kind: Kind) { (self.number, self.kind) = (number, kind) }
}

/// The devices of the newest configuration, with their numbers. Pure.
package struct ConfiguredDevices: Sendable {
    package struct Device: Sendable, DevicePart {
        package let number: DeviceNumber
        package fileprivate(set) var setting: DeviceSetting
    }

    /// What must stay so that a device is the same one. With another address it is another peripheral.
    private struct Identity: Hashable {
        let id: DeviceID
        let address: BluetoothAddress

        init(_ setting: DeviceSetting) { (id, address) = (setting.device.id, setting.device.address) }
    }

    package private(set) var all: [Device]
    private var next: Int

    package init(_ settings: [DeviceSetting]) {
        all = settings.enumerated().map { Device(number: DeviceNumber($0.offset), setting: $0.element) }
        next = settings.count
    }

    package subscript(id: DeviceID) -> Device? { all.first { $0.setting.device.id == id } }

    /// Returns a device that would get another ID. Its objects, its row in the ledger and its number belong to the old one.
    package func givenAnotherID(by new: [DeviceConfiguration]) -> (old: DeviceConfiguration, new: DeviceID)? {
        let ids = Dictionary(new.map { ($0.address, $0.id) }) { $1 }
        for old in all.map(\.setting.device) {
            if let id = ids[old.address], id != old.id { return (old, id) }
        }
        return nil
    }

    /// Takes the devices of a new configuration. The ones that are in both keep their numbers.
    /// Returns the changes, first the devices that leave.
    package mutating func apply(_ new: [DeviceSetting]) -> [DeviceChange] {
        let staying = Set(new.map(Identity.init))
        var changes = all.filter { !staying.contains(Identity($0.setting)) }.map { DeviceChange($0.number, .left) }
        all.removeAll { !staying.contains(Identity($0.setting)) }
        var joined: [DeviceChange] = []
        let indices = Dictionary(all.indices.map { (Identity(all[$0].setting), $0) }) { $1 }
        for setting in new {
            guard let index = indices[Identity(setting)] else {
                joined.append(DeviceChange(DeviceNumber(next), .joined(setting)))
                all.append(Device(number: DeviceNumber(next), setting: setting))
                next += 1
                continue
            }
            guard all[index].setting != setting else { continue }
            changes.append(DeviceChange(all[index].number, .changed(from: all[index].setting, to: setting)))
            all[index].setting = setting
        }
        return changes + joined
    }
}

/// A new configuration for the running poller.
package struct Reconfiguration: Sendable {
    package let configuration: PollConfiguration
    package let changes: [DeviceChange]
    /// What the store holds of the devices that joined.
    package let earlier: EarlierRun.Legacy

    package init(configuration: PollConfiguration, changes: [DeviceChange], earlier: EarlierRun.Legacy) {
        self.configuration = configuration
        self.changes = changes
        self.earlier = earlier
    }
}
