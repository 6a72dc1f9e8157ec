import BlekeepRecords
import DBus

/// The properties of a device's interface.
extension DeviceObject {
    static func serveProperties(_ devices: InterfacePattern<DeviceObject>) {
        serveIdentity(devices)
        serveStored(devices)
        serveAdvertised(devices)
        acceptStored(devices)
        devices.serve(Device1.connected) { $0.link != nil }
        devices.serve(Device1.servicesResolved) { $0.services.isResolved }
    }

    private static func serveIdentity(_ devices: InterfacePattern<DeviceObject>) {
        devices.serve(Device1.address) { $0.address.description }
        devices.serve(Device1.addressType) { $0.peripheral.model.addressType.rawValue }
        devices.serve(Device1.deviceName) { $0.name }
        devices.serve(Device1.appearance) { $0.peripheral.model.appearance }
        devices.serve(Device1.legacyPairing) { _ in false }
        devices.serve(Device1.adapter) { $0.adapter.path }
    }

    private static func serveStored(_ devices: InterfacePattern<DeviceObject>) {
        devices.serve(Device1.alias) { $0.alias }
        devices.serve(Device1.paired) { $0.stored.isBonded }
        devices.serve(Device1.bonded) { $0.stored.isBonded }
        devices.serve(Device1.trusted) { $0.stored.isTrusted }
        devices.serve(Device1.blocked) { $0.stored.isBlocked }
        devices.serve(Device1.preferredBearer) { device in
            guard device.peripheral.model.dualMode?.offersPreference == true else { return nil }
            return device.stored.prefersLowEnergy ? "le" : "last-used"
        }
    }

    private static func serveAdvertised(_ devices: InterfacePattern<DeviceObject>) {
        devices.serve(Device1.uuids) { $0.services.uuids }
        devices.serve(Device1.rssi) { $0.heard.strength }
        devices.serve(
            Device1.manufacturerData,
            told: { device in
                let data = device.heard.shown.manufacturerData
                return data.isEmpty ? nil : data.mapValues { Variant($0) }.value
            })
        devices.serve(
            Device1.serviceData,
            told: { device in
                let data = device.heard.shown.serviceData.map { ($0.key.full, Variant($0.value)) }
                return data.isEmpty ? nil : Dictionary(uniqueKeysWithValues: data).value
            })
    }

    private static func acceptStored(_ devices: InterfacePattern<DeviceObject>) {
        devices.accept(Device1.alias) { device, alias in
            device.store { $0.alias = alias.isEmpty ? nil : alias }
            device.changed(Device1.alias, to: device.alias)
            return true
        }
        devices.accept(Device1.trusted) { device, isTrusted in
            device.store { $0.isTrusted = isTrusted }
            device.changed(Device1.trusted, to: isTrusted)
            return true
        }
        devices.accept(Device1.preferredBearer) { device, bearer in
            guard device.peripheral.model.dualMode?.offersPreference == true else { return false }
            device.store { $0.prefersLowEnergy = bearer == "le" }
            device.changed(Device1.preferredBearer, to: bearer)
            return true
        }
        devices.accept(Device1.blocked) { device, isBlocked in
            device.block(isBlocked)
            return true
        }
    }

    private var alias: String { stored.alias ?? name ?? address.joined(by: "-") }

    func block(_ isBlocked: Bool) {
        guard stored.isBlocked != isBlocked else { return }
        store { $0.isBlocked = isBlocked }
        if isBlocked { link?.drop() }
        changed(Device1.blocked, to: isBlocked)
    }

    private func store(_ change: (inout StoredDevice) -> Void) {
        change(&stored)
        if !isTemporary { adapter.radio.kept[peripheral.model.address] = stored }
    }
}
