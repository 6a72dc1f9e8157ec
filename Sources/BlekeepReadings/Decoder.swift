/// Turns the bytes of a characteristic into measurements.
public protocol Decoder: Sendable {
    /// Returns the fields of a value, in the order of its layout.
    ///
    /// Any bytes give either all fields of a complete value or an error. A field without a value is a measurement with a
    /// `state`, such as `unknown`.
    ///
    /// - Throws: `DecodeError` when the bytes aren't a value of this kind. Expect it: the next value may be good.
    func decode(_ bytes: [UInt8]) throws(DecodeError) -> [Measurement]
}

/// The reason why bytes can't be decoded.
public enum DecodeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Bytes are missing.
    case short
    /// Bytes are left over.
    case long
    /// This code of a format, a frame or a URL is reserved.
    case format(UInt8)
    /// The advertisement has another version of its format.
    case version(UInt8)
    /// The advertisement is encrypted, and no key was given.
    case key
    /// The advertisement was encrypted with another key, or changed on its way.
    case authentication
    /// The encrypted advertisement is older than an earlier one. Perhaps another device sends a recorded packet.
    case replay
    /// The advertisement isn't encrypted, although the device has a key. Perhaps another device sends in its name.
    case plain

    package var code: FailureCode {
        switch self {
        case .short, .long: .badLength
        case .format: .badFormat
        case .version: .badVersion
        case .key: .noKey
        case .authentication: .badKey
        case .replay: .replay
        case .plain: .notEncrypted
        }
    }

    /// The same text as `message`.
    public var description: String { message }

    /// What is wrong, for users.
    public var message: String {
        switch self {
        case .short: "the value is too short: bytes are missing"
        case .long: "the value is too long: bytes are left over"
        case .format(let code): "the format code \(code) is reserved"
        case .version(let version): "blekeep doesn't know version \(version) of the format"
        case .key: "the advertisement is encrypted, and no key is configured"
        case .authentication: "the key doesn't fit the advertisement: the key is wrong, or the bytes were changed"
        case .replay:
            "the encrypted advertisement is older than the one before: another device sends a recorded one, or the device was restarted, which blekeep soon recognizes"
        case .plain: "the advertisement isn't encrypted, but the device has a key: perhaps another device sends it"
        }
    }
}
