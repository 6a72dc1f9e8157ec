/// A device's place in the arrays of the poller, as long as the device is configured.
package typealias DeviceIndex = Int

/// The devices by their numbers. Pure.
///
/// A device keeps its number as long as it is configured, so that a new configuration disturbs no other device. When it
/// has left, its number is free for another device.
package struct Roster: Sendable {
    /// What a new configuration changes about a device.
    package struct Change: Sendable, Equatable {
        package enum Kind: Sendable, Equatable {
            case joined(DeviceSetting)
            case changed(from: DeviceSetting, to: DeviceSetting)
            case left
        }

        package let id: DeviceIndex
        package let kind: Kind

        package init(_ id: DeviceIndex, _ kind: Kind) {
            self.id = id
            self.kind = kind
        }
    }

    package private(set) var settings: [DeviceSetting]
    /// The numbers of the devices that have left.
    private(set) var vacant: Set<DeviceIndex> = []

    package init(_ settings: [DeviceSetting]) { self.settings = settings }

    /// Returns the number of a configured device.
    package func number(of device: DeviceID) -> DeviceIndex? {
        settings.indices.first { settings[$0].device.id == device && !vacant.contains($0) }
    }

    /// Returns a device that would get another ID. Its objects, its row in the ledger and its number belong to the old one.
    package func givenAnotherID(by new: [DeviceConfiguration]) -> (old: DeviceConfiguration, new: DeviceID)? {
        let ids = Dictionary(new.map { ($0.address, $0.id) }) { $1 }
        for old in settings.map(\.device) {
            if let id = ids[old.address], id != old.id { return (old, id) }
        }
        return nil
    }

    /// What must stay so that a device keeps its number. With another address it is another peripheral.
    private struct Identity: Hashable {
        let id: DeviceID
        let address: BluetoothAddress

        init(_ setting: DeviceSetting) { (id, address) = (setting.device.id, setting.device.address) }
    }

    /// Takes the devices of a new configuration.
    ///
    /// - Parameter isFree: returns whether no work is left for a device that has left.
    /// - Returns: the changes, first the devices that leave.
    package mutating func apply(_ new: [DeviceSetting], isFree: (DeviceIndex) -> Bool) -> [Change] {
        var changes: [Change] = []
        let free = vacant.filter(isFree)
        let staying = Set(new.map(Identity.init))
        for id in settings.indices where !vacant.contains(id) && !staying.contains(Identity(settings[id])) {
            vacant.insert(id)
            changes.append(Change(id, .left))
        }
        let numbers = Dictionary(settings.indices.map { (Identity(settings[$0]), $0) }) { $1 }
        let newcomers = new.filter { numbers[Identity($0)].map(vacant.contains) ?? true }
        for setting in new {
            guard let id = numbers[Identity(setting)], !vacant.contains(id), settings[id] != setting else {
                continue
            }
            changes.append(Change(id, .changed(from: settings[id], to: setting)))
            settings[id] = setting
        }
        // First the devices that come back to their own numbers, which no other device may take.
        for setting in newcomers {
            guard let id = numbers[Identity(setting)] else { continue }
            changes.append(Change(id, .joined(setting)))
            vacant.remove(id)
            settings[id] = setting
        }
        var others = free.intersection(vacant).sorted()[...]
        for setting in newcomers where numbers[Identity(setting)] == nil {
            let id = others.popFirst() ?? settings.count
            changes.append(Change(id, .joined(setting)))
            vacant.remove(id)
            if id == settings.count { settings.append(setting) } else { settings[id] = setting }
        }
        return changes
    }
}

/// A new configuration for the running poller.
package struct Reconfiguration: Sendable {
    package let configuration: PollConfiguration
    package let changes: [Roster.Change]
    /// What the store holds of the devices that joined.
    package let earlier: EarlierRun.Legacy

    package init(configuration: PollConfiguration, changes: [Roster.Change], earlier: EarlierRun.Legacy) {
        self.configuration = configuration
        self.changes = changes
        self.earlier = earlier
    }
}
