import DBus

/// What our side of a pairing can do, as BlueZ calls it: it decides, with the device's own, how the two pair.
public enum PairingCapability: String, Sendable, CaseIterable {
    case displayOnly = "DisplayOnly"
    case displayYesNo = "DisplayYesNo"
    case keyboardOnly = "KeyboardOnly"
    case noInputNoOutput = "NoInputNoOutput"
    case keyboardDisplay = "KeyboardDisplay"

    /// The one that suits: a secret is typed; otherwise everything, also where nobody is there to do it. A device that
    /// protects its pairing then says so, instead of being paired without protection.
    package static func suitable(hasSecret: Bool) -> PairingCapability { hasSecret ? .keyboardOnly : .keyboardDisplay }
}

/// What a device asks of us, or wants to have shown, while it is paired.
public enum PairingRequest: Sendable, Hashable {
    /// Type the six digits that the device shows, or that are printed on it.
    case enterPasskey
    /// Show these digits, to be typed on the device; so many of them have been typed.
    case showPasskey(UInt32, typed: Int)
    /// Do both sides show this number?
    case confirm(UInt32)
    /// May it pair without anything to compare or to type?
    case authorize
    /// Type the code of an old device: 1 to 16 letters or digits.
    case enterPinCode
    /// Show this code, to be typed on the device. It comes from BlueZ.
    case showPinCode(String)
    /// May it use this service? The UUID as BlueZ has it.
    case authorizeService(String)
}

public enum PairingAnswer: Sendable, Hashable {
    case accept
    case passkey(UInt32)
    case pinCode(String)
    case reject
}

/// The six digits of a passkey, with the zeros in front.
public struct PasskeyText: Sendable, CustomStringConvertible {
    public let description: String

    public init(_ passkey: UInt32) {
        let digits = String(passkey)
        description = String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
    }
}

extension PairingRequest {
    /// The reply that tells BlueZ an answer; `nil` when the answer is no, or none to this question.
    func reply(_ answer: PairingAnswer) -> [Value]? {
        switch (self, answer) {
        case (.enterPasskey, .passkey(let number)): number <= PairingSecret.largestPasskey ? [.uint32(number)] : nil
        case (.enterPinCode, .pinCode(let code)): PairingSecret.isPinCode(code) ? [.string(code)] : nil
        case (.confirm, .accept), (.authorize, .accept), (.authorizeService, .accept), (.showPasskey, .accept),
            (.showPinCode, .accept):
            []
        default: nil
        }
    }
}
