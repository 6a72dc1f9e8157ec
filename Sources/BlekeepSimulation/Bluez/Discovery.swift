import Blekeep
import DBus
import RunLoop

/// Who discovers with an adapter, and when the next advertisement of whom is heard.
final class Discovery {
    private unowned let adapter: AdapterObject
    private var filters: [BusName: DiscoveryFilter] = [:]
    private var clients: Set<BusName> = []
    private var next: [BluetoothAddress: LoopTimer] = [:]

    init(_ adapter: AdapterObject) {
        self.adapter = adapter
    }

    var isOn: Bool { !clients.isEmpty }

    var tellsDuplicates: Bool { clients.contains { filters[$0]?.wantsDuplicates == true } }

    // MARK: Clients

    func setFilter(_ options: Properties, of client: BusName) throws(BluezFailure) {
        let filter = try DiscoveryFilter(options)
        filters[client] = options.isEmpty ? nil : filter
        adapter.bluez.watch(client)
    }

    func start(for client: BusName) throws(BluezFailure) {
        guard adapter.radio.isPowered else { throw .notReady }
        guard clients.insert(client).inserted else { throw .discovering }
        adapter.bluez.watch(client)
        if clients.count == 1 { begin() }
    }

    func stop(for client: BusName) throws(BluezFailure) {
        guard clients.remove(client) != nil else { throw .noDiscovery }
        if clients.isEmpty { end() }
    }

    /// The client left the bus.
    func left(_ client: BusName) {
        filters[client] = nil
        if clients.remove(client) != nil, clients.isEmpty { end() }
    }

    /// Ends it for everybody, because the adapter was switched off.
    func stopAll() {
        guard isOn else { return }
        clients = []
        end()
    }

    // MARK: Hearing

    private func begin() {
        adapter.changed(Adapter1.discovering, to: true)
        for peripheral in adapter.bluez.air.peripherals { listen(to: peripheral) }
    }

    private func end() {
        rest()
        adapter.discoveryEnded()
        adapter.changed(Adapter1.discovering, to: false)
    }

    private var isHearing: Bool { isOn || adapter.monitors.isOn }

    /// Somebody began or ended to listen passively, or the adapter was switched.
    func monitorsChanged() {
        for peripheral in adapter.bluez.air.peripherals { listen(to: peripheral) }
        rest()
    }

    /// Waits for nobody where nobody listens.
    private func rest() {
        guard !isHearing else { return }
        for timer in next.values { adapter.bluez.cancel(timer) }
        next = [:]
    }

    /// Waits for the peripheral's next advertisement, if it makes any and is not waited for already.
    func listen(to peripheral: RadioPeripheral) {
        guard isHearing, adapter.radio.wedge == nil, peripheral.isAdvertising, next[peripheral.model.address] == nil
        else { return }
        wait(for: peripheral, peripheral.random.duration(in: adapter.bluez.timing.firstHeard))
    }

    private func wait(for peripheral: RadioPeripheral, _ delay: Duration) {
        next[peripheral.model.address] = adapter.bluez.after(delay) { [weak self] in self?.hear(peripheral) }
    }

    private func hear(_ peripheral: RadioPeripheral) {
        next[peripheral.model.address] = nil
        guard isHearing, adapter.radio.wedge == nil, peripheral.isAdvertising else { return }
        let strength = peripheral.heardStrength()
        let isMonitored = adapter.monitors.wants(peripheral.model)
        if isMonitored || isOn && isWanted(peripheral.model, strength) {
            let device = adapter.heard(peripheral, strength)
            if isMonitored { adapter.monitors.found(device, peripheral.model) }
        }
        wait(for: peripheral, max(peripheral.model.advertisingInterval, adapter.bluez.timing.leastBetweenSignals))
    }

    private func isWanted(_ peripheral: SimulatedPeripheral, _ strength: Int16) -> Bool {
        clients.contains { filters[$0]?.accepts(peripheral, strength: strength) ?? true }
    }
}
