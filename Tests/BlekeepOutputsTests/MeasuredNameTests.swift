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
                SeriesKey(
                    ReadingSource(characteristic: BluetoothUUID(0x2A19), instance: instance), field: field), name: name)
                == text)
    }

    /// Users know neither formats nor recipes.
    @Test(arguments: [
        ("cell_3", "Cell 3"), ("battery_level", "Battery level"), ("co2", "CO2"), ("pv_power", "PV power"),
    ])
    func theFieldsOfFormatsAndRecipesAreNamesByThemselves(field: String, text: String) {
        #expect(MeasuredName.text(SeriesKey(ReadingSource(), field: field), name: "JBD battery") == text)
    }

    @Test func failedReadsHaveNoField() {
        #expect(MeasuredName.text(SeriesKey(ReadingSource(instance: 2), field: nil), name: "Probe") == "Probe")
    }
}
