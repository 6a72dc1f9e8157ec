import Blekeep
import DBus

/// The pairing part of a device's object.
extension DeviceObject {
    func pair(_ call: Invocation) {
        guard adapter.radio.isPowered else { return call.fail(.notReady) }
        // The real one picks BR/EDR, which an LE adapter has not, and forgets to answer.
        guard !stored.isBonded else { return }
        guard pairing == nil else { return call.fail(.inProgress) }
        bluez.watch(call.sender)
        // Whom somebody wants to pair is not forgotten, even when it fails.
        adapter.radio.kept[peripheral.model.address] = stored
        let agent = bluez.agents.agent(of: call.sender)
        let exchange = PairingExchange(self, agent, isRequested: true) { [weak self] failure in
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

    /// A read needs encryption: bluetoothd asks the default agent.
    ///
    /// - Parameter then: hears whether there is a bond now.
    func raiseSecurity(_ then: @escaping (Bool) -> Void) {
        guard pairing == nil, let agent = bluez.agents.standard else { return }
        let exchange = PairingExchange(self, agent, isRequested: false) { [weak self] failure in
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
        peripheral.hasBond = true
        bluez.changed(
            path, Device1.name,
            [
                Device1.paired.name.text: Variant(true), Device1.bonded.name.text: Variant(true),
                Device1.address.name.text: Variant(address.description),
            ])
    }
}
