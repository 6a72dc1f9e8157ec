import BlekeepReadings

/// A passkey or PIN code. Printing or dumping it doesn't show its digits.
public struct PairingSecret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// 1 to 16 letters and digits.
    let text: String

    static let largestPasskey: UInt32 = 999_999

    /// Reads 1 to 16 letters or digits of ASCII, up to the end of the line; `nil` for other text.
    public init?(_ text: some StringProtocol) {
        let trimmed = String(String.UnicodeScalarView(text.unicodeScalars.prefix { $0 != "\n" && $0 != "\r" }))
        guard Self.isPinCode(trimmed) else { return nil }
        self.text = trimmed
    }

    /// The passkey; `nil` unless the secret has six digits.
    var passkey: UInt32? {
        guard text.utf8.count == 6, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return UInt32(text)
    }

    static func isPinCode(_ text: String) -> Bool {
        1...16 ~= text.utf8.count && text.utf8.allSatisfy { $0.isLetter || $0.isDigit }
    }

    /// The word `(secret)`, never the digits.
    public var description: String { "(secret)" }
    /// The same word.
    public var debugDescription: String { description }
    /// An empty mirror, so that `dump` doesn't show the digits.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
