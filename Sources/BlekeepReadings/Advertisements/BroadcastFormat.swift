/// A format of advertisements. The raw value is its name in the configuration.
public enum BroadcastFormat: String, Sendable, CaseIterable {
    case bthome, ruuvi, eddystone, ibeacon, atc, mibeacon, govee, thermopro, inkbird, qingping, switchbot, mopeka
    case victron, sensorpush, inode
    case acconeer, airmentor, almendo, altbeacon, amazfit, aprilbrother, aranet, batterymonitor, beewi, bluemaestro
    case bparasite, chefiq, ela, feasycom, flowercare, garnet, hobo, holyiot, hormann, jaalee, kegtron, kkm, laica
    case mikrotik, moat, mocreo, moko, nodon, oralb, oras, otodata, polar, rapt, relsib, sensirion, skale, smartdry
    case teltonika, thermobeacon, tilt, tpms, xiaogui, xiaomiscale, xoss

    /// The format's name, such as `BTHome`.
    public var name: String { Self.names[self] ?? rawValue }

    private static let names: [BroadcastFormat: String] = [
        .bthome: "BTHome", .ruuvi: "Ruuvi", .eddystone: "Eddystone", .ibeacon: "iBeacon", .atc: "ATC",
        .mibeacon: "MiBeacon", .govee: "Govee", .thermopro: "ThermoPro", .inkbird: "Inkbird", .qingping: "Qingping",
        .switchbot: "SwitchBot", .mopeka: "Mopeka", .victron: "Victron", .sensorpush: "SensorPush", .inode: "iNode",
        .acconeer: "Acconeer", .airmentor: "Air Mentor", .almendo: "Almendo", .altbeacon: "AltBeacon",
        .amazfit: "Amazfit", .aprilbrother: "April Brother", .aranet: "Aranet", .batterymonitor: "Battery Monitor",
        .beewi: "BeeWi", .bluemaestro: "Blue Maestro", .bparasite: "b-parasite", .chefiq: "Chef iQ", .ela: "ELA",
        .feasycom: "Feasycom", .flowercare: "Flower care", .garnet: "Garnet", .hobo: "HOBO", .holyiot: "HolyIot",
        .hormann: "Hörmann", .jaalee: "Jaalee", .kegtron: "Kegtron", .kkm: "KKM", .laica: "Laica",
        .mikrotik: "MikroTik", .moat: "Moat",
        .mocreo: "Mocreo", .moko: "Moko", .nodon: "NodOn", .oralb: "Oral-B", .oras: "Oras", .otodata: "Otodata",
        .polar: "Polar", .rapt: "RAPT", .relsib: "Relsib", .sensirion: "Sensirion", .skale: "Skale",
        .smartdry: "SmartDry", .teltonika: "Teltonika", .thermobeacon: "ThermoBeacon", .tilt: "Tilt", .tpms: "TPMS",
        .xiaogui: "Xiaogui", .xiaomiscale: "Xiaomi Scale", .xoss: "XOSS",
    ]

    /// Whether devices send values instead of a company number, so that only the newest number counts.
    package var companyIsValue: Bool { BroadcastTable.row(of: self)?.companyIsValue ?? false }

    /// What its packets are recognized by: the keys of their data, and the beginnings of names.
    package var marks: (sources: Set<AdvertisedData.Source>, names: [String]) {
        BroadcastTable.row(of: self).map { ($0.sources, $0.names) } ?? ([], [])
    }

    /// Whether the format only identifies a device or its place. Sensors often send such packets as well.
    package var isBeacon: Bool { BroadcastTable.row(of: self)?.isBeacon ?? false }
}

/// Who made a device that only advertises, as far as its format says it.
package struct BroadcastMaker: Sendable, Hashable {
    /// `nil` for a format that many makers use.
    package let manufacturer: String?
    package let model: String?

    /// - Parameters:
    ///   - name: the format's name, such as `BTHome`; `nil` for another name.
    ///   - packet: a packet, without its company, which may tell the model.
    ///   - service: the service of the packet; `nil` for manufacturer data.
    package init?(formatNamed name: String, packet: [UInt8] = [], service: BluetoothUUID? = nil) {
        guard let format = BroadcastFormat.allCases.first(where: { $0.name == name }) else { return nil }
        let known = Self.known[format] ?? (name, nil)
        manufacturer = known.manufacturer
        model = BroadcastModelTable.model(of: format, packet: packet, service: service) ?? known.model
    }

    /// Where the maker hasn't the format's name, or the format is that of one product.
    private static let known: [BroadcastFormat: (manufacturer: String?, model: String?)] = [
        .bthome: (nil, "BTHome sensor"), .eddystone: (nil, "Eddystone beacon"), .ibeacon: (nil, "iBeacon"),
        .altbeacon: (nil, "AltBeacon"), .atc: ("Xiaomi", "Thermometer with ATC firmware"), .mibeacon: ("Xiaomi", nil),
        .ruuvi: ("Ruuvi", "RuuviTag or Ruuvi Air"), .mopeka: ("Mopeka", "Pro"), .inode: ("iNode", "Energy Meter"),
        .flowercare: ("Xiaomi", "Flower care HHCCJCY10"), .xiaomiscale: ("Xiaomi", "Mi Scale"),
        .laica: ("Laica", "Smart scale"),
        .bparasite: ("rbaron", "b-parasite"), .batterymonitor: (nil, "BM2 or BM6"),
        .hormann: ("Hörmann", "Supramatic E4"),
        .hobo: ("Onset", "HOBO MX2001"), .skale: ("Atomax", "Skale"), .tpms: (nil, "TPMS"), .rapt: ("RAPT", "Pill"),
        .garnet: ("Garnet", "SeeLevel II 709"), .moat: ("Moat", "S2"), .nodon: ("NodOn", "NIU"),
        .teltonika: ("Teltonika", "EYE"), .xoss: ("XOSS", "X2"), .chefiq: ("Chef iQ", "CQ60"),
        .jaalee: ("Jaalee", "JHT"),
        .relsib: ("Relsib", "EClerk Eco"), .almendo: ("Almendo", "bluSensor AIQ"),
    ]
}
