import DBus

/// The last answers of the power services, and the facts that follow from them.
struct PowerAnswers: Sendable {
    var upower: Properties?
    /// UPower's display device, which stands for all batteries.
    var display: Properties?
    /// The active profile, from the newer and from the older name of power-profiles-daemon.
    var profile: String?
    var hadessProfile: String?
    /// The facts from the last complete answers.
    var facts = PowerFacts()

    /// Whether UPower answered without its display device. The battery's charge is then unknown.
    var lacksDisplay: Bool { upower != nil && display == nil }

    /// Whether blekeep must poll logind and the kernel: there is a battery, but no UPower to report changes.
    var needPolls: Bool { facts.upower == nil && facts.kernel?.percentage != nil }

    mutating func gather() {
        facts.profile = profile ?? hadessProfile
        facts.upower = upower.map { upower in
            UPowerFacts(
                onBattery: upower[UPower.onBattery], type: display?[UPowerDevice.type],
                isPresent: display?[UPowerDevice.isPresent], percentage: display?[UPowerDevice.percentage],
                state: display?[UPowerDevice.state], warningLevel: display?[UPowerDevice.warningLevel])
        }
    }
}
