import BlekeepRecords
import DBus
import RunLoop

/// The clients that discover with an adapter, and the times of the next advertisements.
final class AdapterDiscovery {
    private unowned let adapter: AdapterObject
    private var filters: [BusName: DiscoveryFilter] = [:]
    private var clients: Set<BusName> = []
    private var next: [BluetoothAddress: LoopTimer] = [:]

    init(_ adapter: AdapterObject) { self.adapter = adapter }

    var isOn: Bool { !clients.isEmpty && !adapter.bluez.host.ignoresSearches }

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
        if clients.count == 1, isOn { begin() }
    }

    func stop(for client: BusName) throws(BluezFailure) {
        guard clients.remove(client) != nil else { throw .noDiscovery }
        if clients.isEmpty { end() }
    }

    func left(_ client: BusName) {
        filters[client] = nil
        if clients.remove(client) != nil, clients.isEmpty { end() }
    }

    /// Ends discovery for all clients, because the adapter was turned off.
    func stopAll() {
        guard isOn else { return }
        clients = []
        end()
    }

    /// The adapter stops searching by itself, although clients want it.
    func cease() {
        guard !clients.isEmpty else { return }
        end()
    }

    /// The adapter searches again for the clients that want it.
    func resume() { if isOn { begin() } }

    // MARK: Advertisements

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

    /// Starts or stops the timers after a client started or stopped listening, or the adapter was turned on or off.
    func monitorsChanged() {
        for peripheral in adapter.bluez.air.peripherals { listen(to: peripheral) }
        rest()
    }

    /// Stops the timers when no client listens.
    private func rest() {
        guard !isHearing else { return }
        for timer in next.values { adapter.bluez.cancel(timer) }
        next = [:]
    }

    /// Sets the timer of the peripheral's next advertisement, if it advertises and has none yet.
    func listen(to peripheral: RadioPeripheral) {
        guard isHearing, adapter.radio.wedge == nil, adapter.bluez.host.hears(peripheral, with: adapter.radio),
            next[peripheral.model.address] == nil
        else { return }
        wait(for: peripheral, peripheral.random.duration(in: adapter.bluez.timing.firstHeard))
    }

    private func wait(for peripheral: RadioPeripheral, _ delay: Duration) {
        next[peripheral.model.address] = adapter.bluez.after(delay) { [weak self] in self?.hear(peripheral) }
    }

    private func hear(_ peripheral: RadioPeripheral) {
        next[peripheral.model.address] = nil
        guard isHearing, adapter.radio.wedge == nil, adapter.bluez.host.hears(peripheral, with: adapter.radio) else {
            return
        }
        let pause = max(peripheral.model.advertisingInterval, adapter.bluez.timing.leastBetweenSignals)
        if isOn { peripheral.answeredScan(for: pause) }
        let strength = adapter.bluez.host.heardStrength(of: peripheral, at: adapter.radio)
        let isMonitored = adapter.monitors.wants(peripheral.model)
        if isMonitored || isOn && isWanted(peripheral.model, at: strength) {
            let device = adapter.heard(peripheral, at: strength)
            if isMonitored { adapter.monitors.found(device, peripheral: peripheral.model) }
        }
        wait(for: peripheral, pause)
    }

    private func isWanted(_ peripheral: SimulatedPeripheral, at strength: Int16) -> Bool {
        clients.contains { filters[$0]?.accepts(peripheral, strength: strength) ?? true }
    }
}
