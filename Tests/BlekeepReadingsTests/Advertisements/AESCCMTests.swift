import CCrypto
import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct AESCCMTests {
        /// A packet of RFC 3610, section 8, with its head as associated bytes.
        struct Packet: Sendable {
            let nonce, head, text, ciphertext, tag: String
        }

        static let key = "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf"
        static let packets = [
            Packet(
                nonce: "00000003020100a0a1a2a3a4a5", head: "0001020304050607",
                text: "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e",
                ciphertext: "588c979a61c663d2f066d0c2c0f989806d5f6b61dac384", tag: "17e8d12cfdf926e0"),
            Packet(
                nonce: "00000004030201a0a1a2a3a4a5", head: "0001020304050607",
                text: "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                ciphertext: "72c91a36e135f8cf291ca894085c87e3cc15c439c9e43a3b", tag: "a091d56e10400916"),
            // Texts without a byte, and without a head; computed with Python's `cryptography`.
            Packet(nonce: "00000003020100a0a1a2a3a4a5", head: "11", text: "", ciphertext: "", tag: "5e0ddee0"),
            Packet(nonce: "00000003020100a0a1a2a3a4", head: "", text: "0809", ciphertext: "3d3c", tag: "e41afc15"),
        ]

        @Test(arguments: packets)
        func decrypts(packet: Packet) throws {
            let bytes = try packet.decrypt()
            #expect(String(hex: bytes) == packet.text)
        }

        @Test(arguments: packets)
        func decryptsWithoutProof(packet: Packet) throws {
            #expect(try String(hex: packet.decrypt(hasProof: false)) == packet.text)
        }

        @Test(arguments: packets)
        func refusesAChangedBit(packet: Packet) {
            for part in [\Packet.nonce, \.head, \.ciphertext, \.tag] where !packet[keyPath: part].isEmpty {
                #expect(throws: DecodeError.authentication) { try packet.decrypt(changing: part) }
            }
        }

        /// OpenSSL has one queue of errors for a thread. A TLS connection would take the packet's failure for its own.
        @Test func leavesNoErrorForTheNextConnection() {
            ERR_clear_error()
            #expect(throws: DecodeError.authentication) { try Self.packets[0].decrypt(changing: \.tag) }
            #expect(ERR_peek_error() == 0)
        }
    }
}

extension Readings.AESCCMTests.Packet {
    func decrypt(changing part: KeyPath<Self, String>? = nil, hasProof: Bool = true) throws -> [UInt8] {
        func bytes(_ path: KeyPath<Self, String>) throws -> [UInt8] {
            var bytes = try #require([UInt8](hex: self[keyPath: path]))
            if path == part { bytes[0] ^= 1 }
            return bytes
        }
        let key = try #require(AdvertisementKey(hex: Readings.AESCCMTests.key))
        return try AESCCM.decrypt(
            bytes(\.ciphertext)[...], tag: hasProof ? bytes(\.tag)[...] : nil, nonce: bytes(\.nonce),
            associated: bytes(\.head), key: key)
    }
}
