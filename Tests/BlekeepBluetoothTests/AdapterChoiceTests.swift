import BlekeepBluetooth
import Testing

@Suite struct AdapterChoiceTests {
    @Test func readsAddressesAndNames() throws {
        let address = try #require(BluetoothAddress("00:1A:7D:DA:71:01"))
        #expect(AdapterChoice("00:1a:7d:da:71:01") == .address(address))
        #expect(AdapterChoice("hci0") == .name("hci0"))
        #expect(AdapterChoice("hci12")?.description == "hci12")
        for text in ["", "hci", "hci-1", "HCI0", "hcix", "hci123456", "eth0", "hci0 ", "00:1A"] {
            #expect(AdapterChoice(text) == nil)
        }
    }

    @Test func takesTheAdapterThatItMeans() throws {
        let address = try #require(BluetoothAddress("00:1A:7D:DA:71:01"))
        let other = try #require(BluetoothAddress("00:1A:7D:DA:71:02"))
        #expect(AdapterChoice.address(address).matches("hci1", address: address))
        #expect(!AdapterChoice.address(address).matches("hci1", address: other))
        #expect(!AdapterChoice.address(address).matches("hci1", address: nil))
        #expect(AdapterChoice.name("hci1").matches("hci1", address: nil))
        #expect(!AdapterChoice.name("hci1").matches("hci10", address: address))
        let any: AdapterChoice? = nil
        #expect(any.matches("hci1", address: nil) == true)
    }
}
