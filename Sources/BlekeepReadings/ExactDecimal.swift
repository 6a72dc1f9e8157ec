/// An integer times a power of ten, exact until it becomes a `Double`.
struct ExactDecimal: Sendable, Hashable {
    var isNegative: Bool
    var magnitude: UInt128
    var exponent: Int

    init(isNegative: Bool = false, magnitude: UInt128, exponent: Int = 0) {
        self.isNegative = isNegative
        self.magnitude = magnitude
        self.exponent = exponent
    }

    init(_ integer: Int64, exponent: Int = 0) {
        self.init(isNegative: integer < 0, magnitude: UInt128(integer.magnitude), exponent: exponent)
    }

    /// Adds an integer, multiplied by the same power of ten.
    mutating func add(_ integer: Int64) {
        let size = UInt128(integer.magnitude)
        if (integer < 0) == isNegative {
            // The magnitude is a product of two 64-bit factors, so the sum fits.
            magnitude &+= size
        } else if magnitude >= size {
            magnitude -= size
        } else {
            magnitude = size - magnitude
            isNegative.toggle()
        }
        if magnitude == 0 { isNegative = false }
    }

    /// The nearest `Double`; for 2499 · 10⁻² it prints as 24.99.
    ///
    /// One multiplication or division of two exact operands rounds once, and so correctly. 0.01 isn't exact.
    var nearest: Double {
        let size = exponent.magnitude
        guard magnitude <= Self.exactIntegers, size < Self.exactPowers.count else { return nearestByText }
        let number = Double(UInt64(truncatingIfNeeded: magnitude))
        let power = Self.exactPowers[Int(size)]
        let scaled = exponent < 0 ? number / power : number * power
        return isNegative ? -scaled : scaled
    }

    /// Returns the value when the exponent is 0 or more: as text when its magnitude exceeds `limit`.
    func integer(within limit: UInt64) -> MeasuredValue {
        let sign = isNegative ? "-" : ""
        guard let whole, whole <= UInt128(limit), let small = Int64(exactly: whole) else {
            return .text(sign + String(magnitude) + String(repeating: "0", count: max(0, exponent)))
        }
        return .integer(isNegative ? -small : small)
    }

    /// The magnitude of the whole number, if 128 bits can hold it.
    private var whole: UInt128? {
        var product = magnitude
        for _ in 0..<max(0, exponent) {
            let (next, overflow) = product.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            product = next
        }
        return product
    }

    /// The slower way for all other numbers: the standard library reads decimal text as the nearest `Double`.
    private var nearestByText: Double { Double("\(isNegative ? "-" : "")\(magnitude)e\(exponent)") ?? .nan }

    private static let exactIntegers: UInt128 = 1 << 53
    private static let exactPowers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}
