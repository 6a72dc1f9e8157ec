/// The machine's power, from each available service.
package struct PowerFacts: Sendable, Hashable {
    /// The active profile of power-profiles-daemon.
    package var profile: String?
    package var upower: UPowerFacts?
    /// From logind; used only without UPower.
    package var isOnExternalPower: Bool?
    /// From the kernel; used only without UPower.
    package var kernel: SupplyFacts?

    package init(
        profile: String? = nil, upower: UPowerFacts? = nil, isOnExternalPower: Bool? = nil, kernel: SupplyFacts? = nil
    ) {
        self.profile = profile
        self.upower = upower
        self.isOnExternalPower = isOnExternalPower
        self.kernel = kernel
    }
}

/// The values of UPower. Missing and impossible values are `nil`.
package struct UPowerFacts: Sendable, Hashable {
    package var onBattery: Bool?
    package var type: UInt32?
    package var isPresent: Bool?
    package var percentage: Double?
    package var state: UInt32?
    package var warningLevel: UInt32?

    package init(
        onBattery: Bool? = nil, type: UInt32? = nil, isPresent: Bool? = nil, percentage: Double? = nil,
        state: UInt32? = nil, warningLevel: UInt32? = nil
    ) {
        self.onBattery = onBattery
        self.type = type
        self.isPresent = isPresent
        self.percentage = percentage.flatMap { $0 >= 0 && $0 <= 100 ? $0 : nil }
        self.state = state
        self.warningLevel = warningLevel
    }

    /// Whether the display device is a battery or a UPS with a known charge. Without a battery, its type and percentage
    /// are 0. While UPower probes a battery, its state is unknown and its percentage 0 or impossible.
    package var hasBattery: Bool {
        guard type == 2 || type == 3, isPresent == true else { return false }
        return (percentage ?? 0) > 0 || state ?? 0 != 0
    }
}

extension PowerStatus {
    /// Returns the mode that follows from these facts, with the reason.
    package init(judging facts: PowerFacts) {
        var best = PowerStatus.unknown
        if let upower = facts.upower {
            best = PowerStatus(upower)
        } else {
            if let isExternal = facts.isOnExternalPower { best = PowerStatus(isOnExternalPower: isExternal) }
            if let kernel = facts.kernel {
                let status = PowerStatus(kernel)
                if status.mode > best.mode || best.supply == .unknown { best = status }
            }
        }
        if facts.profile == "power-saver", best.mode < .low {
            best.mode = .low
            best.reason = "power-saver profile"
        }
        self = best
    }

    private init(_ upower: UPowerFacts) {
        let percentage = upower.hasBattery ? upower.percentage : nil
        let suffix = percentage.map { " \(Int($0.rounded())) %" } ?? ""
        let isDrained = upower.onBattery ?? (upower.hasBattery && upower.state == 2)
        let supply: PowerState = isDrained ? .battery : .mains
        let level = upower.hasBattery ? upower.warningLevel ?? 0 : 0
        switch level {
        case 4, 5: self.init(mode: .critical, reason: "critical battery\(suffix)", supply: supply)
        case 3: self.init(mode: .low, reason: "low battery\(suffix)", supply: supply)
        case 2 where upower.type == 3: self.init(mode: .battery, reason: "on UPS\(suffix)", supply: .battery)
        default:
            self.init(
                mode: isDrained ? .battery : .normal, reason: (isDrained ? "on battery" : "on mains") + suffix,
                supply: supply)
        }
        self.percentage = percentage
    }

    private init(isOnExternalPower: Bool) {
        self.init(
            mode: isOnExternalPower ? .normal : .battery, reason: isOnExternalPower ? "on mains" : "on battery",
            supply: isOnExternalPower ? .mains : .battery)
    }

    /// Uses UPower's usual limits, because UPower itself is missing.
    private init(_ kernel: SupplyFacts) {
        let suffix = kernel.percentage.map { " \(Int($0)) %" } ?? ""
        guard kernel.state == .battery else {
            self.init(mode: .normal, reason: "on mains" + suffix, supply: kernel.state)
            percentage = kernel.percentage
            return
        }
        switch kernel.percentage ?? 100 {
        case ...5: self.init(mode: .critical, reason: "critical battery\(suffix)", supply: .battery)
        case ...20: self.init(mode: .low, reason: "low battery\(suffix)", supply: .battery)
        default: self.init(mode: .battery, reason: "on battery\(suffix)", supply: .battery)
        }
        percentage = kernel.percentage
    }
}
