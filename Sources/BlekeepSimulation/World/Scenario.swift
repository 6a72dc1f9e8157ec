public import BlekeepRecords

/// The start of a simulation, and its later events.
public struct Scenario: Sendable {
    public var name: String
    /// A description in one line.
    public var summary: String
    public var adapters: [SimulatedAdapter]
    public var peripherals: [SimulatedPeripheral]
    public var events: [Event]
    /// What the machine loses of each peripheral's signal strength, in dB; nothing of a peripheral without an entry. Below
    /// −95 dBm, the machine doesn't hear the peripheral, and can't connect it.
    public var attenuations: [BluetoothAddress: Int16] = [:]
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

    /// Returns the scenario for each of several gateways of one house, which hear its peripherals with different strengths.
    ///
    /// A gateway has adapters with addresses of its own. Counted by their places, each peripheral is nearest to another
    /// gateway in turn, which hears it with the full strength. The others lose up to 12 dB. The last peripheral is heard by
    /// the last gateway only.
    ///
    /// - Parameter count: the number of gateways.
    public func gateways(_ count: Int) -> [Scenario] {
        (0..<max(1, count)).map { gateway in
            var scenario = self
            for index in adapters.indices {
                let bits = adapters[index].address.bits ^ UInt64(gateway) << 8
                scenario.adapters[index].address = BluetoothAddress(bits: bits)
                scenario.adapters[index].name = "gateway-\(gateway + 1)"
            }
            for (index, peripheral) in peripherals.enumerated() where count > 1 {
                let distance = (gateway - index % count + count) % count
                let isLast = index > 0 && index == peripherals.count - 1
                let attenuation = isLast ? (gateway == count - 1 ? 0 : 100) : 12 * distance / (count - 1)
                scenario.attenuations[peripheral.address] = Int16(attenuation)
            }
            return scenario
        }
    }
}
