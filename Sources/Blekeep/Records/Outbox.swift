/// Which readings of the log a remote sink hasn't confirmed, and which of those it was sent. Pure.
///
/// The numbers that lack are ranges: readings that come while the sink is connected are sent at once, and what lacks
/// from before follows beside them.
struct Outbox: Sendable {
    /// What was sent in one go, and isn't confirmed.
    private struct Batch {
        let key: Int
        let numbers: Range<Int64>
        let isLive: Bool
    }

    /// The numbers that aren't confirmed, sent ones included.
    private(set) var lacking = RangeSet<Int64>()
    /// The last number that the log has given.
    private(set) var newest: Int64
    /// How many readings were lost, as the log no longer had them.
    private(set) var lost: Int64 = 0
    private var inFlight: [Batch] = []
    private var lastKey = 0

    /// The most live batches that wait for their confirmation.
    static let mostLive = 16
    /// The most ranges that lack; where there are more, the smallest gap between two is sent twice.
    static let mostRanges = 64

    /// - Parameters:
    ///   - kept: what the history holds of the sink; `nil`: it is new, and begins with what comes now.
    ///   - newest: the last number that the log has given.
    init(_ kept: SinkStanding?, newest: Int64) {
        self.newest = newest
        guard let kept, let position = kept.position, position < newest else { return }
        lacking.insert(contentsOf: position + 1..<newest + 1)
        for numbers in kept.confirmed ?? [] where numbers.upperBound <= newest {
            lacking.remove(contentsOf: numbers.lowerBound..<numbers.upperBound + 1)
        }
    }

    /// The number up to which nothing lacks.
    var position: Int64 { lacking.ranges.first.map { $0.lowerBound - 1 } ?? newest }

    /// What is confirmed above `position`.
    var confirmed: [ClosedRange<Int64>] {
        var confirmed = RangeSet(position + 1..<newest + 1)
        confirmed.subtract(lacking)
        return confirmed.ranges.map { $0.lowerBound...$0.upperBound - 1 }
    }

    /// How many readings aren't confirmed.
    var backlog: Int64 { lacking.ranges.reduce(0) { $0 + Int64($1.count) } }

    /// Whether readings that come now may be sent at once.
    var hasLiveRoom: Bool { inFlight.count(where: \.isLive) < Self.mostLive }

    /// The log has given numbers up to this one.
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

    /// The numbers that are to be sent next of what lacks from before; `nil`: none, or the order demands to wait.
    var nextBacklog: Range<Int64>? {
        guard let first = lacking.ranges.first else { return nil }
        let nextSent = inFlight.lazy.map(\.numbers.lowerBound).min() ?? .max
        guard first.lowerBound < nextSent else { return nil }
        return first.lowerBound..<min(first.upperBound, nextSent)
    }

    /// These numbers were sent.
    ///
    /// - Returns: the key with which they are confirmed.
    mutating func sent(_ numbers: Range<Int64>, isLive: Bool) -> Int {
        lastKey += 1
        inFlight.append(Batch(key: lastKey, numbers: numbers, isLive: isLive))
        return lastKey
    }

    /// The sink has what was sent with this key.
    ///
    /// - Returns: whether that belongs to what lacked from before; `nil`: the key isn't in flight.
    mutating func confirm(_ key: Int) -> Bool? {
        guard let place = inFlight.firstIndex(where: { $0.key == key }) else { return nil }
        let batch = inFlight.remove(at: place)
        lacking.remove(contentsOf: batch.numbers)
        return !batch.isLive
    }

    /// The log doesn't hold these numbers.
    mutating func skip(_ numbers: Range<Int64>) {
        lacking.remove(contentsOf: numbers)
        lost += Int64(numbers.count)
    }

    /// What is in flight may have arrived or not: it is sent again.
    mutating func lostConnection() { inFlight = [] }
}
