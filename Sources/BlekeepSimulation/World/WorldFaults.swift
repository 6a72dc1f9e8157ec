import Blekeep
import DBus
import RunLoop

/// What can go wrong. To be called on the world's run loop; peripherals are named by name or address.
extension World {
    /// Out of range: not heard any more, and a connection ends after the supervision timeout.
    public func hide(_ name: String) { change(name) { $0.isInRange = false } }

    public func show(_ name: String) { change(name) { $0.isInRange = true } }

    /// The peripheral ends its connection, now.
    public func drop(_ name: String) { peripheral(name).link?.drop() }

    /// What becomes of attempts to connect.
    public func connecting(_ name: String, _ connecting: PeripheralBehavior.Connecting) {
        change(name) { $0.connecting = connecting }
    }

    /// Advertises, but does not accept connections.
    public func deaf(_ name: String) { connecting(name, .deaf) }

    /// Connect is never answered.
    public func hangConnect(_ name: String) { connecting(name, .hanging) }

    /// Reads are never answered.
    public func mute(_ name: String) { change(name) { $0.reading = .mute } }

    /// Every request takes this long.
    public func slow(_ name: String, _ latency: Duration) { change(name) { $0.latency = latency } }

    /// Reads are answered with this ATT error.
    public func error(_ name: String, code: UInt8) { change(name) { $0.reading = .error(code) } }

    /// ServicesResolved does not become true, until the peripheral is healed.
    public func holdServicesResolved(_ name: String) { change(name) { $0.resolves = false } }

    /// BlueZ takes the connection to be up for ever, and nothing comes through it, until the peripheral is healed.
    public func turnIntoZombie(_ name: String) { change(name) { $0.isZombie = true } }

    /// The peripheral has new firmware: the same characteristics under other handles.
    public func moveServices(_ name: String) {
        let peripheral = peripheral(name)
        peripheral.handleShift = (peripheral.handleShift + 16) % 160
        for device in bluez?.adapters.flatMap(\.devices) ?? [] where device.peripheral === peripheral {
            device.services.change()
        }
    }

    /// The same, but BlueZ does not notice: it goes on with the services that it remembers, until it forgets the device.
    public func makeStale(_ name: String) {
        let peripheral = peripheral(name)
        for device in bluez?.adapters.flatMap(\.devices) ?? [] where device.peripheral === peripheral {
            device.services.isStale = true
        }
    }

    /// Somebody blocks the device in BlueZ, or no longer does.
    public func block(_ name: String, _ isBlocked: Bool) {
        let peripheral = peripheral(name)
        // Also while there is no bluetoothd that would tell: it is kept on the disk.
        for radio in radios { radio.kept[peripheral.model.address]?.isBlocked = isBlocked }
        for device in bluez?.adapters.flatMap(\.devices) ?? [] where device.peripheral === peripheral {
            device.block(isBlocked)
        }
    }

    /// bluetoothd answers nothing from now on, but keeps its name; or it is well again.
    public func hangBluez(_ isHung: Bool) { bluez?.bus.isDeaf = isHung }

    /// What becomes of attempts to pair.
    public func pairing(_ name: String, _ pairing: PeripheralBehavior.Pairing) { change(name) { $0.pairing = pairing } }

    /// The peripheral forgets its keys, as after a reset; BlueZ keeps its own.
    public func loseBond(_ name: String) { peripheral(name).hasBond = false }

    /// bluetoothd takes Battery1 from the device's object, where it has one, and puts it back.
    package func blinkBattery(_ name: String) {
        let peripheral = peripheral(name)
        for device in bluez?.adapters.flatMap(\.devices) ?? [] where device.peripheral === peripheral {
            device.services.blinkBattery()
        }
    }

    /// Behaves well again, and is in range.
    public func heal(_ name: String) {
        change(name) { $0 = PeripheralBehavior() }
    }

    /// Lets it behave just so.
    package func behave(_ name: String, _ behavior: PeripheralBehavior) { change(name) { $0 = behavior } }

    // MARK: Finding

    private func change(_ name: String, _ change: (inout PeripheralBehavior) -> Void) {
        let peripheral = peripheral(name)
        let wasZombie = peripheral.behavior.isZombie
        change(&peripheral.behavior)
        // BlueZ notices at last that nothing came through for so long.
        if wasZombie, !peripheral.behavior.isZombie { peripheral.link?.drop() }
        rangeChanged(peripheral)
        for device in bluez?.adapters.flatMap(\.devices) ?? [] where device.peripheral === peripheral {
            device.behaviorChanged()
        }
    }

    private func peripheral(_ name: String) -> RadioPeripheral {
        let found = peripherals.first { $0.model.name == name || $0.model.address.description == name }
        guard let found else { preconditionFailure("no peripheral \(name) in scenario \(scenario.name)") }
        return found
    }
}
