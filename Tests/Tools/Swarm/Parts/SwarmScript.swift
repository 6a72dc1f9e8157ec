import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop

/// Performs faults in a world.
final class SwarmScript: @unchecked Sendable {
    private let bench: Bench
    private let world: World
    private let machine: SimulatedMachine
    private let witness: Witness
    private let others: OtherPrograms
    private var random: SplitMix64
    private var isHealed = false
    private let triggers: SwarmTriggers
    /// Ends the poller, and starts another one after a pause.
    var onRestart: ((_ isKilled: Bool, _ pause: Duration) -> Void)?
    /// Changes the configuration of the poller.
    var onReconfigure: (((inout ChangingConfiguration) -> Void) -> Void)?

    init(
        _ bench: Bench, _ world: World, _ machine: SimulatedMachine, _ witness: Witness, _ others: OtherPrograms,
        seed: UInt64
    ) {
        self.bench = bench
        self.world = world
        self.machine = machine
        self.witness = witness
        self.others = others
        random = SplitMix64(seed: ~seed)
        triggers = SwarmTriggers(bench.loop)
        witness.onCall = { [triggers] in triggers.observe($0) }
    }

    private var loop: RunLoop { bench.loop }
    private static let thermometer = "sps"

    func play(_ faults: [SwarmFault]) async throws {
        for fault in faults {
            try await loop.sleep(until: .start + fault.moment)
            witness.onEvent?(fault.moment, "fault: \(fault)")
            apply(fault)
        }
    }

    /// Ends all faults.
    func heal() {
        isHealed = true
        triggers.disarm()
        try? bench.startBus()
        world.hangBluez(false)
        world.keepRecords(false)
        witness.isFull = false
        for radio in world.radios {
            world.plug(adapter: radio.index)
            world.unwedge(adapter: radio.index)
            world.power(adapter: radio.index, on: true)
        }
        for peripheral in world.scenario.peripherals {
            world.heal(peripheral.name)
            world.block(peripheral.name, isBlocked: false)
            others.release(peripheral)
        }
        others.leave()
        machine.heal()
    }

    /// Makes all peripherals unreachable for a short time.
    func hiccup(of peripherals: some Sequence<SimulatedPeripheral>) {
        for peripheral in peripherals {
            world.behave(peripheral.name, as: SwarmFault.Kind.abort.behavior)
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
        case .hide, .deaf, .hang, .hollow, .unanswered, .abort, .busy, .cancelled, .full, .keyMissing, .odd, .mute,
            .slow, .attError, .unresolved, .zombie, .stranded, .lateObjects, .noObjects:
            behave(fault.kind.behavior, name, for: fault.lasting)
        case .broken: behave(fault.kind.behavior, name, for: fault.lasting * 20)
        case .drop: world.drop(name)
        case .moved: world.moveServices(name)
        case .blocked:
            world.block(name, isBlocked: true)
            later(fault) { [world] in world.block(name, isBlocked: false) }
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
                let free = index == 0 ? world.radios.count : 0
                world.plug(adapter: index, as: fault.kind == .renumber ? free : index)
            }
        case .wedge: wedge(fault)
        case .forge: others.forge(peripheral, variant: Int(fault.lasting.components.seconds))
        case .foreignConnect: others.hold(peripheral)
        case .foreignDisconnect: others.disconnect(peripheral)
        case .lostReplies: witness.press(fault.device.isMultiple(of: 2) ? .high : .critical)
        case .lostSignals: loseSignals(fault)
        case .diskFull:
            witness.isFull = true
            later(fault) { [witness] in witness.isFull = false }
        case .power: changePower(fault)
        case .dieAtSnapshot:
            world.restartBluez(after: fault.lasting)
            die(fault, at: ObjectManager.getManagedObjects.name)
        case .dieAtRead: die(fault, at: GattCharacteristic1.readValue.name)
        case .dieAtConnect: die(fault, at: Device1.connect.name)
        case .sleepAtRead: sleepAtRead(fault)
        case .wakeAtRead: wakeAtRead(name)
        case .lingering: linger(fault, name)
        case .keptRecords:
            world.keepRecords(true)
            loop.schedule(at: loop.now + fault.lasting * 10) { [world] in world.keepRecords(false) }
        case .lateName, .newName:
            // bluetoothd forgets the name that it has.
            world.forget(Self.thermometer)
            if fault.kind == .newName { return world.rename(Self.thermometer, to: "Thermo SoC demo") }
            world.hideName(Self.thermometer)
            later(fault) { [world] in world.heal(Self.thermometer) }
        case .crowd: others.crowd(until: loop.now + fault.lasting * 15)
        case .restart: onRestart?(false, fault.lasting)
        case .kill: onRestart?(true, fault.lasting)
        case .killAtConnect:
            let moment: SwarmTriggers.Delay = .turns(Int.random(in: 1...20, using: &random))
            triggers.arm(Device1.connect.name, moment) { [unowned self] _ in onRestart?(true, fault.lasting) }
        case .reconfigure: reconfigure(fault)
        case .removeAtCall: removeAtCall(fault)
        }
    }

    // MARK: Configurations

    /// A stream of the fault's own, so that it does the same without other faults.
    private func stream(of fault: SwarmFault) -> SplitMix64 {
        SplitMix64(seed: UInt64(fault.moment / .milliseconds(1)) ^ UInt64(fault.device) << 32)
    }

    /// Changes the configuration up to four times, at once or within seconds.
    private func reconfigure(_ fault: SwarmFault) {
        var random = stream(of: fault)
        var pause = Duration.zero
        for _ in 0...Int.random(in: 0..<4, using: &random) {
            reconfigure(after: pause, seed: random.next()) { $0.change(using: &$1) }
            let longest: [Duration] = [.zero, .milliseconds(200), .seconds(5), fault.lasting]
            pause += random.duration(in: .zero...(longest.randomElement(using: &random) ?? .zero))
        }
    }

    private func reconfigure(
        after pause: Duration, seed: UInt64, _ change: @escaping (inout ChangingConfiguration, inout SplitMix64) -> Void
    ) {
        loop.schedule(at: loop.now + pause) { [self] in
            if isHealed { return }
            var random = SplitMix64(seed: seed)
            onReconfigure? { change(&$0, &random) }
        }
    }

    /// Removes a device during a call to it. It comes back soon after, or while the poller disconnects it.
    private func removeAtCall(_ fault: SwarmFault) {
        var random = stream(of: fault)
        let members = [
            Device1.connect.name, GattCharacteristic1.readValue.name, GattCharacteristic1.startNotify.name,
            Device1.disconnect.name,
        ]
        let member = members.randomElement(using: &random) ?? Device1.connect.name
        let moment: SwarmTriggers.Delay =
            Bool.random(using: &random)
            ? .turns(Int.random(in: 1...20, using: &random)) : .time(random.duration(in: .zero ... .seconds(2)))
        let isAtDisconnect = Bool.random(using: &random)
        let turns = Int.random(in: 1...20, using: &random)
        let longest: [Duration] = [.zero, .milliseconds(200), .seconds(5), fault.lasting]
        let pause = random.duration(in: .zero...(longest.randomElement(using: &random) ?? .zero))
        let seed = random.next()
        triggers.arm(member, moment) { [self] path in
            guard let device = BluetoothAddress(device: path), !isHealed else { return }
            if isAtDisconnect {
                triggers.arm(Device1.disconnect.name, .turns(turns)) { [self] _ in
                    reconfigure(after: .zero, seed: seed) { $0.bringBack(device, using: &$1) }
                }
            }
            onReconfigure? { $0.remove(device) }
            if !isAtDisconnect { reconfigure(after: pause, seed: seed) { $0.bringBack(device, using: &$1) } }
        }
    }

    /// Turns the adapter off, or unplugs it. That it is on or back soon after is a signal that gets lost.
    private func loseSignals(_ fault: SwarmFault) {
        let index = world.radios[0].index
        let isOff = fault.device.isMultiple(of: 2)
        if isOff { world.power(adapter: index, on: false) } else { world.unplug(adapter: index) }
        later(fault) { [world] in
            world.losingSignals {
                let index = world.radios[0].index
                if isOff { world.power(adapter: index, on: true) } else { world.plug(adapter: index) }
            }
        }
    }

    private func changePower(_ fault: SwarmFault) {
        guard let kind = PowerFault.allCases.randomElement(using: &random) else { return }
        // Power saving lasts for minutes, so that there are reads in it.
        let isSaving = kind == .drain || kind == .profile
        machine.apply(kind, lasting: isSaving ? fault.lasting * 4 : min(fault.lasting, .seconds(3)), using: &random)
    }

    // MARK: During a call

    private func sleepAtRead(_ fault: SwarmFault) {
        let moment = random.duration(in: .milliseconds(10)...(.milliseconds(80)))
        triggers.arm(GattCharacteristic1.readValue.name, .time(moment)) { [machine] _ in
            machine.apply(.suspend(fault.lasting))
        }
    }

    private func wakeAtRead(_ name: String) {
        let pause = random.duration(in: .zero...(.milliseconds(250)))
        triggers.arm(GattCharacteristic1.readValue.name, .turns(1)) { [loop, machine, world] _ in
            world.moveServices(name)
            loop.schedule(at: loop.now + pause) { machine.apply(.announce(false)) }
        }
    }

    /// Kills bluetoothd during a call. It returns at once or later.
    private func die(_ fault: SwarmFault, at member: MemberName) {
        let moment: SwarmTriggers.Delay = .turns(Int.random(in: 1...6, using: &random))
        let pause = Bool.random(using: &random) ? fault.lasting : random.duration(in: .zero...(.milliseconds(50)))
        triggers.arm(member, moment) { [world] _ in world.restartBluez(after: pause) }
    }

    /// Makes the next connection come up without a reply of Connect, and end at once or, if it is held, after a time. No other
    /// connection comes up for some time. Its Connect then waits until its deadline, during newer attempts.
    private func linger(_ fault: SwarmFault, _ name: String) {
        let life = random.duration(in: .zero...(.seconds(8)))
        world.drop(name)
        triggers.arm(Device1.connect.name, .turns(1)) { [self] path in
            guard let name = self.name(of: path) else { return }
            var behavior = SwarmFault.Kind.unanswered.behavior
            behavior.dropsAfter = life < .seconds(4) ? life / 40 : life
            behave(behavior, name, for: .seconds(60))
            loop.schedule(at: loop.now + .seconds(2)) { [world] in world.deaf(name) }
        }
    }

    private func name(of path: ObjectPath) -> String? {
        let address = BluetoothAddress(device: path)
        return world.scenario.peripherals.first { $0.address == address }?.name
    }

    /// Makes the adapter stuck, sometimes with a working connection of another program.
    private func wedge(_ fault: SwarmFault) {
        let bystander = world.scenario.peripherals.first { $0.name == SwarmSetting.bystander }
        if let bystander, fault.device.isMultiple(of: 2) { others.connect(bystander) }
        loop.schedule(at: loop.now + .seconds(5)) { [self] in
            guard !isHealed else { return }
            let cure: Cure = fault.device.isMultiple(of: 3) ? .restart : .powerCycle
            world.wedge(adapter: world.radios[0].index, until: cure, sparing: SwarmSetting.bystander)
        }
        loop.schedule(at: loop.now + fault.lasting * 10) { [weak others] in
            if let bystander { others?.disconnect(bystander) }
        }
        loop.schedule(at: loop.now + fault.lasting * 20) { [world] in
            world.unwedge(adapter: world.radios[0].index)
        }
    }

    private func behave(_ behavior: PeripheralBehavior, _ name: String, for length: Duration) {
        world.behave(name, as: behavior)
        loop.schedule(at: loop.now + length) { [world] in world.heal(name) }
    }
}
