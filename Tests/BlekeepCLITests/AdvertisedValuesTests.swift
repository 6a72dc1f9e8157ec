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

    /// The key of a configured device decrypts its packets, or `scan` says what is wrong.
    @Test(arguments: [
        ("231d39c1d7cc1ab1aee224cd096db932", "41cc55e4c74d0000a60aad52", "BTHome: 25.02 °C"),
        ("331d39c1d7cc1ab1aee224cd096db932", "41cc55e4c74d0000a60aad52", "BTHome: bad_key"),
        ("231d39c1d7cc1ab1aee224cd096db932", "4004138a01", "BTHome: not_encrypted"),
    ])
    func aKeyIsUsed(key: String, bytes: String, text: String) throws {
        let data = AdvertisedData(
            address: try #require(BluetoothAddress("F0:00:00:00:00:01")),
            serviceData: [BTHome.service: try #require([UInt8](hex: bytes))])
        var decoder = BroadcastDecoder(key: AdvertisementKey(hex: key))
        let values = AdvertisedValues(decoder.decode(data))
        #expect(values.text == text)
        #expect(values.isReadable == (text.hasSuffix("°C")))
    }
}
