import Blekeep

/// The pages about families of devices: what to write, where a key comes from, and what goes wrong.
enum FamilyPage {
    /// Where the Debian package has them.
    static let folder = "/usr/share/doc/blekeep/pages/Devices"

    static let all: [(name: String, formats: [BroadcastFormat], recipes: [String])] = [
        ("Airthings", [], ["airthings-wave", "airthings-wave-radon", "airthings-wave-plus", "airthings-wave-mini"]),
        ("Aranet", [.aranet], ["aranet2", "aranet4", "aranet-radiation", "aranet-radon"]),
        ("BTHomeDevices", [.bthome], []),
        (
            "Batteries", [.batterymonitor],
            [
                "ant", "ant-legacy", "buknuwo", "c4s100", "daly", "daly-81", "eg4", "eleksol", "humsienk", "jbd", "jk",
                "litime", "pylontech-rt", "renogy-battery", "renogy-battery-pro", "renogy-controller", "saihang",
                "seplos-v2", "super-b", "vatrer",
            ]
        ),
        ("Beacons", [.eddystone, .ibeacon, .altbeacon], []),
        ("BlueMaestro", [.bluemaestro], []),
        ("Govee", [.govee], []),
        ("Hydrometers", [.tilt, .rapt], []),
        (
            "Inkbird", [.inkbird],
            ["ibbq", "inkbird-ibs-th", "inkbird-ibs-th2", "inkbird-idt-34c-b", "inkbird-int-11p-b", "inkbird-ith"]
        ),
        ("MiBeacon", [.mibeacon], []),
        ("Mopeka", [.mopeka], []),
        ("PlantSensors", [.bparasite, .flowercare], ["miflora"]),
        ("Qingping", [.qingping], []),
        ("RadonEye", [], ["radoneye", "radoneye-rd200"]),
        ("Ruuvi", [.ruuvi], []),
        ("SensorPush", [.sensorpush], ["sensorpush"]),
        ("SwitchBot", [.switchbot], []),
        ("ThermoBeacon", [.thermobeacon], []),
        ("ThermoPro", [.thermopro], []),
        ("Victron", [.victron], []),
        ("XiaomiScales", [.xiaomiscale], []),
        ("XiaomiThermometers", [.atc], ["lywsd02", "lywsd03mmc", "mj-ht-v1"]),
    ]

    /// Returns the name of a device's page; `nil` without one.
    ///
    /// - Parameters:
    ///   - recipe: the recipe that it fits, which says more than a format.
    ///   - formats: the names of what it advertises.
    static func name(recipe: String?, formats: [String] = []) -> String? {
        let byRecipe = recipe.flatMap { recipe in all.first { $0.recipes.contains(recipe) } }
        return (byRecipe ?? all.first { !formats.isEmpty && !Set($0.formats.map(\.name)).isDisjoint(with: formats) })?
            .name
    }

    static func path(of name: String) -> String { "\(folder)/\(name).md" }
}
