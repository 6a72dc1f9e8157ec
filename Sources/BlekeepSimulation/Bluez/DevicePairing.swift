import BlekeepRecords
import DBus

extension DeviceObject {
    func pair(_ call: Invocation) {
        guard adapter.radio.isPowered else { return call.fail(.notReady) }
        // bluetoothd chooses BR/EDR, which an LE adapter lacks, and never replies.
        guard !stored.isBonded else { return }
        guard pairing == nil else { return call.fail(.inProgress) }
        bluez.watch(call.sender)
        // BlueZ keeps a device after a request to pair, even if pairing fails.
        adapter.radio.kept[peripheral.model.address] = stored
        let agent = bluez.agents.agent(of: call.sender)
        let exchange = PairingExchange(self, agent: agent, isRequested: true) { [weak self] failure in
            self?.paired(failure)
            if let failure { call.fail(failure) } else { call.reply() }
        }
        pairing = (exchange, call.sender)
        if link == nil { adapter.connector.connect(self) } else { exchange.begin() }
    }

    func cancelPairing(_ call: Invocation) {
        guard let (exchange, _) = pairing else { return call.fail(.doesNotExist) }
        exchange.end(PairingExchange.canceled)
        call.reply()
    }

    /// Pairs for a read that needs encryption, with the default agent.
    ///
    /// - Parameter then: called with whether the device is bonded now.
    func raiseSecurity(_ then: @escaping (Bool) -> Void) {
        guard pairing == nil, let agent = bluez.agents.standard else { return }
        let exchange = PairingExchange(self, agent: agent, isRequested: false) { [weak self] failure in
            self?.paired(failure)
            then(failure == nil)
        }
        pairing = (exchange, nil)
        exchange.begin()
    }

    private func paired(_ failure: BluezFailure?) {
        pairing = nil
        guard failure == nil else { return }
        stored.isBonded = true
        adapter.radio.kept[peripheral.model.address] = stored
        peripheral.bond(with: adapter.radio)
        bluez.changed(
            path, interface: Device1.name,
            properties: [
                Device1.paired.name.text: Variant(true), Device1.bonded.name.text: Variant(true),
                Device1.address.name.text: Variant(address.description),
            ])
    }
}
