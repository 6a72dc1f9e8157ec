/// A passkey or PIN code that a person gave beforehand. It never shows itself: not in a log, not in a debugger's dump.
public struct PairingSecret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// As it was given: 1 to 16 letters and digits.
    let text: String

    static let largestPasskey: UInt32 = 999_999

    /// Takes the text without the line end behind it. `nil` unless it is 1 to 16 letters or digits of ASCII.
    public init?(_ text: some StringProtocol) {
        let trimmed = String(String.UnicodeScalarView(text.unicodeScalars.prefix { $0 != "\n" && $0 != "\r" }))
        guard Self.isPinCode(trimmed) else { return nil }
        self.text = trimmed
    }

    /// The passkey, when it is six digits.
    var passkey: UInt32? {
        guard text.utf8.count == 6, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return UInt32(text)
    }

    static func isPinCode(_ text: String) -> Bool {
        1...16 ~= text.utf8.count
            && text.utf8.allSatisfy { octet in
                0x30...0x39 ~= octet || 0x41...0x5A ~= octet || 0x61...0x7A ~= octet
            }
    }

    public var description: String { "(secret)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
