import Blekeep

/// Removes addresses and secrets from a report.
enum Mask {
    private static let secrets = ["password", "passkey", "passphrase", "secret", "token", "bindkey", "key", "pin"]

    /// Returns the text with `XX` for the last three bytes of each address, and `***` for each secret.
    static func masked(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line(String($0)) }.joined(separator: "\n")
    }

    private static func line(_ line: String) -> String {
        if let colon = line.firstIndex(of: ":") {
            let key = line[..<colon].lowercased().split { !$0.isLetter }.last ?? ""
            if secrets.contains(where: { key.hasSuffix($0) }) { return "\(line[...colon]) ***" }
        }
        var bytes = Array(line.utf8)
        var start = 0
        while start + 17 <= bytes.count {
            guard isAddress(bytes[start..<start + 17]) else {
                start += 1
                continue
            }
            for offset in [9, 10, 12, 13, 15, 16] { bytes[start + offset] = UInt8(ascii: "X") }
            start += 17
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the text is six pairs of hex digits with the same separator.
    private static func isAddress(_ bytes: ArraySlice<UInt8>) -> Bool {
        let sign = bytes[bytes.startIndex + 2]
        guard [UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(sign) else { return false }
        return bytes.enumerated().allSatisfy { place, byte in place % 3 == 2 ? byte == sign : byte.isHexDigit }
    }
}
