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

    /// Returns the format of some bytes, by their source and the device's name; `nil` when blekeep knows none.
    ///
    /// - Parameters:
    ///   - source: the source of the bytes in `data`.
    ///   - data: the whole advertisement.
    ///   - chosen: the device's format, if a user chose it.
    public init?(of source: AdvertisedData.Source, in data: AdvertisedData, chosen: BroadcastFormat? = nil) {
        guard let row = BroadcastTable.rows(for: source, in: data, chosen: chosen).first else { return nil }
        self = row.format
    }

    /// Whether devices send values instead of a company number.
    package var takesAnyCompany: Bool { BroadcastTable.row(of: self)?.takesAnyCompany ?? false }
}
