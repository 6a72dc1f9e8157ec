import Testing

@testable import BlekeepReadings

@Suite struct BluetoothAddressTests {
    @Test func readsWhatPeopleWrite() {
        #expect(BluetoothAddress("f0:00:00:00:00:0a")?.description == "F0:00:00:00:00:0A")
        #expect(BluetoothAddress("F0-00-00-00-00-0A") == BluetoothAddress("F0_00_00_00_00_0A"))
        #expect(BluetoothAddress("F0:00:00:00:00:01")?.joined(by: "_") == "F0_00_00_00_00_01")
    }

    @Test(arguments: [
        "", "F0", "F0:00:00:00:00", "F0:00:00:00:00:0", "F0:00:00:00:00:0G", "F0:00:00:00:00:01:02",
        "+1:00:00:00:00:01",
    ])
    func refusesEverythingElse(text: String) {
        #expect(BluetoothAddress(text) == nil)
    }

    @Test func knowsAddressesThatChange() throws {
        #expect(try #require(BluetoothAddress("5A:00:00:00:00:01")).looksResolvable)
        #expect(try !#require(BluetoothAddress("F0:00:00:00:00:01")).looksResolvable)
    }
}

@Suite struct BluetoothUUIDTests {
    @Test func longAndShortAreOne() {
        let short = BluetoothUUID(0x2A6E)
        for text in ["2a6e", "0x2A6E", "00002a6e", "00002A6E-0000-1000-8000-00805F9B34FB"] {
            #expect(BluetoothUUID(text) == short)
        }
        #expect(short.description == "2a6e")
        #expect(short.full == "00002a6e-0000-1000-8000-00805f9b34fb")
    }

    @Test func vendorsHaveTheirOwn() {
        let text = "a0b40002-926d-4d61-98df-8c5c62ee53b3"
        #expect(BluetoothUUID(text)?.description == text)
        #expect(BluetoothUUID(text)?.short == nil)
    }

    @Test(arguments: [
        "", "2a6", "2a6eg", "0x", "00002a6e-0000-1000-8000-00805f9b34f", "00002a6e_0000_1000_8000_00805f9b34fb", "+2a6",
    ])
    func refusesEverythingElse(text: String) {
        #expect(BluetoothUUID(text) == nil)
    }
}
