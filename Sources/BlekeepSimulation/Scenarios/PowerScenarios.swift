extension Scenario {
    /// The house on a machine with a battery.
    static let powerScenarios: [Scenario] = [
        house("overnight", "the house on a laptop whose battery drains from 100 % to 3 % in eight minutes", .overnight),
        house("unplugged", "the house on a laptop whose charger is pulled after 20 s, for a minute", .unplugged),
        house("profile", "the house, with the power-saver profile after 20 s", .profile),
        house(
            "suspend", "the house on a machine that sleeps for 1 s, 5 s and 30 s",
            .sleeps([1, 5, 30].map { .seconds($0) })),
        house("restless", "the house, with sleeps that come twice, don't come, or don't end", .restless),
        house("fickle", "the house, with a UPower that crashes and reports nonsense", .fickle),
    ]

    private static func house(_ name: String, _ summary: String, _ script: PowerScript) -> Scenario {
        var scenario = Scenario(name, summary, peripherals: house.peripherals)
        scenario.power = script
        return scenario
    }
}
