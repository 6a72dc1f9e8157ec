/// What comes now and a sink hasn't taken: bounded.
struct LiveQueue: Sendable {
    private(set) var readings: [LiveReading] = []
    /// How many were dropped so far, the oldest first.
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
