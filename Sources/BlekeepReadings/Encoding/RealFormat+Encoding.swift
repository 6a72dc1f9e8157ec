extension RealFormat {
    /// Returns the bits of a number: the reverse of `value(of:scale:)`. `nil` for a number that is too large, or that has
    /// too many digits for a medical float.
    func bits(of number: ExactDecimal, scale: Scale) -> UInt64? {
        switch self {
        case .medfloat16: Self.medical(number, mantissaBits: 12, exponentBits: 4, scale: scale)
        case .medfloat32: Self.medical(number, mantissaBits: 24, exponentBits: 8, scale: scale)
        case .float32:
            Float(number.nearest).isFinite ? UInt64(Float(number.nearest).bitPattern) : nil
        case .float64: number.nearest.isFinite ? number.nearest.bitPattern : nil
        }
    }

    /// Returns the bits of a state such as `nan`; `nil` when the format doesn't have it.
    func bits(of word: String) -> UInt64? {
        switch self {
        case .medfloat16: Self.word(word, mantissaBits: 12)
        case .medfloat32: Self.word(word, mantissaBits: 24)
        case .float32: Self.double(word).map { UInt64(Float($0).bitPattern) }
        case .float64: Self.double(word)?.bitPattern
        }
    }

    private static func double(_ word: String) -> Double? {
        switch word {
        case "nan": .nan
        case "pos_inf": .infinity
        case "neg_inf": -.infinity
        default: nil
        }
    }

    private static func word(_ word: String, mantissaBits: Int) -> UInt64? {
        let lowest: Int64 = -1 << Int64(mantissaBits - 1)
        let all = [lowest, lowest + 2, -lowest - 1, -lowest - 2]
        return all.first { special($0, lowest: lowest) == word }.map { mask($0, bits: mantissaBits) }
    }

    private static func mask(_ value: Int64, bits: Int) -> UInt64 {
        UInt64(bitPattern: value) & (1 << UInt64(bits) - 1)
    }

    /// Returns a mantissa and a power of ten that give exactly the number.
    private static func medical(_ number: ExactDecimal, mantissaBits: Int, exponentBits: Int, scale: Scale) -> UInt64? {
        guard scale.multiplier > 0, scale.binary == 0, scale.offset == 0 else { return nil }
        var magnitude = number.magnitude
        var exponent = number.exponent - scale.decimal
        let multiplier = UInt128(scale.multiplier)
        while !magnitude.isMultiple(of: multiplier) {
            guard magnitude < 1 << 100 else { return nil }
            magnitude *= 10
            exponent -= 1
        }
        magnitude /= multiplier
        while magnitude > 0, magnitude.isMultiple(of: 10) {
            magnitude /= 10
            exponent += 1
        }
        let lowest: Int64 = -1 << Int64(mantissaBits - 1)
        let (least, most) = (-1 << (exponentBits - 1), 1 << (exponentBits - 1) - 1)
        if magnitude == 0 { return 0 }
        // More digits of the mantissa make the exponent smaller, and avoid mantissas with a special meaning.
        while magnitude <= lowest.magnitude {
            let mantissa = number.isNegative ? -Int64(magnitude) : Int64(magnitude)
            if exponent <= most, exponent >= least, mantissa < -lowest,
                exponent != 0 || special(mantissa, lowest: lowest) == nil
            {
                return mask(mantissa, bits: mantissaBits) | mask(Int64(exponent), bits: exponentBits)
                    << UInt64(mantissaBits)
            }
            magnitude *= 10
            exponent -= 1
        }
        return nil
    }
}
