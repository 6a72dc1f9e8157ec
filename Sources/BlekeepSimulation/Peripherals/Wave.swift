/// A triangle wave between two integers. At a given time, all readers see the same value.
struct Wave: Sendable {
    let low: Int
    let high: Int
    let period: Duration

    /// Returns the value at a time: `low` at the start, `high` after half a period, `low` after a whole one.
    init(from low: Int, through high: Int, every period: Duration) {
        self.low = low
        self.high = high
        self.period = period
    }

    func value(at moment: Duration) -> Int {
        let whole = period.components.seconds
        // Also before the start.
        let second = (moment.components.seconds % whole + whole) % whole
        let distance = min(second, whole - second)
        return low + (high - low) * Int(2 * distance) / Int(whole)
    }
}

/// Returns the bytes of a number, little endian.
func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
}
