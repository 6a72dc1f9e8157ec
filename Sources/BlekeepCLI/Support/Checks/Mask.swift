import Blekeep

/// Makes a report fit to be shown to strangers.
enum Mask {
    private static let secrets = ["password", "passkey", "passphrase", "secret", "token", "bindkey", "key", "pin"]

    /// The text with the last three octets of each address as `XX`, and without what stands behind a key that names
    /// a secret.
    static func masked(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line(String($0)) }.joined(separator: "\n")
    }

    private static func line(_ line: String) -> String {
        if let colon = line.firstIndex(of: ":") {
            let key = line[..<colon].lowercased().split { !$0.isLetter }.last ?? ""
            if secrets.contains(where: { key.hasSuffix($0) }) { return "\(line[...colon]) ***" }
        }
        var octets = Array(line.utf8)
        var start = 0
        while start + 17 <= octets.count {
            guard isAddress(octets[start..<start + 17]) else {
                start += 1
                continue
            }
            for offset in [9, 10, 12, 13, 15, 16] { octets[start + offset] = UInt8(ascii: "X") }
            start += 17
        }
        return String(decoding: octets, as: UTF8.self)
    }

    /// Six pairs of hex digits with the same sign between them.
    private static func isAddress(_ octets: ArraySlice<UInt8>) -> Bool {
        let sign = octets[octets.startIndex + 2]
        guard [UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(sign) else { return false }
        return octets.enumerated().allSatisfy { place, octet in
            place % 3 == 2 ? octet == sign : octet.isHexDigit
        }
    }
}
