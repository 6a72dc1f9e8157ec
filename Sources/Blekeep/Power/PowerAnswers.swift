import DBus

/// What the services last said of the machine's power, and what follows from all of it together.
struct PowerAnswers: Sendable {
    var upower: Properties?
    /// UPower's display device, which stands for all batteries.
    var display: Properties?
    /// The active profile, as power-profiles-daemon says under its newer name and under its older one.
    var profile: String?
    var hadessProfile: String?
    /// What followed when all that belongs together was there last.
    var facts = PowerFacts()

    /// Whether UPower has answered for itself and not for the display device: half of it would tell of a battery without
    /// its charge.
    var lacksDisplay: Bool { upower != nil && display == nil }

    /// Whether what can't be heard of must be asked for: there is a battery, and no UPower.
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
