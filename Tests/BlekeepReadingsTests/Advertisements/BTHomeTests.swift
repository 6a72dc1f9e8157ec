import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct BTHomeTests {
        private let address = BluetoothAddress(bits: 0x5448_E68F_80A5)

        @Test func everyLineOfTheTableCanBeRead() throws {
            #expect(BTHomeTable.table.rows.count { _ in true } == 95)
            for row in BTHomeTable.table.rows {
                let id = UInt8(truncatingIfNeeded: try #require(row.number))
                let packet = try BTHome([0x40, id, 1, 0, 0, 0], from: address)
                #expect(packet.objects.first?.id == id, "\(row[2])")
            }
        }

        @Test func namesTheSecondOfAKind() throws {
            let packet = try BTHome([0x40, 0x00, 7, 0x02, 0xCA, 0x09, 0x02, 0x9C, 0xFF, 0x3C, 1, 3], from: address)
            #expect(packet.packetNumber == 7)
            #expect(
                packet.measurements == [
                    Measurement(field: "temperature", value: .number(25.06), unit: "°C", decimals: 2),
                    Measurement(field: "temperature_2", value: .number(-1), unit: "°C", decimals: 2),
                    Measurement(field: "dimmer", value: .text("rotate_left")),
                    Measurement(field: "dimmer_steps", value: .integer(3)),
                ])
        }

        /// As bthome-ble names them.
        @Test(arguments: [(UInt8(0x80), "hold_press"), (0x81, "hold_release")])
        func namesWhatAButtonDoes(event: UInt8, name: String) throws {
            let packet = try BTHome([0x40, 0x3A, event], from: address)
            #expect(packet.measurements == [Measurement(field: "button", value: .text(name))])
        }

        /// `bthome.io` gave the object a length, by which one that blekeep doesn't know is skipped, too.
        @Test func decodesCommandsAndWhatFollowsThem() throws {
            let packet = try BTHome(try #require([UInt8](hex: "401d623b61254e51bebd")), from: address)
            #expect(!packet.isIncomplete)
            #expect(
                packet.measurements == [
                    Measurement(field: "heat", value: .boolean(true)),
                    Measurement(field: "command", value: nil, state: "reserved"),
                    Measurement(field: "acceleration", value: .number(48.574), unit: "m/s²", decimals: 3),
                ])
            #expect(
                try BTHome([0x40, 0x3B, 1, 3, 5], from: address).measurements == [
                    Measurement(field: "command", value: .text("step_up")),
                    Measurement(field: "command_steps", value: .integer(5)),
                ])
            #expect(
                try BTHome([0x40, 0x3B, 0, 2], from: address).measurements == [
                    Measurement(field: "command", value: .text("toggle"))
                ])
            #expect(try BTHome([0x40, 0x3B, 2, 3, 5], from: address).isIncomplete)
        }

        @Test func measuresPressureInPascal() throws {
            let packet = try BTHome([0x40, 0x04, 0x13, 0x8A, 0x01], from: address)
            #expect(
                packet.objects[0].measurement
                    == Measurement(field: "pressure", value: .number(1008.83), unit: "hPa", decimals: 2))
            #expect(packet.measurements == [Measurement(field: "pressure", value: .integer(100_883), unit: "Pa")])
        }

        /// Version 1 has floats: 3.4e38 hPa, infinity, NaN, and less than nothing. libFuzzer found that the first one trapped.
        @Test(arguments: ["4504ffff7f7f", "45040000807f", "45040000c07f", "4504ffff7fff"])
        func anImpossiblePressureIsNone(hex: String) {
            var data = AdvertisedData(address: address)
            data.serviceData[BluetoothUUID(0x181C)] = [UInt8](hex: hex)
            var decoder = BroadcastDecoder()
            let measurements = decoder.decode(data).flatMap { $0.broadcast?.measurements ?? [] }
            #expect(measurements.map(\.field) == ["pressure"])
            #expect(measurements.allSatisfy { $0.value == nil && $0.state != nil }, "\(measurements)")
        }

        @Test func rejectsChangedPackets() throws {
            let key = try #require(AdvertisementKey(hex: "231d39c1d7cc1ab1aee224cd096db932"))
            let good = try #require([UInt8](hex: "41a47266c95f730011223378237214"))
            #expect(try BTHome(good, from: address, key: key).packetNumber == 857_870_592)
            for index in good.indices.dropFirst() {
                var bad = good
                bad[index] ^= 1
                #expect(throws: DecodeError.authentication) { try BTHome(bad, from: address, key: key) }
            }
            let other = BluetoothAddress(bits: address.bits ^ 1)
            #expect(throws: DecodeError.authentication) { try BTHome(good, from: other, key: key) }
            #expect(throws: DecodeError.key) { try BTHome(good, from: address) }
            #expect(throws: DecodeError.short) { try BTHome(Array(good.prefix(8)), from: address, key: key) }
        }

        @Test func neverShowsAKey() throws {
            let key = try #require(AdvertisementKey(hex: "231d39c1d7cc1ab1aee224cd096db932"))
            var shown = "\(key) \(String(reflecting: key))"
            dump(key, to: &shown)
            #expect(!shown.contains("23") && !shown.contains("35"))
            #expect(AdvertisementKey(hex: "23") == nil)
            #expect(AdvertisementKey(hex: "231d39c1d7cc1ab1aee224cd096db93g") == nil)
        }
    }
}
