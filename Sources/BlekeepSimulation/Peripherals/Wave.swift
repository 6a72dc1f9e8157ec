/// A slow and even up and down between two whole numbers: no two readers of one moment see different values.
struct Wave: Sendable {
    let low: Int
    let high: Int
    let period: Duration

    /// Starts at `low`, is at `high` after half a period and at `low` again after a whole one.
    init(from low: Int, through high: Int, every period: Duration) {
        self.low = low
        self.high = high
        self.period = period
    }

    func value(at moment: Duration) -> Int {
        let whole = period.components.seconds
        let second = moment.components.seconds % whole
        let distance = min(second, whole - second)
        return low + (high - low) * Int(2 * distance) / Int(whole)
    }
}

/// A number as Bluetooth writes it: the least significant byte first.
func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
}
