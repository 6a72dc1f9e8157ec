/// A format of advertisements. The raw value is its name in the configuration.
public enum BroadcastFormat: String, Sendable, CaseIterable {
    case bthome, ruuvi, eddystone, ibeacon, atc, mibeacon, govee, thermopro, inkbird, qingping, switchbot, mopeka
    case victron, sensorpush, inode
    case acconeer, airmentor, almendo, altbeacon, amazfit, aprilbrother, aranet, batterymonitor, beewi, bluemaestro
    case bparasite, chefiq, ela, feasycom, flowercare, garnet, hobo, holyiot, hormann, jaalee, kegtron, kkm, mikrotik
    case moat, mocreo, moko, nodon, oralb, oras, otodata, polar, rapt, relsib, sensirion, skale, smartdry, teltonika
    case thermobeacon, tilt, tpms, xiaogui, xiaomiscale, xoss

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
        .hormann: "Hörmann", .jaalee: "Jaalee", .kegtron: "Kegtron", .kkm: "KKM", .mikrotik: "MikroTik", .moat: "Moat",
        .mocreo: "Mocreo", .moko: "Moko", .nodon: "NodOn", .oralb: "Oral-B", .oras: "Oras", .otodata: "Otodata",
        .polar: "Polar", .rapt: "RAPT", .relsib: "Relsib", .sensirion: "Sensirion", .skale: "Skale",
        .smartdry: "SmartDry", .teltonika: "Teltonika", .thermobeacon: "ThermoBeacon", .tilt: "Tilt", .tpms: "TPMS",
        .xiaogui: "Xiaogui", .xiaomiscale: "Xiaomi Scale", .xoss: "XOSS",
    ]

    /// Whether devices send values instead of a company number, so that only the newest number counts.
    package var companyIsValue: Bool { BroadcastTable.row(of: self)?.companyIsValue ?? false }
}
