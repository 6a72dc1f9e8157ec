import BlekeepRecords
import DBus
import RunLoop

/// A device's connection: the calls Connect and Disconnect, and the link.
final class DeviceConnection {
    private unowned let device: DeviceObject
    private(set) var link: PeripheralLink?
    private var connecting: Invocation?
    private var disconnecting: [Invocation] = []
    private var disconnection: LoopTimer?
    /// Whether the adapter is being removed.
    private var isCutOff = false

    init(_ device: DeviceObject) { self.device = device }

    private var bluez: SimulatedBluez { device.bluez }
    private var peripheral: RadioPeripheral { device.peripheral }

    // MARK: Connect

    func connect(_ call: Invocation, byLowEnergy: Bool) {
        guard device.adapter.radio.isPowered else { return call.fail(.adapterOff) }
        guard link == nil else { return call.reply() }
        guard !device.stored.isBlocked else { return call.fail(.aborted) }
        guard connecting == nil else { return call.fail(.connecting) }
        connecting = call
        guard peripheral.model.dualMode == nil || byLowEnergy || device.stored.prefersLowEnergy else {
            bluez.after(bluez.timing.paging) { [weak self] in self?.paged() }
            return
        }
        device.adapter.connector.connect(device)
    }

    /// A page by classic Bluetooth is over.
    private func paged() {
        guard link == nil, connecting != nil else { return }
        guard peripheral.model.dualMode?.isAnswered == true, device.isReached, peripheral.link == nil else {
            return failed(.failed("br-connection-page-timeout"))
        }
        up(answered: true, byClassic: true)
    }

    /// - Parameter byClassic: whether it is a connection by classic Bluetooth.
    func up(answered: Bool, told: Bool = true, byClassic isClassic: Bool = false) {
        device.use()
        device.services.isClassic = isClassic
        let link = PeripheralLink(to: peripheral, with: device.adapter.radio, bluez) { [unowned self] in self.down() }
        self.link = link
        if !answered { connecting = nil }
        if told { device.changed(Device1.connected, to: true) }
        let timing = bluez.timing
        if device.pairing?.client != nil { device.pairing?.exchange.begin() }
        if device.stored.isBonded, !peripheral.hasBond(with: device.adapter.radio) {
            // It lost its keys, and ends a connection that it can't decrypt.
            bluez.after(timing.bondLost) { [weak link] in link?.drop() }
        }
        bluez.after(timing.connectReply) { [weak self, weak link] in
            if link != nil { self?.succeeded() }
        }
        device.services.resolve(link, after: timing.connectReply + timing.resolving)
    }

    func succeeded() {
        connecting?.reply()
        connecting = nil
    }

    func failed(_ failure: BluezFailure) {
        connecting?.fail(failure)
        connecting = nil
        guard link == nil else { return }
        device.pairing?.exchange.end(PairingExchange.unreached)
        device.lastUsed()
    }

    /// Ends an attempt to which BlueZ doesn't reply.
    func forgotten() {
        connecting = nil
        if device.isTemporary { device.adapter.remove(device) }
    }

    // MARK: Disconnect

    func disconnect(_ call: Invocation) {
        if connecting != nil { cancel() }
        guard link != nil else { return call.reply() }
        disconnecting.append(call)
        guard disconnecting.count == 1 else { return }
        disconnection = bluez.after(bluez.timing.disconnecting) { [weak self] in self?.link?.drop() }
    }

    private func cancel() {
        device.adapter.connector.cancel(device)
        failed(.canceled)
    }

    private func down() {
        let device = device
        let wasBlocked = link?.isBlocked == true
        tellReason()
        link = nil
        bluez.cancel(disconnection)
        device.pairing?.exchange.end(PairingExchange.canceled)
        var news: Properties = [Device1.connected.name.text: Variant(false)]
        if device.services.disconnected() { news[Device1.servicesResolved.name.text] = Variant(false) }
        // bluetoothd replies first. Some clients, such as bleak, leave the bus at the signal.
        for call in disconnecting { call.reply() }
        disconnecting = []
        bluez.changed(device.path, interface: Device1.name, properties: news)
        failed(.aborted)
        if wasBlocked, device.isTemporary { device.adapter.remove(device) } else { device.lastUsed() }
    }

    /// Sends the reason before the connection ends, as BlueZ does since 5.83.
    private func tellReason() {
        guard bluez.host.tellsReasons else { return }
        let isLocal = !disconnecting.isEmpty || isCutOff
        let reason = isLocal ? "Local" : device.isReached ? "Remote" : "Timeout"
        bluez.bus.emit(
            Signal(
                device.path, interface: Device1.name, member: Device1.disconnected.name,
                arguments: ["org.bluez.Reason.\(reason)".value, "the connection has ended".value]))
    }

    // MARK: End

    /// Ends the connection, because the adapter is gone.
    func cutOff() {
        cancel()
        isCutOff = true
        link?.drop()
        isCutOff = false
    }

    /// Stops all timers, because the device's object is removed.
    func die() {
        bluez.cancel(disconnection)
        device.adapter.connector.cancel(device)
        connecting = nil
        link?.close()
        link = nil
    }
}
