import DBus
import RunLoop

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepReadings
@testable import BlekeepRecords

/// A poller's state with time and a memory of its effects.
struct Scene {
    var state: PollerState
    var now = Uptime.start
    var effects: [Effect] = []
    let adapter = AdapterFacts(path: "/org/bluez/hci0", address: nil, isPowered: true)

    init(devices: Int, mode: LinkMode = .auto, maxLinks: Int = 5, isShared: Bool = false, count: Int? = nil) {
        let plans = (0..<devices).map {
            DevicePlan(
                name: "device \($0)", address: BluetoothAddress(bits: UInt64($0)), adapter: nil, mode: mode,
                intervals: [.seconds(30)], subscribes: false, count: count, isShared: isShared)
        }
        state = PollerState(plans: plans, adapter: nil, maxLinks: maxLinks, at: .start)
    }

    func facts(_ id: Int, connected: Bool = false, resolved: Bool = false) -> DeviceFacts {
        DeviceFacts(
            path: ObjectPath(unchecked: "/org/bluez/hci0/dev_\(id)"), adapter: adapter.path, isConnected: connected,
            isResolved: resolved)
    }

    mutating func send(_ event: Event) { effects += state.step(event, at: now) }

    mutating func advance(_ duration: Duration) {
        now = now + duration
        send(.time)
    }

    mutating func appear(_ id: Int) { send(.bluez([adapter], [id: facts(id)])) }

    mutating func finishConnect(_ id: Int) {
        send(.device(id, .reported(facts(id, connected: true))))
        send(.device(id, .connected(link: state.devices[id].link.number, nil)))
        send(.device(id, .reported(facts(id, connected: true, resolved: true))))
    }
}

/// As long as no device left, a device's number is its index.
extension Event {
    @_disfavoredOverload
    static func device(_ index: Int, _ event: DeviceEvent) -> Event { .device(DeviceNumber(index), event) }

    @_disfavoredOverload
    static func bluez(_ adapters: [AdapterFacts], _ devices: [Int: DeviceFacts]) -> Event {
        .bluez(adapters, devices.mapValues { [$0] })
    }

    @_disfavoredOverload
    static func bluez(_ adapters: [AdapterFacts], _ devices: [Int: [DeviceFacts]]) -> Event {
        .bluez(adapters, Dictionary(uniqueKeysWithValues: devices.map { (DeviceNumber($0), $1) }))
    }
}

extension DeviceEvent {
    /// On a machine with a single adapter.
    static func reported(_ facts: DeviceFacts?) -> DeviceEvent { .reported(facts.map { [$0] } ?? []) }
}

extension [DeviceAction] {
    var effects: [Effect] { compactMap { if case .effect(let effect) = $0 { effect } else { nil } } }
}

extension [Effect] {
    var connects: [Int] { compactMap { if case .connect(let id, _, _, _) = $0 { id.value } else { nil } } }
    var disconnects: [Int] { compactMap { if case .disconnect(let id, _, _) = $0 { id.value } else { nil } } }
    var abandons: [Int] { compactMap { if case .abandon(let id, _) = $0 { id.value } else { nil } } }
    var polls: [Int] { compactMap { if case .poll(let id, _, _, _, _) = $0 { id.value } else { nil } } }
    var failures: [String] { compactMap { if case .failed(_, _, let why) = $0 { why.code.rawValue } else { nil } } }
    /// How ticks ended.
    var ends: [String] {
        compactMap { if case .tickEnded(_, _, let why) = $0 { why?.code.rawValue ?? "good" } else { nil } }
    }
    var failedAttempts: [Attempt] {
        compactMap { if case .attempt(_, let attempt, _) = $0, !attempt.isGood { attempt } else { nil } }
    }
    var discoveries: Int { count { if case .startDiscovery = $0 { true } else { false } } }
    var stops: Int { count { if case .stopDiscovery = $0 { true } else { false } } }
    var settles: Int { count { if case .settle = $0 { true } else { false } } }
    var pings: Int { count { if case .ping = $0 { true } else { false } } }
    var activations: Int { count { if case .activate = $0 { true } else { false } } }
}
