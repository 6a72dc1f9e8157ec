import Blekeep
import DBus
import RunLoop

/// What can go wrong. To be called on the world's run loop; peripherals are named by name or address.
extension World {
    // MARK: Peripherals

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
            device.servicesChanged()
        }
    }

    /// The same, but BlueZ does not notice: it goes on with the services that it remembers, until it forgets the device.
    public func makeStale(_ name: String) {
        let peripheral = peripheral(name)
        for device in bluez?.adapters.flatMap(\.devices) ?? [] where device.peripheral === peripheral {
            device.isStale = true
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
            device.blinkBattery()
        }
    }

    /// Behaves well again, and is in range.
    public func heal(_ name: String) {
        change(name) { $0 = PeripheralBehavior() }
    }

    /// Lets it behave just so.
    package func behave(_ name: String, _ conduct: PeripheralBehavior) { change(name) { $0 = conduct } }

    /// Whether BlueZ has the device at `path`, whether its radio is on, and whether it really has a link.
    package func reality(of path: ObjectPath) -> (exists: Bool, isOn: Bool, isConnected: Bool) {
        let device = bluez?.adapters.lazy.flatMap(\.devices).first { $0.path == path }
        return (device != nil, device?.adapter.radio.isPowered == true, device?.link != nil)
    }

    /// The devices that have had a link for so long.
    package func connected(for length: Duration) -> [ObjectPath] {
        guard let bluez else { return [] }
        let now = bluez.loop.now
        var paths: [ObjectPath] = []
        for adapter in bluez.adapters {
            for device in adapter.devices {
                if let link = device.link, now - link.since >= length { paths.append(device.path) }
            }
        }
        return paths
    }

    package func isPaired(_ path: ObjectPath) -> Bool {
        bluez?.adapters.lazy.flatMap(\.devices).first { $0.path == path }?.stored.isBonded ?? false
    }

    /// Whether bluetoothd answers nothing.
    package var isHung: Bool { bluez?.bus.isDeaf ?? false }

    // MARK: Adapters and bluetoothd

    public func power(adapter index: Int = 0, on isOn: Bool) {
        let radio = radio(index)
        if let adapter = bluez?.adapter(radio) { adapter.power(isOn) } else { radio.isPowered = isOn }
    }

    /// Nothing goes through the adapter any more, until `cure` or something stronger is done.
    ///
    /// - Parameter sparing: a peripheral whose link stays nevertheless.
    public func wedge(adapter index: Int = 0, until cure: Cure, sparing: String? = nil) {
        let radio = radio(index)
        radio.wedge = cure
        bluez?.adapter(radio)?.wedged(sparing: sparing)
    }

    /// It is well again by itself.
    public func unwedge(adapter index: Int = 0) {
        let radio = radio(index)
        if let adapter = bluez?.adapter(radio) { adapter.cure(.replug) } else { radio.wedge = nil }
    }

    /// The adapter is pulled out.
    public func unplug(adapter index: Int = 0) {
        let radio = radio(index)
        guard radio.isPlugged else { return }
        radio.isPlugged = false
        radio.wedge = nil
        bluez?.remove(radio)
    }

    /// The adapter is back, perhaps under another number.
    public func plug(adapter index: Int = 0, as newIndex: Int? = nil) {
        let radio = radio(index)
        guard !radio.isPlugged else { return }
        radio.isPlugged = true
        radio.index = newIndex ?? radio.index
        bluez?.add(radio)
    }

    /// bluetoothd dies and is started again after a while, if the world is run by `run()` or `mounted`.
    public func restartBluez(after delay: Duration) {
        stop()
        startLater(delay)
    }

    /// bluetoothd is told to end, and takes leave of everybody: its adapters go first.
    func endBluez() {
        for radio in radios {
            bluez?.adapter(radio)?.sayOff()
            bluez?.remove(radio)
        }
    }

    // MARK: Finding

    private func change(_ name: String, _ change: (inout PeripheralBehavior) -> Void) {
        let peripheral = peripheral(name)
        let wasZombie = peripheral.conduct.isZombie
        change(&peripheral.conduct)
        // BlueZ notices at last that nothing came through for so long.
        if wasZombie, !peripheral.conduct.isZombie { peripheral.link?.drop() }
        rangeChanged(peripheral)
        for device in bluez?.adapters.flatMap(\.devices) ?? [] where device.peripheral === peripheral {
            device.conductChanged()
        }
    }

    private func peripheral(_ name: String) -> RadioPeripheral {
        let found = peripherals.first { $0.model.name == name || $0.model.address.description == name }
        guard let found else { preconditionFailure("no peripheral \(name) in scenario \(scenario.name)") }
        return found
    }

    private func radio(_ index: Int) -> Radio {
        guard let radio = radios.first(where: { $0.index == index }) else {
            preconditionFailure("no adapter \(index) in scenario \(scenario.name)")
        }
        return radio
    }
}
