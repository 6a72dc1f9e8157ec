/// The position of a number among the steps that a field can hold.
enum ScaledNumber: Sendable, Hashable {
    case exact(Int64)
    /// Between two steps, the nearer one first.
    case between(Int64, Int64)
    /// Too large for 64 bits.
    case beyond
}

extension Scale {
    /// Returns the raw number of a value: the reverse of `value(of:)`.
    func raw(of number: ExactDecimal) -> ScaledNumber {
        // number · 2^-binary · 10^-decimal = numerator / denominator
        let exponent = number.exponent - decimal
        guard multiplier != 0, let magnitude = Int128(exactly: number.magnitude),
            let top = Self.power(2, -binary).flatMap({ Self.product(magnitude, $0) }),
            let size = Self.power(10, max(0, exponent)).flatMap({ Self.product(top, $0) }),
            let tens = Self.power(10, max(0, -exponent)), let denominator = Self.product(tens, Int128(multiplier)),
            let moved = Self.product(tens, Int128(offset))
        else { return .beyond }
        let (numerator, overflow) = (number.isNegative ? -size : size).subtractingReportingOverflow(moved)
        guard !overflow else { return .beyond }
        return Self.quotient(numerator, denominator)
    }

    private static func quotient(_ numerator: Int128, _ denominator: Int128) -> ScaledNumber {
        let (quotient, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
        let step: Int128 = (rest < 0) == (denominator < 0) ? 1 : -1
        guard let near = Int64(exactly: quotient) else { return .beyond }
        guard rest != 0 else { return .exact(near) }
        guard let far = Int64(exactly: quotient + step) else { return .beyond }
        let isFarNearer = rest.magnitude > denominator.magnitude - rest.magnitude
        return isFarNearer ? .between(far, near) : .between(near, far)
    }

    private static func product(_ left: Int128, _ right: Int128) -> Int128? {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? nil : product
    }

    private static func power(_ base: Int128, _ exponent: Int) -> Int128? {
        guard exponent >= 0 else { return nil }
        var power: Int128 = 1
        for _ in 0..<exponent {
            guard let next = product(power, base) else { return nil }
            power = next
        }
        return power
    }
}
