import Foundation
import Testing

@testable import BlekeepReadings

/// A line of a vector file: bytes, and their values or their error.
struct Vector {
    let line: JSON

    var label: String { "\(text("uuid")) \(text("note")) \(text("hex")) \(text("value_hex"))" }
    /// `short`, `long` or `format`.
    var error: String? { line["error"]?.text }
    var expected: JSON { line["expected"] ?? .null }

    func text(_ key: String) -> String { line[key]?.text ?? "" }

    func bytes(_ key: String) -> [UInt8] {
        [UInt8](hex: text(key)) ?? []
    }

    /// The advertisement of the line.
    var advertisedData: AdvertisedData {
        get throws {
            func bytes(_ key: String) throws -> [String: [UInt8]] {
                let entries = line[key] ?? .null
                let pairs = try entries.keys.map { ($0, try #require([UInt8](hex: entries[$0]?.text ?? "?"))) }
                return Dictionary(uniqueKeysWithValues: pairs)
            }
            var data = AdvertisedData(address: BluetoothAddress(text("mac")) ?? BluetoothAddress(bits: 0))
            data.name = line["name"]?.text
            if case .list(let services)? = line["services"] {
                data.services = services.compactMap { $0.text.flatMap { BluetoothUUID($0) } }
            }
            for (company, bytes) in try bytes("manufacturer_data") {
                data.manufacturerData[try #require(UInt16(company, radix: 16))] = bytes
            }
            for (service, bytes) in try bytes("service_data") {
                data.serviceData[try #require(BluetoothUUID(service))] = bytes
            }
            return data
        }
    }

    /// What the decoder makes of the advertisement. `format` and `key` of the line are the user's choice.
    func packets(as format: BroadcastFormat? = nil) throws -> [BroadcastDecoder.Packet] {
        var decoder = BroadcastDecoder(format: format, key: AdvertisementKey(hex: text("key")))
        return decoder.decode(try advertisedData)
    }

    static func all(_ name: String) throws -> [Vector] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let url = folder.appending(path: "Fixtures/\(name).jsonl")
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map { line in
            Vector(line: try JSONDecoder().decode(JSON.self, from: Data(line.utf8)))
        }
    }
}
