import BlekeepReadings
import DBus

/// The error with which a device replied to a request, as BlueZ reports it (Core Specification, Vol 3, Part F, 3.4.1.1).
package struct ATTError: Sendable, Hashable, CustomStringConvertible {
    let code: UInt16

    /// - Returns: `nil` for an error of another kind.
    package init?(_ error: BusError) {
        guard case .remote(let name, let message) = error else { return nil }
        self.init(name, message)
    }

    /// Reads the code in `Operation failed with ATT error: 0x0e`.
    init?(_ name: String, _ message: String) {
        let digits = message.dropFirst(Self.prefix.count)
        guard name == RemedyTable.failed, message.hasPrefix(Self.prefix), (1...4).contains(digits.utf8.count),
            digits.allSatisfy(\.isHexDigit), let code = UInt16(digits, radix: 16)
        else { return nil }
        self.code = code
    }

    var remedy: Remedy { Self.known[code]?.remedy ?? (code >= 0x80 ? .point : .retry) }

    package var description: String {
        let name = Self.known[code]?.name ?? ((0x80...0x9F).contains(code) ? "a code of the device's maker" : nil)
        return "the device replied with error 0x\(String(hex: code, width: 2))\(name.map { " (\($0))" } ?? "")"
    }

    private static let prefix = "Operation failed with ATT error: 0x"

    static let known: [UInt16: (remedy: Remedy, name: String)] = [
        0x01: (.stale, "invalid handle"),
        0x02: (.unsupported, "read not permitted"),
        0x03: (.unsupported, "write not permitted"),
        0x04: (.point, "invalid request"),
        0x05: (.pairing, "insufficient authentication"),
        0x06: (.unsupported, "request not supported"),
        0x07: (.point, "invalid offset"),
        0x08: (.unsupported, "insufficient authorization"),
        0x09: (.point, "prepare queue full"),
        0x0A: (.point, "attribute not found"),
        0x0B: (.point, "attribute not long"),
        0x0C: (.pairing, "encryption key too short"),
        0x0D: (.point, "invalid length"),
        0x0E: (.point, "unlikely error: a fault in the device, or the connection ended"),
        0x0F: (.pairing, "insufficient encryption"),
        0x10: (.unsupported, "unsupported group type"),
        0x11: (.point, "insufficient resources"),
        0x12: (.relink, "database out of sync"),
        0x13: (.point, "value not allowed"),
        0xFC: (.point, "write request rejected"),
        0xFD: (.point, "client characteristic configuration improperly configured"),
        0xFE: (.point, "procedure already in progress"),
        0xFF: (.point, "out of range"),
    ]
}
