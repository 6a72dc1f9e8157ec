public import Blekeep

/// A machine and its surroundings at the beginning, and what happens to them later.
public struct Scenario: Sendable {
    public var name: String
    /// One line for people.
    public var summary: String
    public var adapters: [SimulatedAdapter]
    public var peripherals: [SimulatedPeripheral]
    public var events: [Event]
    public var timing: BluezTiming
    /// What happens to the machine's power; `nil`: neither UPower nor logind are there.
    public var power: PowerScript?

    /// Something that happens at a moment, counted from the start of the world.
    public struct Event: Sendable {
        public var after: Duration
        public var act: @Sendable (World) -> Void

        public init(after: Duration, _ act: @escaping @Sendable (World) -> Void) {
            self.after = after
            self.act = act
        }
    }

    public init(
        _ name: String, _ summary: String, adapters: [SimulatedAdapter] = [SimulatedAdapter()],
        peripherals: [SimulatedPeripheral] = [], events: [Event] = [], timing: BluezTiming = BluezTiming()
    ) {
        self.name = name
        self.summary = summary
        self.adapters = adapters
        self.peripherals = peripherals
        self.events = events
        self.timing = timing
    }

    public static let all: [Scenario] =
        [.house, .fresh, .many, .flaky, .passkey, .beacons, .empty, .off] + powerScenarios

    /// The scenario of this name; `nil` when there is none.
    public static func named(_ name: String) -> Scenario? { all.first { $0.name == name } }
}

/// A local radio.
public struct SimulatedAdapter: Sendable {
    /// The number in `hciN`.
    public var index: Int
    public var address: BluetoothAddress
    public var name: String
    public var isPowered: Bool
    /// How many connections it can hold at a time.
    public var maxConnections: Int
    /// What BlueZ says to a Connect beyond them.
    public var whenFull: String
    /// Whether bluetoothd lets clients listen passively: the real one often only when started with `--experimental`.
    public var offersMonitors = true

    public init(
        index: Int = 0, address: BluetoothAddress? = nil, name: String = "blekeep", isPowered: Bool = true,
        maxConnections: Int = 7, whenFull: String = "le-connection-abort-by-local"
    ) {
        self.index = index
        self.address = address ?? BluetoothAddress(literal: "00:1A:7D:DA:71:0\(index % 10)")
        self.name = name
        self.isPowered = isPowered
        self.maxConnections = maxConnections
        self.whenFull = whenFull
    }
}
