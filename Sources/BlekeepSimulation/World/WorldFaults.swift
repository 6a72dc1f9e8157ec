import BlekeepRecords
import DBus

/// Faults of peripherals, by their names or addresses. Call these on the world's run loop. A peripheral's own faults are there
/// for all worlds that share it; those of BlueZ and of the way between are this world's.
extension World {
    /// Takes the peripheral out of range. A connection ends after the supervision timeout.
    public func hide(_ name: String) { change(name) { $0.isInRange = false } }

    public func show(_ name: String) { change(name) { $0.isInRange = true } }

    /// Moves the peripheral, so that this world alone hears it with another strength. Below −95 dBm, this world doesn't hear it,
    /// and a connection of this world ends after the supervision timeout.
    ///
    /// - Parameters:
    ///   - name: the peripheral's name or address.
    ///   - attenuation: what this world loses of the peripheral's signal strength from now on, in dB.
    ///   - adapter: the place in the scenario of the only adapter that loses it; `nil` for all.
    public func move(_ name: String, attenuation: Int16, from adapter: Int? = nil) {
        let peripheral = peripheral(name)
        if let adapter {
            radio(adapter).attenuations[peripheral.model.address] = attenuation
        } else {
            host.attenuations[peripheral.model.address] = attenuation
        }
        for device in bluez?.devices(of: peripheral) ?? [] { device.link?.rangeChanged() }
        bluez?.radioChanged(peripheral)
    }

    /// Makes the peripheral advertise without its name, until `heal`.
    public func hideName(_ name: String) { change(name) { $0.hidesName = true } }

    /// Gives the peripheral another name for good, as firmware does that has several.
    public func rename(_ name: String, to other: String) { peripheral(name).name = other }

    /// Makes bluetoothd forget an unpaired device.
    public func forget(_ name: String) {
        let peripheral = peripheral(name)
        for device in bluez?.devices(of: peripheral) ?? [] where device.isTemporary { device.adapter.remove(device) }
    }

    /// Makes bluetoothd show the manufacturer data of earlier packets, too, as it does when no client wants repeated data.
    public func keepRecords(_ keeps: Bool) { host.keepsRecords = keeps }

    /// Makes the peripheral end its connection now.
    public func drop(_ name: String) { peripheral(name).link?.drop() }

    /// Sets the result of attempts to connect.
    public func connecting(_ name: String, as connecting: PeripheralBehavior.Connecting) {
        change(name) { $0.connecting = connecting }
    }

    /// Makes the peripheral refuse connections, while it advertises.
    public func deaf(_ name: String) { connecting(name, as: .deaf) }

    /// Makes Connect get no reply.
    public func hangConnect(_ name: String) { connecting(name, as: .hanging) }

    /// Makes reads get no reply.
    public func mute(_ name: String) { change(name) { $0.reading = .mute } }

    /// Sets the time of each request.
    public func slow(_ name: String, by latency: Duration) { change(name) { $0.latency = latency } }

    /// Makes reads fail with this ATT error.
    public func error(_ name: String, code: UInt8) { change(name) { $0.reading = .error(code) } }

    /// Keeps the services from being resolved, until `heal`.
    public func holdServicesResolved(_ name: String) { change(name) { $0.resolves = false } }

    /// Makes BlueZ report the connection as up, although nothing comes through it, until `heal`.
    public func turnIntoZombie(_ name: String) { change(name) { $0.isZombie = true } }

    /// Gives the peripheral new firmware, with the same characteristics at other handles.
    public func moveServices(_ name: String) {
        let peripheral = peripheral(name)
        peripheral.handleShift = (peripheral.handleShift + 16) % 160
        for device in air.devices(of: peripheral) { device.services.change() }
    }

    /// Gives the peripheral new firmware, while BlueZ uses its cached services until it forgets the device.
    public func makeStale(_ name: String) {
        let peripheral = peripheral(name)
        for device in air.devices(of: peripheral) { device.services.isStale = true }
    }

    /// Blocks or unblocks the device in BlueZ.
    public func block(_ name: String, isBlocked: Bool) {
        let peripheral = peripheral(name)
        // Also without a running bluetoothd, because this is stored on disk.
        for radio in radios { radio.kept[peripheral.model.address]?.isBlocked = isBlocked }
        for device in bluez?.devices(of: peripheral) ?? [] { device.block(isBlocked) }
    }

    /// Loses the signals that bluetoothd sends during `change`, as a full message queue does.
    package func losingSignals(_ change: () -> Void) {
        host.losesSignals = true
        change()
        host.losesSignals = false
    }

    /// Loses all signals of bluetoothd from now on, or ends that.
    package func loseSignals(_ areLost: Bool) { host.losesSignals = areLost }

    /// Makes bluetoothd accept searches and do none, or ends that: what it accepted stays undone until it is asked again.
    public func ignoreSearches(_ areIgnored: Bool) {
        host.ignoresSearches = areIgnored
        for radio in radios {
            let discovery = bluez?.adapter(radio)?.discovery
            if areIgnored { discovery?.cease() } else { discovery?.resume() }
        }
    }

    /// Makes bluetoothd hang with its name, or ends that.
    public func hangBluez(_ isHung: Bool) { bluez?.bus.isDeaf = isHung }

    /// Sets the result of attempts to pair.
    public func pairing(_ name: String, as pairing: PeripheralBehavior.Pairing) {
        change(name) { $0.pairing = pairing }
    }

    /// Makes the peripheral lose the keys of all machines, as after a reset. BlueZ keeps its own.
    public func loseBond(_ name: String) { peripheral(name).loseBonds() }

    /// Makes bluetoothd remove Battery1 from the device's object, and add it again.
    package func blinkBattery(_ name: String) {
        let peripheral = peripheral(name)
        for device in bluez?.devices(of: peripheral) ?? [] { device.services.blinkBattery() }
    }

    /// Ends all faults of the peripheral, and brings it into range.
    public func heal(_ name: String) {
        change(name) { $0 = PeripheralBehavior() }
    }

    /// Sets the peripheral's behavior.
    package func behave(_ name: String, as behavior: PeripheralBehavior) { change(name) { $0 = behavior } }

    // MARK: Lookup

    private func change(_ name: String, change: (inout PeripheralBehavior) -> Void) {
        let peripheral = peripheral(name)
        let wasZombie = peripheral.behavior.isZombie
        change(&peripheral.behavior)
        // BlueZ now notices that nothing came through.
        if wasZombie, !peripheral.behavior.isZombie { peripheral.link?.drop() }
        air.rangeChanged(peripheral)
        for device in air.devices(of: peripheral) { device.behaviorChanged() }
    }

    private func peripheral(_ name: String) -> RadioPeripheral {
        let found = peripherals.first { $0.model.name == name || $0.model.address.description == name }
        guard let found else { preconditionFailure("no peripheral \(name) in scenario \(scenario.name)") }
        return found
    }
}
