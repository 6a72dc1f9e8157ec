import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct BeaconTests {
        private func temperature(_ bytes: UInt8...) throws -> MeasuredValue? {
            let packet = try Ruuvi([3, 0] + bytes + [UInt8](repeating: 0, count: 10))
            return packet.measurements.first { $0.field == "temperature" }?.value
        }

        @Test func readsRuuvisTemperaturesBelowZero() throws {
            #expect(try temperature(0x81, 0x45) == .number(-1.69))
            #expect(try temperature(0x80, 0x01) == .number(-0.01))
            #expect(try temperature(0x80, 0x00) == .number(0))
            guard case .number(let zero)? = try temperature(0x80, 0x00) else { return }
            #expect(zero.sign == .plus)
        }

        @Test func refusesRuuviOfAnyOtherLength() {
            for (format, length) in [(3, 14), (5, 24), (6, 20), (0xE1, 40)] {
                let bytes = [UInt8(format)] + [UInt8](repeating: 1, count: length)
                #expect(throws: Never.self) { try Ruuvi(Array(bytes.prefix(length))) }
                #expect(throws: DecodeError.long) { try Ruuvi(bytes) }
                #expect(throws: DecodeError.short) { try Ruuvi(Array(bytes.prefix(length - 1))) }
            }
            #expect(throws: DecodeError.short) { try Ruuvi([]) }
            #expect(throws: DecodeError.format(0xE2)) { try Ruuvi([0xE2]) }
        }

        @Test func brightnessFollowsItsLogarithm() throws {
            func lux(_ code: UInt8) throws -> MeasuredValue? {
                let head: [UInt8] = [6] + [UInt8](repeating: 0, count: 12)
                return try Ruuvi(head + [code] + [UInt8](repeating: 0, count: 6)).measurements
                    .first { $0.field == "luminosity" }?.value
            }
            #expect(try lux(0) == .number(0))
            #expect(try lux(1) == .number(0.04))
            #expect(try lux(127) == .number(255))
            #expect(try lux(254) == .number(65_535))
            #expect(try lux(255) == nil)
        }

        @Test func readsEddystonesFrames() throws {
            let identity = try Eddystone([0x30, 0xEC, 1, 2, 3, 4, 5, 6, 7, 8])
            #expect(identity.frame == .eid)
            #expect(identity.measurements.map(\.value) == [.integer(-20), .text("0102030405060708")])
            #expect(throws: DecodeError.version(1)) { try Eddystone([0x20, 1] + [UInt8](repeating: 0, count: 16)) }
            #expect(throws: DecodeError.format(0x40)) { try Eddystone([0x40]) }
            #expect(throws: DecodeError.format(4)) { try Eddystone([0x10, 0, 4]) }
            #expect(throws: DecodeError.format(0x20)) { try Eddystone([0x10, 0, 3, 0x20]) }
            let address = try Eddystone([0x10, 0, 1, 0x61, 13, 0x2F, 6]).measurements.last?.value
            #expect(address == .text("https://www.a.gov/.gov/"))
        }

        @Test func readsTheSignOfABeaconsTemperature() throws {
            let packet = try Eddystone([0x20, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 1])
            #expect(packet.measurements[1].value == .number(-0.00390625))
            #expect(packet.measurements[3].value == .number(0.1))
        }
    }
}
