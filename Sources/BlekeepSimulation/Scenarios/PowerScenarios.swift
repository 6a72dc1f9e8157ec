extension Scenario {
    /// The house on a machine with a battery.
    static let powerScenarios: [Scenario] = [
        house(
            "overnight", summary: "the house on a laptop whose battery drains from 100 % to 3 % in eight minutes",
            script: .overnight),
        house(
            "unplugged", summary: "the house on a laptop whose charger is pulled after 20 s, for a minute",
            script: .unplugged),
        house("profile", summary: "the house, with the power-saver profile after 20 s", script: .profile),
        house(
            "suspend", summary: "the house on a machine that sleeps for 1 s, 5 s and 30 s",
            script: .sleeps([1, 5, 30].map { .seconds($0) })),
        house(
            "restless", summary: "the house, with sleeps that come twice, don't come, or don't end", script: .restless),
        house("fickle", summary: "the house, with a UPower that crashes and reports nonsense", script: .fickle),
    ]

    private static func house(_ name: String, summary: String, script: PowerScript) -> Scenario {
        var scenario = Scenario(name, summary, peripherals: house.peripherals)
        scenario.power = script
        return scenario
    }
}
