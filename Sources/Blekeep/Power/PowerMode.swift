/// How much the machine has to save.
package enum PowerMode: String, Sendable, Hashable, Comparable, CaseIterable {
    /// On mains, or nothing is known to the contrary.
    case normal
    /// On the battery.
    case battery
    /// The battery is low, or somebody chose the power-saver profile.
    case low
    /// The battery is about to end.
    case critical

    private var rank: Int {
        switch self {
        case .normal: 0
        case .battery: 1
        case .low: 2
        case .critical: 3
        }
    }

    package static func < (left: PowerMode, right: PowerMode) -> Bool { left.rank < right.rank }
}

/// The mode, and why: what is shown to people.
package struct PowerStatus: Sendable, Hashable {
    package var mode: PowerMode
    /// A few words that end a sentence: `low battery 14 %`.
    package var reason: String
    package var supply: PowerState
    /// What the machine's battery holds, from 0 to 100; `nil` without one.
    package var percentage: Double?

    package init(mode: PowerMode, reason: String, supply: PowerState, percentage: Double? = nil) {
        self.mode = mode
        self.reason = reason
        self.supply = supply
        self.percentage = percentage
    }

    /// Before anything is known.
    package static let unknown = PowerStatus(mode: .normal, reason: "nothing tells of a battery", supply: .unknown)
}
