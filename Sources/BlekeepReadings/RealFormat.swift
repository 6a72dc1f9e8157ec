package enum RealFormat: String, Sendable, Hashable {
    /// IEEE 11073 SFLOAT: a mantissa of 12 bits, and above it a decimal exponent of 4 bits, both in two's complement.
    case medfloat16
    /// IEEE 11073 FLOAT: a mantissa of 24 bits and an exponent of 8 bits.
    case medfloat32
    case float32
    case float64

    var bits: Int {
        switch self {
        case .medfloat16: 16
        case .medfloat32, .float32: 32
        case .float64: 64
        }
    }

    /// Returns the number of these bits, or a word such as `nan`. Only medical floats use the scale.
    func value(of bits: UInt64, scale: Scale = Scale()) -> FieldValue {
        switch self {
        case .medfloat16: medical(bits, mantissaBits: 12, exponentBits: 4, scale: scale)
        case .medfloat32: medical(bits, mantissaBits: 24, exponentBits: 8, scale: scale)
        case .float32: .number(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
        case .float64: .number(Double(bitPattern: bits))
        }
    }

    private func medical(_ bits: UInt64, mantissaBits: Int, exponentBits: Int, scale: Scale) -> FieldValue {
        let mantissa = bits.signed(bits: mantissaBits)
        let exponent = (bits >> UInt64(mantissaBits)).signed(bits: exponentBits)
        if exponent == 0, let word = Self.special(mantissa, lowest: -1 << Int64(mantissaBits - 1)) {
            return .state(word)
        }
        return .number(scale.number(mantissa, exponent: Int(exponent)))
    }

    /// Returns the word for a special mantissa, at either end of its range: 0x7FE, 0x7FF, 0x800, 0x801 and 0x802 of 12 bits.
    static func special(_ mantissa: Int64, lowest: Int64) -> String? {
        switch mantissa {
        case lowest: "nres"
        case lowest + 1: "reserved"
        case lowest + 2: "neg_inf"
        case -lowest - 1: "nan"
        case -lowest - 2: "pos_inf"
        default: nil
        }
    }
}
