import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop

/// Does what faults say to a world.
final class SwarmScript: @unchecked Sendable {
    private let bench: Bench
    private let world: World
    private let machine: SimulatedMachine
    private let witness: Witness
    private let stranger: any Bus
    private var random: SplitMix64
    /// The devices that other programs have connected.
    private var strangers: Set<BluetoothAddress> = []
    private var isHealed = false
    private let crowd: [RadioPeripheral]
    private let moments: SwarmMoments
    /// Where the devices are on the adapter, which may come back with another number.
    private var paths: (adapter: Int, devices: [BluetoothAddress: ObjectPath]) = (-1, [:])

    init(
        _ bench: Bench, _ world: World, _ machine: SimulatedMachine, _ witness: Witness, stranger: any Bus,
        seed: UInt64,
        crowd: Set<BluetoothAddress>
    ) {
        self.bench = bench
        self.world = world
        self.machine = machine
        self.witness = witness
        self.stranger = stranger
        random = SplitMix64(seed: ~seed)
        self.crowd = world.peripherals.filter { crowd.contains($0.model.address) }
        moments = SwarmMoments(bench.loop)
        witness.onCall = { [moments] in moments.asked($0) }
    }

    private var loop: RunLoop { bench.loop }

    func play(_ faults: [SwarmFault]) async throws {
        for fault in faults {
            try await loop.sleep(until: .start + fault.moment)
            apply(fault)
        }
    }

    /// Takes everything back that may still be wrong.
    func heal() {
        isHealed = true
        moments.disarm()
        try? bench.startBus()
        world.hangBluez(false)
        witness.isFull = false
        for radio in world.radios {
            world.plug(adapter: radio.index)
            world.unwedge(adapter: radio.index)
            world.power(adapter: radio.index, on: true)
        }
        for peripheral in world.scenario.peripherals {
            world.heal(peripheral.name)
            world.block(peripheral.name, false)
            // Other programs let go what they hold; nobody else may.
            if strangers.contains(peripheral.address) { call(peripheral, Device1.disconnect.name) }
        }
        leave()
        machine.heal()
    }

    /// Everything is well, but for a moment in which nobody can be reached.
    func hiccup(of peripherals: some Sequence<SimulatedPeripheral>) {
        for peripheral in peripherals {
            var behavior = PeripheralBehavior()
            behavior.connecting = .failing("le-connection-abort-by-local")
            world.behave(peripheral.name, behavior)
            world.drop(peripheral.name)
            loop.schedule(at: loop.now + .seconds(3)) { [world] in world.heal(peripheral.name) }
        }
    }

    private func later(_ fault: SwarmFault, _ action: @escaping () -> Void) {
        loop.schedule(at: loop.now + fault.lasting, action)
    }

    private func apply(_ fault: SwarmFault) {
        let peripheral = world.scenario.peripherals[fault.device]
        let name = peripheral.name
        let radio = world.radios[0]
        switch fault.kind {
        case .hide: behavior(fault, name) { $0.isInRange = false }
        case .drop: world.drop(name)
        case .deaf: behavior(fault, name) { $0.connecting = .deaf }
        case .hang: behavior(fault, name) { $0.connecting = .hanging }
        case .hollow: behavior(fault, name) { $0.connecting = .hollow }
        case .unanswered: behavior(fault, name) { $0.connecting = .unanswered }
        case .abort: refuse(fault, name, "le-connection-abort-by-local")
        case .busy: refuse(fault, name, "Operation already in progress")
        case .cancelled: refuse(fault, name, "br-connection-canceled")
        case .full: refuse(fault, name, "le-connection-concurrent-connection-limit")
        case .keyMissing: refuse(fault, name, "le-connection-key-missing")
        case .odd: refuse(fault, name, "nobody has ever seen this")
        case .mute: behavior(fault, name) { $0.reading = .mute }
        case .slow: behavior(fault, name) { $0.latency = .seconds(3) }
        case .attError: behavior(fault, name) { $0.reading = .error(0x0E) }
        case .unresolved: behavior(fault, name) { $0.resolves = false }
        case .zombie: behavior(fault, name) { $0.isZombie = true }
        case .moved: world.moveServices(name)
        case .blocked:
            world.block(name, true)
            later(fault) { [world] in world.block(name, false) }
        case .restartBluez: world.restartBluez(after: fault.lasting)
        case .hangBluez:
            world.hangBluez(true)
            later(fault) { [world] in world.hangBluez(false) }
        case .killBus:
            bench.killBus()
            later(fault) { [bench] in try? bench.startBus() }
        case .powerOff:
            world.power(adapter: radio.index, on: false)
            later(fault) { [world] in world.power(adapter: world.radios[0].index, on: true) }
        case .unplug, .renumber:
            world.unplug(adapter: radio.index)
            later(fault) { [world] in
                let index = world.radios[0].index
                world.plug(adapter: index, as: fault.kind == .renumber ? 1 - index : index)
            }
        case .wedge: wedge(fault)
        case .forge: forge(peripheral)
        case .foreignConnect:
            strangers.insert(peripheral.address)
            call(peripheral, Device1.connect.name)
        case .foreignDisconnect: call(peripheral, Device1.disconnect.name)
        case .lostReplies: witness.press(fault.device.isMultiple(of: 2) ? .high : .critical)
        case .diskFull:
            witness.isFull = true
            later(fault) { [witness] in witness.isFull = false }
        case .power:
            guard let kind = PowerFault.allCases.randomElement(using: &random) else { return }
            // Power is saved for minutes, or nothing would be read meanwhile in any case.
            let isSaving = kind == .drain || kind == .profile
            machine.apply(kind, lasting: isSaving ? fault.lasting * 4 : min(fault.lasting, .seconds(3)), using: &random)
        case .dieAtSnapshot:
            world.restartBluez(after: fault.lasting)
            die(fault, at: ObjectManager.getManagedObjects.name)
        case .dieAtRead: die(fault, at: GattCharacteristic1.readValue.name)
        case .dieAtConnect: die(fault, at: Device1.connect.name)
        case .sleepAtRead:
            let moment = random.duration(in: .milliseconds(10)...(.milliseconds(80)))
            moments.arm(GattCharacteristic1.readValue.name, .time(moment)) { [machine] _ in
                machine.apply(.suspend(fault.lasting))
            }
        case .wakeAtRead:
            let pause = random.duration(in: .zero...(.milliseconds(250)))
            moments.arm(GattCharacteristic1.readValue.name, .turns(1)) { [loop, machine, world] _ in
                world.moveServices(name)
                loop.schedule(at: loop.now + pause) { machine.apply(.announce(false)) }
            }
        case .broken: behavior(fault, name, lasting: fault.lasting * 20) { $0.reading = .error(0x0E) }
        case .stranded: behavior(fault, name) { $0.strands = true }
        case .lingering: linger(fault, name)
        case .crowd: crowd(fault)
        }
    }

    /// bluetoothd dies in the middle of a call, and is back at once or later.
    private func die(_ fault: SwarmFault, at member: MemberName) {
        let moment: SwarmMoments.Moment = .turns(Int.random(in: 1...6, using: &random))
        let pause = Bool.random(using: &random) ? fault.lasting : random.duration(in: .zero...(.milliseconds(50)))
        moments.arm(member, moment) { [world] _ in world.restartBluez(after: pause) }
    }

    /// The next link to come up is never answered for, and ends at once, or after a while if it is held; no other comes
    /// up for some time. So the Connect that made it goes on until its deadline, while newer ones are tried.
    private func linger(_ fault: SwarmFault, _ name: String) {
        let life = random.duration(in: .zero...(.seconds(8)))
        world.drop(name)
        moments.arm(Device1.connect.name, .turns(1)) { [self] path in
            guard let name = self.name(of: path) else { return }
            behavior(fault, name, lasting: .seconds(60)) {
                $0.connecting = .unanswered
                $0.dropsAfter = life < .seconds(4) ? life / 40 : life
            }
            loop.schedule(at: loop.now + .seconds(2)) { [world] in world.deaf(name) }
        }
    }

    private func name(of path: ObjectPath) -> String? {
        let address = BluetoothAddress(device: path)
        return world.scenario.peripherals.first { $0.address == address }?.name
    }

    /// All connections are lost, and other programs are quicker to have theirs again, and want more of them.
    private func crowd(_ fault: SwarmFault) {
        guard !crowd.isEmpty else { return }
        for peripheral in crowd { world.show(peripheral.model.name) }
        world.power(adapter: world.radios[0].index, on: false)
        loop.schedule(at: loop.now + .milliseconds(100)) { [world] in
            world.power(adapter: world.radios[0].index, on: true)
        }
        press(until: loop.now + fault.lasting * 15)
    }

    private func press(until end: Uptime) {
        guard loop.now < end else { return leave() }
        for peripheral in crowd where !peripheral.isConnected { call(peripheral.model, Device1.connect.name) }
        loop.schedule(at: loop.now + .seconds(1)) { [weak self] in self?.press(until: end) }
    }

    private func leave() {
        for peripheral in crowd {
            call(peripheral.model, Device1.disconnect.name)
            world.hide(peripheral.model.name)
        }
    }

    /// The radio is stuck, sometimes while somebody else has a link that is not.
    private func wedge(_ fault: SwarmFault) {
        let bystander = world.scenario.peripherals.first { $0.name == SwarmSetting.bystander }
        if let bystander, fault.device.isMultiple(of: 2) { call(bystander, Device1.connect.name) }
        loop.schedule(at: loop.now + .seconds(5)) { [self] in
            guard !isHealed else { return }
            let cure: Cure = fault.device.isMultiple(of: 3) ? .restart : .powerCycle
            world.wedge(adapter: world.radios[0].index, until: cure, sparing: SwarmSetting.bystander)
        }
        loop.schedule(at: loop.now + fault.lasting * 10) { [weak self] in
            if let bystander { self?.call(bystander, Device1.disconnect.name) }
        }
        loop.schedule(at: loop.now + fault.lasting * 20) { [world] in
            world.unwedge(adapter: world.radios[0].index)
        }
    }

    private func refuse(_ fault: SwarmFault, _ name: String, _ text: String) {
        behavior(fault, name) { $0.connecting = .failing(text) }
    }

    private func behavior(
        _ fault: SwarmFault, _ name: String, lasting length: Duration? = nil,
        _ change: (inout PeripheralBehavior) -> Void
    ) {
        var behavior = PeripheralBehavior()
        change(&behavior)
        world.behave(name, behavior)
        loop.schedule(at: loop.now + (length ?? fault.lasting)) { [world] in world.heal(name) }
    }

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

    private func forge(_ peripheral: SimulatedPeripheral) {
        let down: Properties = ["Connected": Variant(false), "ServicesResolved": Variant(false)]
        stranger.emit(
            Signal(
                path(peripheral), PropertiesInterface.name, PropertiesInterface.propertiesChanged.name,
                [Device1.name.text.value, down.value, [String]().value]))
        stranger.emit(
            Signal(
                path(peripheral), Device1.name, Device1.disconnected.name,
                ["org.bluez.Reason.Local".value, "".value]))
        stranger.emit(
            Signal(
                .root, ObjectManager.name, ObjectManager.interfacesRemoved.name,
                [path(peripheral).value, [Device1.name.text].value]))
    }

    private func call(_ peripheral: SimulatedPeripheral, _ member: MemberName) {
        stranger.send(MethodCall(Bluez.service, path(peripheral), Device1.name, member, within: .seconds(45)))
    }
}
