import BlekeepRecords
import DBus
import RunLoop

/// One process of bluetoothd, from its start to its end, with its connection to the bus.
final class SimulatedBluez {
    let bus: any Bus
    let loop: RunLoop
    let host: Host
    let air: Air
    /// The shared members of adapters and devices.
    let adapterInterface = AdapterObject.makeInterface()
    let deviceInterface = DeviceObject.makeInterface()
    let agents = AgentRegistry()
    private(set) var adapters: [AdapterObject] = []
    private(set) var isRunning = true
    private var watched: Set<BusName> = []
    private let onClient: (BusName) -> Void

    /// - Parameter onClient: called once with each client to watch.
    init(on bus: any Bus, host: Host, in air: Air, onClient: @escaping (BusName) -> Void) {
        self.bus = bus
        loop = bus.loop
        self.host = host
        self.air = air
        self.onClient = onClient
        bus.export(ExportedObject(.root, isManager: true))
        agents.onClient = { [weak self] in self?.watch($0) }
        publish(ExportedObject(Bluez.root, [agents.interface]))
    }

    var timing: BluezTiming { host.timing }

    /// Ends without signals. No timer fires afterwards.
    func end() {
        isRunning = false
        for adapter in adapters { adapter.die() }
        adapters = []
    }

    // MARK: Adapters

    /// Adds the adapters. Call it after taking the name, as the real one does.
    func findAdapters() {
        for radio in host.radios where radio.isPlugged && adapter(radio) == nil { add(radio) }
    }

    func add(_ radio: Radio) { adapters.append(AdapterObject(radio, self)) }

    func remove(_ radio: Radio) {
        guard let index = adapters.firstIndex(where: { $0.radio === radio }) else { return }
        adapters.remove(at: index).unplug()
    }

    func adapter(_ radio: Radio) -> AdapterObject? { adapters.first { $0.radio === radio } }

    /// Updates the peripheral, whose range or behavior changed.
    func radioChanged(_ peripheral: RadioPeripheral) {
        guard isRunning else { return }
        for adapter in adapters { adapter.radioChanged(peripheral) }
    }

    /// The objects of the peripheral, one for each adapter and address.
    func devices(of peripheral: RadioPeripheral) -> [DeviceObject] {
        adapters.flatMap(\.devices).filter { $0.peripheral === peripheral }
    }

    // MARK: Clients

    /// Watches a client, to end its requests when it leaves.
    func watch(_ client: BusName) {
        if watched.insert(client).inserted { onClient(client) }
    }

    func left(_ client: BusName) {
        agents.left(client)
        for adapter in adapters { adapter.left(client) }
    }

    // MARK: Objects

    func publish(_ object: ExportedObject) {
        bus.export(object)
        emit(ObjectManager.interfacesAdded.name, arguments: object.interfacesAdded)
    }

    func withdraw(_ object: ExportedObject) {
        bus.withdraw(object.path)
        emit(ObjectManager.interfacesRemoved.name, arguments: object.interfacesRemoved)
    }

    func added(_ object: ExportedObject, interface: ExportedInterface) {
        object.add(interface)
        emit(ObjectManager.interfacesAdded.name, arguments: object.interfacesAdded([interface]))
    }

    func removed(_ object: ExportedObject, interface: InterfaceName) {
        object.remove(interface)
        emit(ObjectManager.interfacesRemoved.name, arguments: [object.path.value, [interface.text].value])
    }

    func changed<Content>(_ path: ObjectPath, property: Property<Content>, to content: Content) {
        changed(
            path, interface: property.interface,
            property: Value.Entry(property.name.text.value, .variant(content.value)))
    }

    func changed(_ path: ObjectPath, interface: InterfaceName, property: Value.Entry) {
        changed(
            path, interface: interface,
            properties: .dictionary(key: String.signature, value: Variant.signature, [property]))
    }

    func changed(_ path: ObjectPath, interface: InterfaceName, properties: Properties, invalidated: [String] = []) {
        changed(path, interface: interface, properties: properties.value, invalidated: invalidated.value)
    }

    private func changed(
        _ path: ObjectPath, interface: InterfaceName, properties: Value, invalidated: Value = SimulatedBluez.none
    ) {
        guard isRunning, !host.losesSignals else { return }
        let name = PropertiesInterface.propertiesChanged.name
        bus.emit(
            Signal(
                path, interface: PropertiesInterface.name, member: name,
                arguments: [interface.text.value, properties, invalidated]))
    }

    private static let none = [String]().value

    /// Announces objects from the root path, as bluetoothd does.
    private func emit(_ member: MemberName, arguments: [Value]) {
        guard isRunning, !host.losesSignals else { return }
        bus.emit(Signal(.root, interface: ObjectManager.name, member: member, arguments: arguments))
    }

    // MARK: Time

    /// Runs `action` after a time, if bluetoothd still runs then.
    @discardableResult
    func after(_ delay: Duration, action: @escaping () -> Void) -> LoopTimer {
        let timer = timer(action)
        arm(timer, after: delay)
        return timer
    }

    /// Returns a timer that does nothing after the end of bluetoothd.
    func timer(_ action: @escaping () -> Void) -> LoopTimer { LifeTimer(self, action) }

    func arm(_ timer: LoopTimer, after delay: Duration) { loop.arm(timer, at: loop.now + delay) }

    func cancel(_ timer: LoopTimer?) {
        if let timer { loop.disarm(timer) }
    }

    private final class LifeTimer: LoopTimer {
        private let life: SimulatedBluez
        private let action: () -> Void

        init(_ life: SimulatedBluez, _ action: @escaping () -> Void) { (self.life, self.action) = (life, action) }

        override func fire() {
            if life.isRunning { action() }
        }
    }
}
