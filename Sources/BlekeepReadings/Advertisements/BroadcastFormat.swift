/// A format of advertisements. The raw value is its name in the configuration.
public enum BroadcastFormat: String, Sendable, CaseIterable {
    case bthome, ruuvi, eddystone, ibeacon, atc, mibeacon, govee, thermopro, inkbird, qingping, switchbot, mopeka

    /// The format's name, such as `BTHome`.
    public var name: String {
        switch self {
        case .bthome: "BTHome"
        case .ruuvi: "Ruuvi"
        case .eddystone: "Eddystone"
        case .ibeacon: "iBeacon"
        case .atc: "ATC"
        case .mibeacon: "MiBeacon"
        case .govee: "Govee"
        case .thermopro: "ThermoPro"
        case .inkbird: "Inkbird"
        case .qingping: "Qingping"
        case .switchbot: "SwitchBot"
        case .mopeka: "Mopeka"
        }
    }

    /// Whether devices send values instead of a company number, so that only the newest number counts.
    package var companyIsValue: Bool { BroadcastTable.row(of: self)?.companyIsValue ?? false }
}
