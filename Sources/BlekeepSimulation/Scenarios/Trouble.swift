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
            _ number: Int, _ name: String, _ change: (inout PeripheralBehavior) -> Void = { _ in }
        )
            -> SimulatedPeripheral
        {
            SimulatedPeripheral.environmentalSensor("Flaky \(name)", numbered(number, 1), temperature: 1900...2100)
                .known(.none).behaving(change)
        }
        return [
            sensor(1, "Steady"),
            sensor(2, "Drop") { $0.dropsAfter = .seconds(5) },
            sensor(3, "Nap") { $0.nap = PeripheralBehavior.Nap(there: .seconds(15), away: .seconds(20)) },
            sensor(4, "Deaf") { $0.connecting = .deaf },
            sensor(5, "Slow") { $0.latency = .seconds(3) },
            sensor(6, "Mute") { $0.reading = .mute },
            sensor(7, "Error") { $0.reading = .error(0x0E) },
        ]
    }()
}
