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
    /// The format code of a presentation format (descriptor 0x2904) is a reserved one.
    case format(UInt8)

    /// `bad_length` or `bad_format`: for programs, stable.
    public var code: String {
        switch self {
        case .short, .long: "bad_length"
        case .format: "bad_format"
        }
    }

    /// A sentence for people.
    public var message: String {
        switch self {
        case .short: "The value is too short: octets are missing."
        case .long: "The value is too long: octets are left over."
        case .format(let code): "The presentation format has the reserved format code \(code)."
        }
    }
}
