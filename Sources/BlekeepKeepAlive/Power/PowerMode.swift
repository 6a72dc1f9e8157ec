/// A power mode: how much blekeep saves power.
package enum PowerMode: String, Sendable, Hashable, Comparable, CaseIterable {
    /// On mains, or unknown.
    case normal
    /// On battery.
    case battery
    /// The battery is low, or the user chose the power-saver profile.
    case low
    /// The battery is almost empty.
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

/// The power mode and its reason.
package struct PowerStatus: Sendable, Hashable {
    package var mode: PowerMode
    /// A few words for the end of a sentence, such as `low battery 14 %`.
    package var reason: String
    package var supply: PowerState
    /// The charge of the machine's battery in percent; `nil` without a battery.
    package var percentage: Double?

    package init(mode: PowerMode, reason: String, supply: PowerState, percentage: Double? = nil) {
        self.mode = mode
        self.reason = reason
        self.supply = supply
        self.percentage = percentage
    }

    /// The status without any information.
    package static let unknown = PowerStatus(mode: .normal, reason: "no battery reported", supply: .unknown)
}
