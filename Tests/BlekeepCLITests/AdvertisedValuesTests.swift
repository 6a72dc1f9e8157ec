import Blekeep
import Testing

@testable import BlekeepCLI

@Suite struct AdvertisedValuesTests {
    @Test(arguments: [
        (0xFCD2 as UInt16, "41e445f3c9962b332211006c7c4519", "BTHome: encrypted"),
        (0x181A, "47d8a3a4036eecf0d8e5a0", "ATC: encrypted"),
        (0xFE95, "4840b00959302c924b1149a2e4ee96875b6d16a8420dbd", "MiBeacon: encrypted"),
    ])
    func anEncryptedPacketIsNamedSo(service: UInt16, bytes: String, text: String) throws {
        let values = AdvertisedValues(
            AdvertisedData(
                address: try #require(BluetoothAddress("A4:C1:38:12:34:56")),
                serviceData: [BluetoothUUID(service): try #require([UInt8](hex: bytes))]))
        #expect(values.text == text)
        #expect(!values.isReadable)
    }
}
