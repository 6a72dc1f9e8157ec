/// The conversion of a raw number to a value: (raw · `multiplier` + `offset`) · 10^`decimal` · 2^`binary`.
package struct Scale: Sendable, Hashable {
    package var multiplier: Int64 = 1
    package var decimal = 0
    var binary = 0
    /// In units of 10^`decimal`. Medical floats have an exponent of their own, and no offset.
    package var offset: Int64 = 0

    package init(multiplier: Int64 = 1, decimal: Int = 0, binary: Int = 0, offset: Int64 = 0) {
        self.multiplier = multiplier
        self.decimal = decimal
        self.binary = binary
        self.offset = offset
    }

    /// The number of decimals that show each step exactly, at most 6.
    var decimals: Int { min(max(0, -decimal) + max(0, -binary), 6) }

    /// Returns an integer when the scale has only positive powers of ten, otherwise the nearest `Double`.
    func value(of raw: Int64) -> MeasuredValue {
        if self == Scale() { return .integer(raw) }
        guard decimal >= 0, binary == 0 else { return .number(number(raw, exponent: 0)) }
        return exact(raw, exponent: 0).integer(within: UInt64(Int64.max))
    }

    /// Returns the nearest `Double` of the scaled `mantissa` · 10^`exponent`. A power of two doesn't round.
    func number(_ mantissa: Int64, exponent: Int) -> Double {
        let number = exact(mantissa, exponent: exponent).nearest
        return binary == 0 ? number : number * Double(sign: .plus, exponent: binary, significand: 1)
    }

    private func exact(_ mantissa: Int64, exponent: Int) -> ExactDecimal {
        var product = ExactDecimal(mantissa, exponent: exponent + decimal)
        // The product of two 64-bit factors fits.
        product.magnitude &*= UInt128(multiplier.magnitude)
        if multiplier < 0 { product.isNegative.toggle() }
        if offset != 0 { product.add(offset) }
        return product
    }
}
