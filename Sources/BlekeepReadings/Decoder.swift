/// Makes measurements of a characteristic's octets.
public protocol Decoder: Sendable {
    /// The fields of one value, in the order in which it holds them.
    ///
    /// Total: any octets give either all fields of a complete value or an error, never a partial value, never a trap.
    /// A field that says "not known", or holds what its definition forbids, is a measurement with a `state`.
    /// - Throws: `DecodeError`: the octets are not a value of this kind. A normal result; the next value may be good.
    func decode(_ octets: [UInt8]) throws(DecodeError) -> [Measurement]
}

/// Why octets are not a value.
public enum DecodeError: Error, Sendable, Hashable {
    /// Octets are missing.
    case short
    /// Octets are left over.
    case long
    /// A format or frame code, or an octet of a packed address, means nothing: its definition reserves it.
    case format(UInt8)
    /// An advertisement of another version of its format.
    case version(UInt8)
    /// An advertisement is encrypted, and there is no key for it.
    case key
    /// An advertisement is encrypted, and was not made with this key, or was changed on its way.
    case authentication
    /// An advertisement is encrypted, and this system has no library to decrypt it.
    case cipher
    /// An encrypted advertisement is older than one that was heard before: perhaps somebody sends a recorded one.
    case replay

    /// The same for programs.
    package var code: FailureCode {
        switch self {
        case .short, .long: .badLength
        case .format: .badFormat
        case .version: .badVersion
        case .key: .noKey
        case .authentication: .badKey
        case .cipher: .noCipher
        case .replay: .replay
        }
    }

    /// A sentence for people.
    public var message: String {
        switch self {
        case .short: "The value is too short: octets are missing."
        case .long: "The value is too long: octets are left over."
        case .format(let code): "The format code \(code) is not one that has a meaning."
        case .version(let version): "The version \(version) of the format is not known."
        case .key: "The advertisement is encrypted, and no key is configured."
        case .authentication: "The advertisement does not fit the key: the key is wrong, or the octets were changed."
        case .cipher: "The advertisement is encrypted, and libgcrypt is missing: install libgcrypt20."
        case .replay:
            "The advertisement is older than one before it. If the device was restarted, restart blekeep, too."
        }
    }
}
