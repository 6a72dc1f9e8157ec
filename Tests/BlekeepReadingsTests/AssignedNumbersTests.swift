import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct AssignedNumbersTests {
        @Test func namesNumbers() {
            #expect(AssignedNumbers.characteristicName(BluetoothUUID(0x2A19)) == "Battery Level")
            #expect(AssignedNumbers.characteristicName(BluetoothUUID(0x2A02)) == "Peripheral Privacy Flag")
            #expect(AssignedNumbers.characteristicName(BluetoothUUID(0xFFFF)) == nil)
            #expect(AssignedNumbers.serviceName(BluetoothUUID(0x181A)) == "Environmental Sensing")
            // A renamed type once changed these.
            #expect(AssignedNumbers.serviceName(BluetoothUUID(0x1822)) == "Pulse Oximeter")
            #expect(AssignedNumbers.appearanceName(0x0C41) == "Fingertip Pulse Oximeter")
            #expect(AssignedNumbers.descriptorName(BluetoothUUID(0x2904)) == "Characteristic Presentation Format")
            #expect(AssignedNumbers.unitName(BluetoothUUID(0x2724)) == "pressure (pascal)")
            #expect(AssignedNumbers.serviceName(BluetoothUUID(high: 1, low: 2)) == nil)
        }

        @Test func namesCompaniesAndLooks() {
            #expect(AssignedNumbers.companyName(0x0499) == "Ruuvi Innovations Ltd.")
            #expect(AssignedNumbers.companyName(0) == "Ericsson AB")
            #expect(AssignedNumbers.companyName(0x08B1) == "CORE|vision BV")
            #expect(AssignedNumbers.companyName(0xFFFE) == nil)
            #expect(AssignedNumbers.appearanceName(0x0341) == "Heart Rate Belt")
            #expect(AssignedNumbers.appearanceName(0x037F) == AssignedNumbers.appearanceName(0x0340))
            #expect(AssignedNumbers.appearanceName(0xFFFF) == nil)
        }

        /// A binary search is right only in a table that is in order.
        @Test(arguments: [(CompanyTable.table, 4008), (AppearanceTable.table, 342)])
        func findsEveryNumberOfTheLargeTables(table: TextTable, count: Int) {
            let rows = Array(table.rows)
            #expect(rows.count == count)
            #expect(rows.allSatisfy { row in row.number.flatMap { table[$0]?.rest } == row.rest && !row.rest.isEmpty })
        }

        @Test func knowsUnitSymbols() {
            #expect(AssignedNumbers.unitSymbol(BluetoothUUID(0x272F)) == "°C")
            #expect(AssignedNumbers.unitSymbol(BluetoothUUID(0x2700)) == nil)
            #expect(AssignedNumbers.unitSymbol(BluetoothUUID(0x2FFF)) == nil)
        }

        @Test(arguments: ["Battery Level", "battery level", "battery-level", "battery_level", "BatteryLevel"])
        func findsCharacteristics(name: String) {
            #expect(AssignedNumbers.characteristic(named: name) == BluetoothUUID(0x2A19))
        }

        @Test func findsByName() {
            #expect(AssignedNumbers.characteristic(named: "temperature") == BluetoothUUID(0x2A6E))
            #expect(AssignedNumbers.characteristic(named: "door window status") == BluetoothUUID(0x2C20))
            #expect(AssignedNumbers.characteristic(named: "") == nil)
            #expect(AssignedNumbers.characteristic(named: "temper") == nil)
            #expect(AssignedNumbers.service(named: "battery") == BluetoothUUID(0x180F))
            #expect(AssignedNumbers.service(named: "Battery Service") == BluetoothUUID(0x180F))
            #expect(AssignedNumbers.service(named: "service") == nil)
        }

        @Test func findsEveryNameThatItGives() {
            for row in CharacteristicTable.table.rows {
                #expect(AssignedNumbers.characteristic(named: String(row[1]))?.short == row.number)
            }
        }

        @Test(arguments: [
            ("humidty", "Humidity"), ("tempreature", "Temperature"), ("batery-levl", "Battery Level"),
            ("HUMIDITY", "Humidity"), ("heart rate mesurement", "Heart Rate Measurement"),
        ])
        func guessesWhatWasMeant(name: String, meant: String) {
            #expect(AssignedNumbers.closestCharacteristic(to: name) == meant)
        }

        @Test(arguments: ["", "xyzzy", "living room", "temperature of the living room"])
        func doesNotGuessFromFar(name: String) {
            #expect(AssignedNumbers.closestCharacteristic(to: name) == nil)
        }
    }
}
