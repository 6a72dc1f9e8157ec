import Blekeep
import DBus
import RunLoop

/// One thing that goes wrong, and when.
struct SwarmFault: Sendable, Hashable, CustomStringConvertible {
    var moment: Duration
    var kind: Kind
    /// Which peripheral; a number into the scenario's list.
    var device: Int
    /// How long it lasts, where it does.
    var lasting: Duration

    enum Kind: String, Sendable, CaseIterable {
        case hide, drop, deaf, hang, hollow, unanswered, abort, mute, slow, attError, unresolved
        case restartBluez, killBus, powerOff, unplug, renumber, forge, foreignConnect, foreignDisconnect
    }

    var description: String { "\(moment) \(kind.rawValue) \(device) for \(lasting)" }

    /// The faults of a seed: some kinds only, at rates of their own.
    static func schedule(seed: UInt64, devices: Int, length: Duration) -> [SwarmFault] {
        var random = SplitMix64(seed: seed)
        var faults: [SwarmFault] = []
        for kind in Kind.allCases where Int.random(in: 0..<3, using: &random) == 0 {
            let rarest = random.duration(in: .seconds(120) ... .seconds(3600))
            var moment = random.duration(in: .seconds(1)...rarest)
            while moment < length {
                faults.append(
                    SwarmFault(
                        moment: moment, kind: kind, device: Int.random(in: 0..<devices, using: &random),
                        lasting: random.duration(in: .milliseconds(100) ... .seconds(90))))
                moment += random.duration(in: .seconds(1)...rarest)
            }
        }
        return faults.sorted { ($0.moment, $0.kind.rawValue) < ($1.moment, $1.kind.rawValue) }
    }
}

/// Does what faults say to a world.
final class SwarmScript: @unchecked Sendable {
    private let bench: Bench
    private let world: World
    private let stranger: any Bus

    init(_ bench: Bench, _ world: World, stranger: any Bus) {
        self.bench = bench
        self.world = world
        self.stranger = stranger
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
        try? bench.startBus()
        for radio in world.radios {
            world.plug(adapter: radio.index)
            world.power(adapter: radio.index, on: true)
        }
        for peripheral in world.scenario.peripherals {
            world.heal(peripheral.name)
            world.show(peripheral.name)
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
        case .hide:
            world.hide(name)
            later(fault) { [world] in world.show(name) }
        case .drop: world.drop(name)
        case .deaf: conduct(fault, name) { $0.connecting = .deaf }
        case .hang: conduct(fault, name) { $0.connecting = .hanging }
        case .hollow: conduct(fault, name) { $0.connecting = .hollow }
        case .unanswered: conduct(fault, name) { $0.connecting = .unanswered }
        case .abort: conduct(fault, name) { $0.connecting = .failing("le-connection-abort-by-local") }
        case .mute: conduct(fault, name) { $0.reading = .mute }
        case .slow: conduct(fault, name) { $0.latency = .seconds(3) }
        case .attError: conduct(fault, name) { $0.reading = .error(0x0E) }
        case .unresolved: conduct(fault, name) { $0.resolves = false }
        case .restartBluez: world.restartBluez(after: fault.lasting)
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
        case .forge: forge(peripheral)
        case .foreignConnect: call(peripheral, Device1.connect.name)
        case .foreignDisconnect: call(peripheral, Device1.disconnect.name)
        }
    }

    private func conduct(_ fault: SwarmFault, _ name: String, _ change: (inout Conduct) -> Void) {
        var conduct = Conduct()
        change(&conduct)
        world.behave(name, conduct)
        later(fault) { [world] in world.heal(name) }
    }

    private func path(_ peripheral: SimulatedPeripheral) -> ObjectPath {
        ObjectPath(unchecked: "/org/bluez/hci\(world.radios[0].index)/dev_" + peripheral.address.joined(by: "_"))
    }

    private func forge(_ peripheral: SimulatedPeripheral) {
        let down: Properties = ["Connected": Variant(false), "ServicesResolved": Variant(false)]
        stranger.emit(
            Signal(
                path(peripheral), PropertiesInterface.name, PropertiesInterface.propertiesChanged.name,
                [Device1.name.text.value, down.value, [String]().value]))
        stranger.emit(
            Signal(
                .root, ObjectManager.name, ObjectManager.interfacesRemoved.name,
                [path(peripheral).value, [Device1.name.text].value]))
    }

    private func call(_ peripheral: SimulatedPeripheral, _ member: MemberName) {
        stranger.send(MethodCall(Bluez.service, path(peripheral), Device1.name, member, within: .seconds(45)))
    }
}
