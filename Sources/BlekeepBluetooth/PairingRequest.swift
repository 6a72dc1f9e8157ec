import DBus

/// What this side of a pairing can show and read. Together with the device's capability, it decides how the two pair.
///
/// The names are those of BlueZ's `AgentManager1.RegisterAgent`.
public enum PairingCapability: String, Sendable, CaseIterable {
    /// A display.
    case displayOnly = "DisplayOnly"
    /// A display, and the answers yes and no.
    case displayYesNo = "DisplayYesNo"
    /// A keyboard.
    case keyboardOnly = "KeyboardOnly"
    /// Neither a display nor a keyboard: the pairing isn't protected by a passkey.
    case noInputNoOutput = "NoInputNoOutput"
    /// A keyboard and a display.
    case keyboardDisplay = "KeyboardDisplay"

    /// Returns a keyboard for a secret, and otherwise everything, even without a user. A device that protects its pairing
    /// then asks, and doesn't pair without protection.
    package static func suitable(hasSecret: Bool) -> PairingCapability { hasSecret ? .keyboardOnly : .keyboardDisplay }
}

/// A request of a device to the user during pairing. The source is a method of BlueZ's interface `org.bluez.Agent1`.
public enum PairingRequest: Sendable, Hashable {
    /// Enter the six digits that the device shows, or that are printed on it. BlueZ: `RequestPasskey`.
    case enterPasskey
    /// Show this passkey, which the user types on the device; `typed` digits are there already. BlueZ: `DisplayPasskey`.
    case showPasskey(UInt32, typed: Int)
    /// Confirm that both sides show this number. BlueZ: `RequestConfirmation`.
    case confirm(UInt32)
    /// Allow a pairing without a passkey or a comparison. BlueZ: `RequestAuthorization`.
    case authorize
    /// Enter the code of an old device: 1 to 16 letters or digits. BlueZ: `RequestPinCode`.
    case enterPinCode
    /// Show this code, which the user types on the device. BlueZ: `DisplayPinCode`.
    case showPinCode(String)
    /// Allow the use of the service with this UUID. BlueZ: `AuthorizeService`.
    case authorizeService(String)
}

/// The user's answer to a request.
public enum PairingAnswer: Sendable, Hashable {
    /// Yes, to `confirm`, `authorize` or `authorizeService`.
    case accept
    /// A number of at most six digits, to `enterPasskey`. With another number, the pairing fails with `invalidPasskey`.
    case passkey(UInt32)
    /// 1 to 16 letters or digits, to `enterPinCode`.
    case pinCode(String)
    /// No: the pairing fails with `rejected`.
    case reject
}

/// The six digits of a passkey, with zeros at the front.
public struct PasskeyText: Sendable, CustomStringConvertible {
    /// The digits, such as `001234`.
    public let description: String

    /// Formats the number of a ``PairingRequest``.
    public init(_ passkey: UInt32) {
        let digits = String(passkey)
        description = String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
    }
}

extension PairingRequest {
    /// Returns the reply to BlueZ; `nil` when the user refused, or when the answer doesn't fit the request.
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
