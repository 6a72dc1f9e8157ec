import Blekeep
import DBus
import RunLoop

/// One life of bluetoothd: what it exports on its connection to the bus, from its start to its end.
final class SimulatedBluez {
    let bus: any Bus
    unowned let world: World
    let agents = AgentRegistry()
    private(set) var adapters: [AdapterObject] = []
    private(set) var isRunning = true
    private var watched: Set<BusName> = []

    init(on bus: any Bus, in world: World) {
        self.bus = bus
        self.world = world
        bus.export(ExportedObject(.root, isManager: true))
        agents.onClient = { [weak self] in self?.watch($0) }
        publish(ExportedObject(Bluez.root, [agents.interface]))
    }

    var timing: BluezTiming { world.scenario.timing }

    /// The end: nothing of it acts any more, and nobody is told.
    func end() {
        isRunning = false
        for adapter in adapters { adapter.die() }
        adapters = []
    }

    // MARK: Adapters

    /// To be called when the name is owned: like the real one, it has no adapter before.
    func findAdapters() {
        for radio in world.radios where radio.isPlugged && adapter(radio) == nil { add(radio) }
    }

    func add(_ radio: Radio) { adapters.append(AdapterObject(radio, self)) }

    func remove(_ radio: Radio) {
        guard let index = adapters.firstIndex(where: { $0.radio === radio }) else { return }
        adapters.remove(at: index).unplug()
    }

    func adapter(_ radio: Radio) -> AdapterObject? { adapters.first { $0.radio === radio } }

    /// A peripheral came, went, or behaves in another way.
    func radioChanged(_ peripheral: RadioPeripheral) {
        guard isRunning else { return }
        for adapter in adapters { adapter.radioChanged(peripheral) }
    }

    // MARK: Clients

    /// Sees to it that what a client has asked for ends with the client.
    func watch(_ client: BusName) {
        if watched.insert(client).inserted { world.upkeep.add(.watch(client)) }
    }

    func left(_ client: BusName) {
        agents.left(client)
        for adapter in adapters { adapter.left(client) }
    }

    // MARK: Objects

    func publish(_ object: ExportedObject) {
        bus.export(object)
        emit(ObjectManager.name, ObjectManager.interfacesAdded.name, [object.path.value, object.managed])
    }

    func withdraw(_ object: ExportedObject) {
        bus.withdraw(object.path)
        removed(object.path, object.interfaces.map(\.name))
    }

    func added(_ object: ExportedObject, _ interface: ExportedInterface) {
        object.add(interface)
        emit(
            ObjectManager.name, ObjectManager.interfacesAdded.name,
            [object.path.value, ExportedObject.managed([interface])])
    }

    func removed(_ object: ExportedObject, _ interface: InterfaceName) {
        object.remove(interface)
        removed(object.path, [interface])
    }

    private func removed(_ path: ObjectPath, _ interfaces: [InterfaceName]) {
        emit(
            ObjectManager.name, ObjectManager.interfacesRemoved.name,
            [path.value, interfaces.map(\.text).value])
    }

    func changed<Content>(_ path: ObjectPath, _ property: Property<Content>, to content: Content) {
        changed(path, property.interface, [property.name.text: Variant(content)])
    }

    func changed(
        _ path: ObjectPath, _ interface: InterfaceName, _ properties: Properties, invalidated: [String] = []
    ) {
        let name = PropertiesInterface.propertiesChanged.name
        let arguments = [interface.text.value, properties.value, invalidated.value]
        guard isRunning else { return }
        bus.emit(Signal(path, PropertiesInterface.name, name, arguments))
    }

    private func emit(_ interface: InterfaceName, _ member: MemberName, _ arguments: [Value]) {
        guard isRunning else { return }
        bus.emit(Signal(.root, interface, member, arguments))
    }

    // MARK: Time

    /// Runs `action` after a while, if bluetoothd still lives then.
    @discardableResult
    func after(_ delay: Duration, _ action: @escaping () -> Void) -> LoopTimer {
        bus.loop.schedule(at: bus.loop.now + delay) { [weak self] in
            guard let self, self.isRunning else { return }
            action()
        }
    }

    func cancel(_ timer: LoopTimer?) {
        if let timer { bus.loop.disarm(timer) }
    }
}
