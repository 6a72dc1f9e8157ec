import Blekeep
import BlekeepSimulation
import DBus
import RunLoop

/// Other programs that use BlueZ, and one that forges its signals.
final class OtherPrograms: @unchecked Sendable {
    private let bus: any Bus
    private let world: World
    /// Devices that are in range only while other programs take all slots.
    private let crowd: [RadioPeripheral]
    private var held: Set<BluetoothAddress> = []
    /// The paths of the devices. The adapter may return with another number.
    private var paths: (adapter: Int, devices: [BluetoothAddress: ObjectPath]) = (-1, [:])

    init(on bus: any Bus, _ world: World, crowd: Set<BluetoothAddress>) {
        self.bus = bus
        self.world = world
        self.crowd = world.peripherals.filter { crowd.contains($0.model.address) }
    }

    private var loop: RunLoop { bus.loop }

    // MARK: Connections

    func connect(_ peripheral: SimulatedPeripheral) { call(peripheral, Device1.connect.name) }

    func disconnect(_ peripheral: SimulatedPeripheral) { call(peripheral, Device1.disconnect.name) }

    /// Connects a device until `release`.
    func hold(_ peripheral: SimulatedPeripheral) {
        held.insert(peripheral.address)
        connect(peripheral)
    }

    /// Disconnects a device that other programs hold.
    func release(_ peripheral: SimulatedPeripheral) {
        if held.contains(peripheral.address) { disconnect(peripheral) }
    }

    /// Ends all connections. Other programs reconnect faster, and take more slots.
    func crowd(until end: Uptime) {
        guard !crowd.isEmpty else { return }
        for peripheral in crowd { world.show(peripheral.model.name) }
        world.power(adapter: world.radios[0].index, on: false)
        loop.schedule(at: loop.now + .milliseconds(100)) { [world] in
            world.power(adapter: world.radios[0].index, on: true)
        }
        press(until: end)
    }

    private func press(until end: Uptime) {
        guard loop.now < end else { return leave() }
        for peripheral in crowd where !peripheral.isConnected { call(peripheral.model, Device1.connect.name) }
        loop.schedule(at: loop.now + .seconds(1)) { [weak self] in self?.press(until: end) }
    }

    /// Ends the connections that took all slots.
    func leave() {
        for peripheral in crowd {
            call(peripheral.model, Device1.disconnect.name)
            world.hide(peripheral.model.name)
        }
    }

    // MARK: Messages

    private func path(_ peripheral: SimulatedPeripheral) -> ObjectPath {
        let adapter = world.radios[0].index
        if paths.adapter != adapter {
            let addresses = Set(world.scenario.peripherals.map(\.address))
            paths = (
                adapter,
                addresses.reduce(into: [:]) { paths, address in
                    paths[address] = ObjectPath(
                        unchecked: "/org/bluez/hci\(adapter)/dev_\(address.joined(by: "_"))")
                }
            )
        }
        return paths.devices[peripheral.address] ?? .root
    }

    /// Forges signals that the connection ended, that the device is gone, or both.
    ///
    /// Each alone, too: a poller that believes that the device is gone doesn't connect it again, and S9 sees nothing.
    func forge(_ peripheral: SimulatedPeripheral, variant: Int) {
        let down: Properties = ["Connected": Variant(false), "ServicesResolved": Variant(false)]
        let ended = [
            Signal(
                path(peripheral), interface: PropertiesInterface.name,
                member: PropertiesInterface.propertiesChanged.name,
                arguments: [Device1.name.text.value, down.value, [String]().value]),
            Signal(
                path(peripheral), interface: Device1.name, member: Device1.disconnected.name,
                arguments: ["org.bluez.Reason.Local".value, "".value]),
        ]
        let gone = Signal(
            .root, interface: ObjectManager.name, member: ObjectManager.interfacesRemoved.name,
            arguments: [path(peripheral).value, [Device1.name.text].value])
        for signal in [ended, [gone], ended + [gone]][variant % 3] { bus.emit(signal) }
    }

    private func call(_ peripheral: SimulatedPeripheral, _ member: MemberName) {
        bus.send(
            MethodCall(
                Bluez.service, at: path(peripheral), interface: Device1.name, member: member, within: .seconds(45)))
    }
}
