extension Scenario {
    public static let all: [Scenario] =
        [.house, .fresh, .many, .flaky, .passkey, .beacons, .memory, .empty, .off] + powerScenarios

    /// Returns the scenario with this name; `nil` when there is none.
    public static func named(_ name: String) -> Scenario? { all.first { $0.name == name } }
}
