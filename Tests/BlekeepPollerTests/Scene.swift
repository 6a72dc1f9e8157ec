import DBus
import RunLoop

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepRecords

/// A poller's state with time and a memory of its effects.
struct Scene {
    var state: PollerState
    var now = Uptime.start
    var effects: [Effect] = []
    let adapter = AdapterFacts(path: "/org/bluez/hci0", address: nil, isPowered: true)

    init(devices: Int, mode: LinkMode = .auto, maxLinks: Int = 5) {
        let plans = (0..<devices).map {
            DevicePlan(
                name: "device \($0)", address: BluetoothAddress(bits: UInt64($0)), adapter: nil, mode: mode,
                intervals: [.seconds(30)], subscribes: false, count: nil)
        }
        state = PollerState(plans: plans, adapter: nil, maxLinks: maxLinks, at: .start)
    }

    func facts(_ id: DeviceIndex, connected: Bool = false, resolved: Bool = false) -> DeviceFacts {
        DeviceFacts(
            path: ObjectPath(unchecked: "/org/bluez/hci0/dev_\(id)"), adapter: adapter.path, isConnected: connected,
            isResolved: resolved)
    }

    mutating func send(_ event: Event) { effects += state.step(event, at: now) }

    mutating func advance(_ duration: Duration) {
        now = now + duration
        send(.time)
    }

    mutating func appear(_ id: DeviceIndex) { send(.bluez([adapter], [id: facts(id)])) }

    mutating func finishConnect(_ id: DeviceIndex) {
        send(.device(id, facts(id, connected: true)))
        send(.connected(id, link: state.devices[id].link.number, nil))
        send(.device(id, facts(id, connected: true, resolved: true)))
    }
}

extension [DeviceAction] {
    var effects: [Effect] { compactMap { if case .effect(let effect) = $0 { effect } else { nil } } }
}

extension [Effect] {
    var connects: [DeviceIndex] { compactMap { if case .connect(let id, _, _, _) = $0 { id } else { nil } } }
    var disconnects: [DeviceIndex] { compactMap { if case .disconnect(let id, _) = $0 { id } else { nil } } }
    var abandons: [DeviceIndex] { compactMap { if case .abandon(let id, _) = $0 { id } else { nil } } }
    var polls: [DeviceIndex] { compactMap { if case .poll(let id, _, _, _, _) = $0 { id } else { nil } } }
    var failures: [String] { compactMap { if case .failed(_, _, let why) = $0 { why.code.rawValue } else { nil } } }
    var failedAttempts: [Attempt] {
        compactMap { if case .attempt(_, let attempt, _) = $0, !attempt.isGood { attempt } else { nil } }
    }
    var discoveries: Int { count { if case .startDiscovery = $0 { true } else { false } } }
    var stops: Int { count { if case .stopDiscovery = $0 { true } else { false } } }
    var settles: Int { count { if case .settle = $0 { true } else { false } } }
    var activations: Int { count { if case .activate = $0 { true } else { false } } }
}
