/// The machine's power supply. The source is UPower's `OnBattery`; without UPower, logind and the kernel.
public enum PowerState: String, Sendable, Hashable, CaseIterable {
    /// On mains, or without a battery.
    case mains
    /// On battery.
    case battery
    /// The machine doesn't report its power supply.
    case unknown
}
