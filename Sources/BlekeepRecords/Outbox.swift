/// The readings that a remote sink hasn't confirmed, as ranges of numbers, and those in flight. Pure.
///
/// New readings are sent at once, and the backlog follows in parallel.
struct Outbox: Sendable {
    /// A batch that was sent and isn't confirmed.
    private struct Batch {
        let key: Int
        let numbers: Range<Int64>
        let isLive: Bool
    }

    /// The numbers that aren't confirmed, with those in flight.
    private(set) var lacking = RangeSet<Int64>()
    /// The last number that the log gave.
    private(set) var newest: Int64
    /// The number of readings that were lost: the log no longer had them, or the sink refused them.
    private(set) var lost: Int64 = 0
    private var inFlight: [Batch] = []
    private var lastKey = 0

    /// The number of live batches that may wait for their confirmation.
    static let mostLive = 16
    /// The number of unconfirmed ranges. Beyond it, the smallest gap between two ranges is sent twice.
    static let mostRanges = 64

    /// - Parameters:
    ///   - kept: the sink's last status in the history; `nil` for a new sink, which begins with new readings.
    ///   - newest: the last number that the log gave.
    init(_ kept: SinkStatus?, newest: Int64) {
        self.newest = newest
        guard let kept, let position = kept.position, position < newest else { return }
        lacking.insert(contentsOf: position + 1..<newest + 1)
        for numbers in kept.confirmed ?? [] where numbers.upperBound <= newest {
            lacking.remove(contentsOf: numbers.lowerBound..<numbers.upperBound + 1)
        }
    }

    /// The number up to which all readings are confirmed.
    var position: Int64 { lacking.ranges.first.map { $0.lowerBound - 1 } ?? newest }

    /// The confirmed numbers above `position`.
    var confirmed: [ClosedRange<Int64>] {
        var confirmed = RangeSet(position + 1..<newest + 1)
        confirmed.subtract(lacking)
        return confirmed.ranges.map { $0.lowerBound...$0.upperBound - 1 }
    }

    var isNewestConfirmed: Bool { !lacking.contains(newest) }

    /// The number of unconfirmed readings.
    var backlog: Int64 { lacking.ranges.reduce(0) { $0 + Int64($1.count) } }

    /// Whether new readings may be sent at once.
    var hasLiveRoom: Bool { inFlight.count(where: \.isLive) < Self.mostLive }

    /// Takes the last number that the log gave.
    mutating func stored(upTo number: Int64) {
        guard number > newest else { return }
        lacking.insert(contentsOf: newest + 1..<number + 1)
        newest = number
        if lacking.ranges.count > Self.mostRanges { joinClosest() }
    }

    private mutating func joinClosest() {
        let ranges = lacking.ranges
        let gaps = zip(ranges, ranges.dropFirst()).map { $0.upperBound..<$1.lowerBound }
        if let gap = gaps.min(by: { $0.count < $1.count }) { lacking.insert(contentsOf: gap) }
    }

    /// Whether a page of the backlog waits for its confirmation.
    var isSendingBacklog: Bool { inFlight.contains { !$0.isLive } }

    /// The next numbers of the backlog to send; `nil` when there are none, or when their order requires to wait.
    var nextBacklog: Range<Int64>? {
        guard let first = lacking.ranges.first else { return nil }
        let nextSent = inFlight.lazy.map(\.numbers.lowerBound).min() ?? .max
        guard first.lowerBound < nextSent else { return nil }
        return first.lowerBound..<min(first.upperBound, nextSent)
    }

    /// Records that these numbers were sent.
    ///
    /// - Returns: the key of their confirmation.
    mutating func sent(_ numbers: Range<Int64>, isLive: Bool) -> Int {
        lastKey += 1
        inFlight.append(Batch(key: lastKey, numbers: numbers, isLive: isLive))
        return lastKey
    }

    /// Takes a confirmation.
    ///
    /// - Returns: whether it belongs to the backlog; `nil` when the key isn't in flight.
    mutating func confirm(_ key: Int) -> Bool? {
        guard let place = inFlight.firstIndex(where: { $0.key == key }) else { return nil }
        let batch = inFlight.remove(at: place)
        lacking.remove(contentsOf: batch.numbers)
        return !batch.isLive
    }

    /// Skips numbers that the log doesn't hold.
    mutating func skip(_ numbers: Range<Int64>) {
        lacking.remove(contentsOf: numbers)
        lost += Int64(numbers.count)
    }

    /// Counts readings that the sink refused for good.
    mutating func refused(_ count: Int) { lost += Int64(count) }

    /// Returns all batches in flight to the backlog, because they may not have arrived.
    mutating func lostConnection() { inFlight = [] }
}
