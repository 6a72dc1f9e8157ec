/// From the number in the octets to the number that is meant: (raw · `multiplier` + `offset`) · 10^`decimal` · 2^`binary`.
package struct Scale: Sendable, Hashable {
    package var multiplier: Int64 = 1
    package var decimal = 0
    var binary = 0
    /// In units of 10^`decimal`. Not for medical floats, which have an exponent of their own.
    package var offset: Int64 = 0

    package init(multiplier: Int64 = 1, decimal: Int = 0, binary: Int = 0, offset: Int64 = 0) {
        self.multiplier = multiplier
        self.decimal = decimal
        self.binary = binary
        self.offset = offset
    }

    /// An integer stays one if the scale only makes it larger; else the nearest `Double`.
    func value(of raw: Int64) -> MeasuredValue {
        if self == Scale() { return .integer(raw) }
        guard decimal >= 0, binary == 0 else { return .number(number(raw, exponent: 0)) }
        return exact(raw, exponent: 0).integer(within: UInt64(Int64.max))
    }

    /// The nearest `Double` of `mantissa` · 10^`exponent`, scaled. A power of two shifts it and rounds nothing.
    func number(_ mantissa: Int64, exponent: Int) -> Double {
        let number = exact(mantissa, exponent: exponent).nearest
        return binary == 0 ? number : number * Double(sign: .plus, exponent: binary, significand: 1)
    }

    private func exact(_ mantissa: Int64, exponent: Int) -> ExactDecimal {
        var product = ExactDecimal(mantissa, exponent: exponent + decimal)
        // Two factors of 64 bits: their product fits.
        product.magnitude &*= UInt128(multiplier.magnitude)
        if multiplier < 0 { product.isNegative.toggle() }
        if offset != 0 { product.add(offset) }
        return product
    }
}
