import Blekeep
import DBus

/// The properties of a device's interface.
extension DeviceObject {
    func makeProperties() -> ExportedInterface {
        let interface = ExportedInterface(Device1.self)
        serveIdentity(interface)
        serveStored(interface)
        serveAdvertised(interface)
        acceptStored(interface)
        interface.serve(Device1.connected) { [unowned self] in self.link != nil }
        interface.serve(Device1.servicesResolved) { [unowned self] in self.isResolved }
        return interface
    }

    private func serveIdentity(_ interface: ExportedInterface) {
        let model = peripheral.model
        let adapter = adapter.path
        interface.serve(Device1.address) { [unowned self] in self.address.description }
        interface.serve(Device1.addressType) { model.addressType.rawValue }
        interface.serve(Device1.deviceName) { model.name }
        interface.serve(Device1.appearance) { model.appearance }
        interface.serve(Device1.legacyPairing) { false }
        interface.serve(Device1.adapter) { adapter }
    }

    private func serveStored(_ interface: ExportedInterface) {
        interface.serve(Device1.alias) { [unowned self] in self.stored.alias ?? self.peripheral.model.name }
        interface.serve(Device1.paired) { [unowned self] in self.stored.isBonded }
        interface.serve(Device1.bonded) { [unowned self] in self.stored.isBonded }
        interface.serve(Device1.trusted) { [unowned self] in self.stored.isTrusted }
        interface.serve(Device1.blocked) { [unowned self] in self.stored.isBlocked }
        interface.serve(Device1.preferredBearer) { [unowned self] in
            guard self.peripheral.model.dualMode?.offersPreference == true else { return nil }
            return self.stored.prefersLowEnergy ? "le" : "last-used"
        }
    }

    private func serveAdvertised(_ interface: ExportedInterface) {
        let model = peripheral.model
        interface.serve(Device1.uuids) { [unowned self] in self.uuids.map(\.full) }
        interface.serve(Device1.rssi) { [unowned self] in self.strength }
        interface.serve(Device1.manufacturerData) { [unowned self] in
            let data = model.manufacturerData.merging(self.broadcast.manufacturerData) { $1 }
            return self.wasHeard && !data.isEmpty ? data.mapValues { Variant($0) } : nil
        }
        interface.serve(Device1.serviceData) { [unowned self] in
            let data = model.serviceData.merging(self.broadcast.serviceData) { $1 }
            guard self.wasHeard, !data.isEmpty else { return nil }
            return Dictionary(uniqueKeysWithValues: data.map { ($0.key.full, Variant($0.value)) })
        }
    }

    private func acceptStored(_ interface: ExportedInterface) {
        interface.accept(Device1.alias) { [unowned self] alias in
            self.store { $0.alias = alias.isEmpty ? nil : alias }
            self.changed(Device1.alias, to: self.stored.alias ?? self.peripheral.model.name)
            return true
        }
        interface.accept(Device1.trusted) { [unowned self] isTrusted in
            self.store { $0.isTrusted = isTrusted }
            self.changed(Device1.trusted, to: isTrusted)
            return true
        }
        interface.accept(Device1.preferredBearer) { [unowned self] bearer in
            guard self.peripheral.model.dualMode?.offersPreference == true else { return false }
            self.store { $0.prefersLowEnergy = bearer == "le" }
            self.changed(Device1.preferredBearer, to: bearer)
            return true
        }
        interface.accept(Device1.blocked) { [unowned self] isBlocked in
            self.block(isBlocked)
            return true
        }
    }

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

    /// The services that BlueZ knows of: all of them once they were resolved.
    var uuids: [BluetoothUUID] {
        let model = peripheral.model
        guard wasResolved else { return model.advertised }
        let all = [BluetoothUUID(0x1800), BluetoothUUID(0x1801)] + model.services.map(\.uuid)
        return Set(all).sorted()
    }
}
