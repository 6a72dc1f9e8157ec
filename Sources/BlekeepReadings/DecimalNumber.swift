/// An exact decimal number: `0.01` is one hundredth, not the nearest binary fraction.
package struct DecimalNumber: Sendable, Hashable, CustomStringConvertible {
    package var digits: Int64
    package var exponent: Int

    package static let one = DecimalNumber(digits: 1, exponent: 0)
    package static let zero = DecimalNumber(digits: 0, exponent: 0)

    package init(digits: Int64, exponent: Int) { (self.digits, self.exponent) = (digits, exponent) }

    package var nearest: Double { ExactDecimal(digits, exponent: exponent).nearest }
    var decimals: Int { max(0, -exponent) }

    /// The text that `init` reads as the same digits and exponent.
    package var description: String {
        if exponent == 0 { return "\(digits)" }
        guard -18...0 ~= exponent else { return "\(digits)e\(exponent)" }
        let all = String(digits.magnitude)
        let padded = String(repeating: "0", count: max(0, 1 - exponent - all.count)) + all
        return "\(digits < 0 ? "-" : "")\(padded.dropLast(-exponent)).\(padded.suffix(-exponent))"
    }

    /// Reads `0.01`, `-40`, `1e-3` and so on; `nil` for anything else, and beyond 10^±30.
    package init?(_ text: String) {
        let parts = text.split(separator: "e", maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = parts.first, let power = parts.count < 2 ? 0 : Int(parts[1]), -30...30 ~= power,
            number.utf8.contains(where: \.isDigit)
        else { return nil }
        let halves = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = halves.count < 2 ? "" : halves[1]
        guard fraction.allSatisfy(\.isNumber), fraction.utf8.count <= 18, let digits = Int64(halves[0] + fraction)
        else { return nil }
        self.init(digits: digits, exponent: power - fraction.utf8.count)
    }

    /// Returns both as one scale; `nil` if it doesn't fit into 64 bits.
    package static func scale(_ scale: DecimalNumber, offset: DecimalNumber) -> Scale? {
        let decimal = offset.digits == 0 ? scale.exponent : min(scale.exponent, offset.exponent)
        guard let multiplier = scale.digits(at: decimal),
            let moved = offset.digits == 0 ? 0 : offset.digits(at: decimal)
        else { return nil }
        return Scale(multiplier: multiplier, decimal: decimal, offset: moved)
    }

    private func digits(at lower: Int) -> Int64? {
        var digits = digits
        for _ in lower..<exponent {
            let (product, overflow) = digits.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            digits = product
        }
        return digits
    }
}
