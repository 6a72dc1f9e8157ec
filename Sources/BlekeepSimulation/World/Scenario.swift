/// The start of a simulation, and its later events.
public struct Scenario: Sendable {
    public var name: String
    /// A description in one line.
    public var summary: String
    public var adapters: [SimulatedAdapter]
    public var peripherals: [SimulatedPeripheral]
    public var events: [Event]
    public var timing: BluezTiming
    /// The script of the machine's power; `nil` without UPower and logind.
    public var power: PowerScript?

    /// An event at a time since the start of the world.
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
}
