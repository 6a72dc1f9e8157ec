/// A number as users write it, exact to the last digit, and perhaps a unit: `21.5`, `-4e3`, `1013.2 hPa`.
struct NumberText: Sendable, Hashable {
    let number: ExactDecimal
    /// Empty without a unit.
    let unit: Substring

    /// `nil` unless the text begins with a number of at most 30 digits and a power between 10^-30 and 10^30.
    init?(_ text: some StringProtocol) {
        var rest = Substring(text)
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest.removeFirst() }
        let whole = Self.digits(&rest)
        var fraction: Substring = ""
        if rest.first == "." {
            rest.removeFirst()
            fraction = Self.digits(&rest)
        }
        let digits = whole + fraction
        guard 1...30 ~= digits.utf8.count, let magnitude = UInt128(digits), let power = Self.power(&rest) else {
            return nil
        }
        number = ExactDecimal(
            isNegative: isNegative && magnitude > 0, magnitude: magnitude, exponent: power - fraction.utf8.count)
        unit = rest.first == " " ? rest.dropFirst() : rest
    }

    private static func digits(_ rest: inout Substring) -> Substring {
        let digits = rest.prefix { "0"..."9" ~= $0 }
        rest = rest.dropFirst(digits.count)
        return digits
    }

    /// Reads the exponent; 0 without one.
    private static func power(_ rest: inout Substring) -> Int? {
        guard rest.first == "e" || rest.first == "E" else { return 0 }
        var after = rest.dropFirst()
        let sign = after.first == "-" || after.first == "+" ? after.removeFirst() : "+"
        let digits = digits(&after)
        // An "e" without digits belongs to a unit.
        guard !digits.isEmpty else { return 0 }
        guard let power = Int(digits), power <= 30 else { return nil }
        rest = after
        return sign == "-" ? -power : power
    }
}
