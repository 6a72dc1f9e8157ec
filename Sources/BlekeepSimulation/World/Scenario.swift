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
}
