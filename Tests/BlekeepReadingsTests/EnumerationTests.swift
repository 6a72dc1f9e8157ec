import Testing

@testable import BlekeepReadings

struct EnumerationTests {
    @Test(arguments: [
        (0x2A38, "body_sensor_location", 1, "Chest"), (0x2A09, "day_of_week", 7, "Sunday"),
        (0x2A18, "sample_location", 15, "Not available"), (0x2BE3, "light_source_type", 255, "Multiple"),
    ])
    func namesTheNumbersOfAField(characteristic: UInt16, field: String, number: Int64, name: String) {
        #expect(Enumeration(of: BluetoothUUID(characteristic), field: field)?.name(of: number) == name)
    }

    @Test func plainNumbersHaveNoNames() {
        #expect(Enumeration(of: BluetoothUUID(0x2A19), field: "battery_level") == nil)
        #expect(Enumeration(of: BluetoothUUID(0x2A38), field: "other") == nil)
        #expect(Enumeration(of: nil, field: "body_sensor_location") == nil)
        #expect(Enumeration(of: BluetoothUUID(0x2A09), field: "day_of_week")?.name(of: 0) == nil)
    }

    @Test func eachLineBelongsToAWholeNumberOfTheLayout() throws {
        for line in EnumerationTable.text.split(separator: "\n") {
            let columns = line.split(separator: "|", omittingEmptySubsequences: false)
            for characteristic in columns[0].split(separator: " ") {
                let uuid = try #require(BluetoothUUID(String(characteristic)))
                let field = LayoutDecoder(uuid)?.fields.first { $0.name == columns[1] }
                #expect(field?.type.isInteger == true && field?.decimals == nil, "\(line)")
                let names = try #require(Enumeration(of: uuid, field: String(columns[1]))).names.map(\.name)
                #expect(Set(names).count == names.count, "\(line)")
            }
        }
    }
}
