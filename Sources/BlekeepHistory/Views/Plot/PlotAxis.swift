/// A vertical axis with ticks at round numbers: multiples of 1, 2 or 5 times a power of ten.
package struct PlotAxis: Sendable, Hashable {
    package struct Tick: Sendable, Hashable {
        package var value: Double
        package var text: String
    }

    package let ticks: [Tick]
    package let lower: Double
    package let upper: Double

    /// - Parameters:
    ///   - range: finite numbers of at most 1e110.
    ///   - most: the most ticks. There are more, up to five, where the next greater step leaves less than two.
    package init(_ range: ClosedRange<Double>, most: Int) {
        let (least, greatest) = (range.lowerBound, range.upperBound)
        let size = max(least.magnitude, greatest.magnitude)
        // Equal numbers lie in the middle of a range. Narrower ones than a double can divide do, too.
        let isFlat = greatest - least <= 1e-100
        let narrowest = isFlat ? (size <= 1e-100 ? 2 : min(2, size / 5)) : 0
        let room = max(0, max(narrowest, size * 1e-9) - (greatest - least)) / 2
        lower = least - room
        upper = greatest + room
        var step = RoundNumber(notBelow: (upper - lower) / Double(4 * max(2, most)))
        var indices = step.indices(in: lower...upper)
        // A single tick gives no scale.
        while indices.count > max(2, most), case let next = step.next.indices(in: lower...upper), next.count > 1 {
            step = step.next
            indices = next
        }
        ticks = indices.map { Tick(value: step.value($0), text: step.text($0)) }
    }

    /// Where a number lies between the ends: from 0 to 1.
    package func position(of number: Double) -> Double {
        guard upper > lower else { return 0.5 }
        return max(0, min(1, (number - lower) / (upper - lower)))
    }
}

/// 1, 2 or 5 times a power of ten.
struct RoundNumber: Hashable {
    private var mantissa: Int64
    private var exponent: Int

    /// The least such number that is not below this one.
    init(notBelow number: Double) {
        guard number > 1e-120, number < 1e120 else {
            (mantissa, exponent) = (1, number > 1 ? 120 : -120)
            return
        }
        exponent = 0
        while Self.power(exponent + 1) <= number { exponent += 1 }
        while Self.power(exponent) > number { exponent -= 1 }
        let digits = number / Self.power(exponent)
        mantissa = digits <= 1 + 1e-9 ? 1 : digits <= 2 + 1e-9 ? 2 : digits <= 5 + 1e-9 ? 5 : 10
        if mantissa == 10 { (mantissa, exponent) = (1, exponent + 1) }
    }

    /// The next greater one.
    var next: RoundNumber {
        var next = self
        next.mantissa = mantissa == 1 ? 2 : mantissa == 2 ? 5 : 1
        if mantissa == 5 { next.exponent += 1 }
        return next
    }

    private static func power(_ exponent: Int) -> Double {
        let size = (0..<exponent.magnitude).reduce(1.0) { power, _ in power * 10 }
        return exponent < 0 ? 1 / size : size
    }

    /// Returns the multiple with this index. Divides by powers of ten, because these are exact.
    func value(_ index: Int64) -> Double {
        let digits = Double(index) * Double(mantissa)
        return exponent < 0 ? digits / Self.power(-exponent) : digits * Self.power(exponent)
    }

    /// How many of these steps fit; rounding in the last digit doesn't count.
    private func steps(_ number: Double) -> Double { number / value(1) }

    /// The multiples in a range, of which there are at most 1000.
    func indices(in range: ClosedRange<Double>) -> Range<Int64> {
        let first = Self.whole((steps(range.lowerBound) - 1e-6).rounded(.up))
        let last = Self.whole((steps(range.upperBound) + 1e-6).rounded(.down))
        return first..<max(first, min(last, first + 999) + 1)
    }

    private static func whole(_ number: Double) -> Int64 { Int64(max(-0x1p62, min(0x1p62, number))) }

    /// Returns the multiple with as many decimals as all of them need.
    func text(_ index: Int64) -> String {
        let (number, isTooLarge) = index.multipliedReportingOverflow(by: mantissa)
        guard !isTooLarge, -12...12 ~= exponent else { return value(index).description }
        let digits = String(number.magnitude)
        let sign = number < 0 ? "-" : ""
        guard exponent < 0 else {
            let zeros = String(repeating: "0", count: number == 0 ? 0 : exponent)
            return digits.utf8.count + zeros.utf8.count > 15 ? value(index).description : sign + digits + zeros
        }
        let padded = String(repeating: "0", count: max(0, 1 - exponent - digits.utf8.count)) + digits
        return sign + padded.dropLast(-exponent) + "." + padded.suffix(-exponent)
    }
}
