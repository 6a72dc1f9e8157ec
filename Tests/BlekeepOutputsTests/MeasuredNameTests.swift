import BlekeepRecords
import Testing

@testable import BlekeepOutputs

@Suite struct MeasuredNameTests {
    @Test(arguments: [
        ("Temperature", "temperature", 1, "Temperature"), ("Temperature", "temperature", 2, "Temperature#2"),
        ("Battery Level", "battery_level", 1, "Battery Level"), ("Probe", "value", 1, "Probe"),
        ("Probe", "value", 2, "Probe#2"), ("Heart Rate", "energy_expended", 2, "Heart Rate energy expended#2"),
        ("", "level", 1, "2a19 level"), ("a\u{3164}", "b\u{1B}", 1, "a\\u{3164} b\\u{1B}"),
    ])
    func namesTheFieldWhereTheCharacteristicDoesNot(name: String, field: String, instance: Int, text: String) {
        #expect(
            MeasuredName.text(
                name, characteristic: BluetoothUUID(0x2A19), field: field, instance: instance) == text)
    }

    /// Users know neither formats nor recipes.
    @Test(arguments: [
        ("cell_3", "Cell 3"), ("battery_level", "Battery level"), ("co2", "CO2"), ("pv_power", "PV power"),
    ])
    func theFieldsOfFormatsAndRecipesAreNamesByThemselves(field: String, text: String) {
        #expect(MeasuredName.text("JBD battery", characteristic: nil, field: field, instance: 1) == text)
    }

    @Test func failedReadsHaveNoField() {
        #expect(MeasuredName.text("Probe", characteristic: nil, field: nil, instance: 2) == "Probe")
    }
}
