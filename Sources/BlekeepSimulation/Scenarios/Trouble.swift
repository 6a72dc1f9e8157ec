import BlekeepRecords

extension Scenario {
    /// Scenarios with faults.
    public static let flaky = Scenario(
        "flaky", "unknown sensors that disconnect, go out of range, are slow, don't answer, or answer with errors",
        peripherals: troublemakers)

    public static let empty = Scenario("empty", "no adapter at all", adapters: [])

    public static let off = Scenario(
        "off", "the house with its adapter turned off", adapters: [SimulatedAdapter(isPowered: false)],
        peripherals: house.peripherals)

    private static let troublemakers: [SimulatedPeripheral] = {
        func sensor(
            _ number: Int, name: String, change: (inout PeripheralBehavior) -> Void = { _ in }
        )
            -> SimulatedPeripheral
        {
            SimulatedPeripheral.environmentalSensor(
                "Flaky \(name)", address: numbered(number, group: 1), temperature: 1900...2100
            )
            .known(.none).behaving(change)
        }
        return [
            sensor(1, name: "Steady"),
            sensor(2, name: "Drop") { $0.dropsAfter = .seconds(5) },
            sensor(3, name: "Nap") { $0.nap = PeripheralBehavior.Nap(there: .seconds(15), away: .seconds(20)) },
            sensor(4, name: "Deaf") { $0.connecting = .deaf },
            sensor(5, name: "Slow") { $0.latency = .seconds(3) },
            sensor(6, name: "Mute") { $0.reading = .mute },
            sensor(7, name: "Error") { $0.reading = .error(0x0E) },
        ]
    }()
}
