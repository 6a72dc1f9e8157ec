package import BlekeepReadings

extension Scenario {
    package static let homeName = (
        name: "home",
        summary: "what people own: a RuuviTag, a Govee, a BTHome door, a Mi Flora, a JBD battery and a GATT thermometer"
    )

    /// Returns the default: sensors of the shops, as many homes have them. BlueZ knows those that blekeep connects to.
    ///
    /// - Parameter recipes: blekeep's recipes. Without theirs, the plant and the battery are missing.
    package static func home(_ recipes: [Recipe]) -> Scenario {
        let asked = [("miflora", "Basil", "C4:7C:8D:00:00:04"), ("jbd", "Solar Battery", "A4:C1:37:00:00:05")]
            .compactMap { recipe, name, address -> SimulatedPeripheral? in
                guard let recipe = recipes.first(where: { $0.name == recipe }) else { return nil }
                var peripheral = SimulatedPeripheral(recipe, BluetoothAddress(literal: address))
                peripheral?.name = name
                return peripheral
            }
        return Scenario(
            homeName.name, homeName.summary,
            peripherals: [
                .ruuviTag(
                    "Living Room", address: BluetoothAddress(literal: "F0:00:00:00:00:01"), temperature: 2050...2280),
                .goveeThermometer(
                    "Bedroom", address: BluetoothAddress(literal: "A4:C1:38:00:00:02"), temperature: 1790...1920),
                .bthomeDoor("Front Door", address: BluetoothAddress(literal: "F0:00:00:00:00:03")),
                .environmentalSensor(
                    "Freezer", address: BluetoothAddress(literal: "F0:00:00:00:00:06"), temperature: -1890 ... -1760,
                    humidity: 6100...6900, battery: 54),
            ] + asked)
    }
}
