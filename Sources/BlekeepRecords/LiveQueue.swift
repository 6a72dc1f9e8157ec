/// New readings that a sink hasn't taken, up to 10,000.
struct LiveQueue: Sendable {
    private(set) var readings: [LiveReading] = []
    /// The number of dropped readings.
    private(set) var dropped: Int64 = 0

    static let most = 10_000

    var isEmpty: Bool { readings.isEmpty }

    mutating func add(_ new: [LiveReading]) {
        if readings.isEmpty { readings = new } else { readings += new }
    }

    mutating func trim() {
        let excess = readings.count - Self.most
        guard excess > 0 else { return }
        readings.removeFirst(excess)
        dropped += Int64(excess)
    }

    mutating func removeAll() { readings = [] }
}
