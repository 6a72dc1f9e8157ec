import Blekeep
import RunLoop

/// What a seed's run did, as one hash for each of its parts: what must not change when the code is rearranged.
///
/// It has addresses, times, bytes and the names of Swift's cases, but none of the texts that users see. So a device's
/// number, a message and the spelling of a code may change without effect.
package struct Digest: Sendable, Hashable {
    /// The parts, in the order of the columns.
    package enum Part: Int, Sendable, CaseIterable {
        /// The calls on the message bus.
        case calls
        /// The stored readings.
        case readings
        /// The attempts in the ledger: how each went.
        case outcomes
        /// The stored status of devices, adapters and sinks.
        case statuses
        /// What each sink got, in its order.
        case sinks
    }

    /// FNV-1a, of each event with its time.
    private var hashes = Part.allCases.map { _ in 0xCBF2_9CE4_8422_2325 as UInt64 }

    mutating func note(_ bytes: Span<UInt8>, in part: Part, at now: Uptime) {
        var hash = (hashes[part.rawValue] ^ UInt64(bitPattern: now.nanoseconds)) &* 0x100_0000_01B3
        for place in bytes.indices { hash = (hash ^ UInt64(bytes[place])) &* 0x100_0000_01B3 }
        hashes[part.rawValue] = hash
    }

    mutating func note(_ text: String, in part: Part, at now: Uptime) { note(text.utf8Span.span, in: part, at: now) }

    /// The hash of all parts.
    package var trace: UInt64 { hashes.reduce(0) { ($0 ^ $1) &* 0x100_0000_01B3 } }

    /// The columns of a line: eight hexadecimal digits for each part.
    package var text: String {
        hashes.map { hash in
            let digits = String(UInt32(truncatingIfNeeded: hash ^ hash >> 32), radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined(separator: " ")
    }
}

/// The digests of many seeds: a file with a line a seed, its number and the columns of its digest.
package struct DigestFile: Sendable, Hashable {
    private var lines: [UInt64: String] = [:]

    package init() {}

    /// - Returns: `nil` for a text that isn't such a file.
    package init?(_ text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let columns = line.split(separator: " ", maxSplits: 1)
            guard columns.count == 2, let seed = UInt64(columns[0]) else { return nil }
            lines[seed] = String(columns[1])
        }
    }

    package mutating func add(_ digest: Digest, of seed: UInt64) { lines[seed] = digest.text }

    package var text: String {
        let names = Digest.Part.allCases.map { "\($0)" }.joined(separator: " ")
        return (["# seed \(names)"] + lines.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
            .joined(separator: "\n") + "\n"
    }

    /// Returns a sentence for each seed of this file whose digest in the other file differs, or isn't there.
    package func differences(from other: DigestFile) -> [String] {
        lines.sorted { $0.key < $1.key }.compactMap { seed, line in
            guard let expected = other.lines[seed] else { return "seed \(seed) has no known digest" }
            guard expected != line else { return nil }
            let parts = zip(Digest.Part.allCases, zip(line.split(separator: " "), expected.split(separator: " ")))
                .filter { $0.1.0 != $0.1.1 }.map { "\($0.0)" }
            return "seed \(seed) differs in: \(parts.joined(separator: ", "))"
        }
    }
}

extension DeviceID {
    /// The address of a device that the configuration gives no ID: a digest doesn't depend on how IDs are made.
    var address: String { UInt64(description, radix: 16).map { "\(BluetoothAddress(bits: $0))" } ?? description }
}
