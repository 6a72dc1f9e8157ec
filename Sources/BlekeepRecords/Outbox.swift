import RunLoop

/// The readings that a sink hasn't confirmed, as ranges of numbers, and those in flight. Pure.
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
    /// The position that the history has of the sink, if the log hasn't given it: an older history was restored.
    private var ahead: Int64?
    private var inFlight: [Batch] = []
    private var lastKey = 0

    /// The number of live batches that may wait for their confirmation.
    static let maxLive = 16
    /// The number of unconfirmed ranges. Beyond it, the smallest gap between two ranges is sent twice.
    static let maxRanges = 64

    /// - Parameters:
    ///   - position: the number of the last reading that the sink has.
    ///   - confirmed: the numbers above it that the sink has, too.
    ///   - newest: the last number that the log gave.
    init(after position: Int64, confirmed: [ClosedRange<Int64>] = [], newest: Int64) {
        self.newest = newest
        guard position <= newest else {
            ahead = position
            return
        }
        lacking.insert(contentsOf: position + 1..<newest + 1)
        for numbers in confirmed where numbers.upperBound <= newest {
            lacking.remove(contentsOf: numbers.lowerBound..<numbers.upperBound + 1)
        }
    }

    /// The number up to which all readings are confirmed.
    var position: Int64 { ahead ?? lacking.ranges.first.map { $0.lowerBound - 1 } ?? newest }

    /// The confirmed numbers above `position`.
    var confirmed: [ClosedRange<Int64>] {
        guard ahead == nil else { return [] }
        var confirmed = RangeSet(position + 1..<newest + 1)
        confirmed.subtract(lacking)
        return confirmed.ranges.map { $0.lowerBound...$0.upperBound - 1 }
    }

    var isNewestConfirmed: Bool { !lacking.contains(newest) }

    /// The number of unconfirmed readings.
    var backlog: Int64 { lacking.ranges.reduce(0) { $0 + Int64($1.count) } }

    /// Whether new readings may be sent at once.
    var hasLiveRoom: Bool { inFlight.count(where: \.isLive) < Self.maxLive }

    /// Takes the last number that the log gave.
    mutating func stored(upTo number: Int64) {
        guard number > newest else { return }
        lacking.insert(contentsOf: newest + 1..<number + 1)
        newest = number
        if lacking.ranges.count > Self.maxRanges { joinClosest() }
    }

    private mutating func joinClosest() {
        let ranges = lacking.ranges
        let gaps = zip(ranges, ranges.dropFirst()).map { $0.upperBound..<$1.lowerBound }
        if let gap = gaps.min(by: { $0.count < $1.count }) { lacking.insert(contentsOf: gap) }
    }

    /// Continues after the number that the sink itself has last, at most `newest`.
    mutating func resume(after position: Int64) {
        ahead = nil
        lacking = RangeSet(position + 1..<newest + 1)
    }

    /// Takes what the sink lost of what it confirmed.
    ///
    /// - Parameter oldest: the oldest number that the log holds.
    /// - Returns: how many numbers that are.
    mutating func reopen(_ numbers: [Range<Int64>], oldest: Int64) -> Int64 {
        guard ahead == nil, oldest <= newest else { return 0 }
        let before = backlog
        for range in numbers { lacking.insert(contentsOf: range.clamped(to: oldest..<newest + 1)) }
        let reopened = backlog - before
        while lacking.ranges.count > Self.maxRanges { joinClosest() }
        return reopened
    }

    // MARK: The backlog

    /// Whether a page of the backlog waits for its confirmation.
    var isSendingBacklog: Bool { inFlight.contains { !$0.isLive } }

    /// The next numbers of the backlog to send; `nil` when there are none, or when their order requires to wait.
    var nextBacklog: Range<Int64>? {
        guard let first = lacking.ranges.first else { return nil }
        let nextSent = inFlight.lazy.map(\.numbers.lowerBound).min() ?? .max
        guard first.lowerBound < nextSent else { return nil }
        return first.lowerBound..<min(first.upperBound, nextSent)
    }

    /// The part of a page of the log that a sink gets next.
    enum Page: Sendable {
        /// The log lacks the readings with these numbers.
        case gap(Range<Int64>)
        /// Readings with consecutive numbers, from the first that the sink lacks.
        case readings([LiveReading], isFollowedByHeld: Bool)

        /// - Parameters:
        ///   - page: readings of the log, in order.
        ///   - numbers: the numbers that the sink lacks.
        ///   - isHeld: whether a reading waits until the machine's clock is set. The readings after it then wait, too.
        init(_ page: [StoredReading], of numbers: Range<Int64>, isHeld: (StoredReading) -> Bool) {
            let first = min(page.first?.sequence ?? numbers.upperBound, numbers.upperBound)
            guard first == numbers.lowerBound else {
                self = .gap(numbers.lowerBound..<first)
                return
            }
            var batch: [LiveReading] = []
            for reading in page {
                guard reading.sequence == first + Int64(batch.count), numbers.contains(reading.sequence) else { break }
                guard !isHeld(reading) else {
                    self = .readings(batch, isFollowedByHeld: true)
                    return
                }
                batch.append(LiveReading(reading))
            }
            self = .readings(batch, isFollowedByHeld: false)
        }
    }

    // MARK: What became of readings

    /// Records that these numbers were sent. Returns the key of their confirmation.
    mutating func sent(_ numbers: Range<Int64>, isLive: Bool) -> Int {
        lastKey += 1
        inFlight.append(Batch(key: lastKey, numbers: numbers, isLive: isLive))
        return lastKey
    }

    /// Takes a confirmation. Returns whether it belongs to the backlog; `nil` when the key isn't in flight.
    mutating func confirm(_ key: Int) -> Bool? {
        guard let place = inFlight.firstIndex(where: { $0.key == key }) else { return nil }
        let batch = inFlight.remove(at: place)
        lacking.remove(contentsOf: batch.numbers)
        return !batch.isLive
    }

    /// Skips numbers that the log doesn't hold.
    ///
    /// - Parameter isLost: whether to count them as lost, because the sink doesn't have the gap.
    mutating func skip(_ numbers: Range<Int64>, isLost: Bool) {
        lacking.remove(contentsOf: numbers)
        if isLost { lost += Int64(numbers.count) }
    }

    /// Counts readings that the sink refused for good.
    mutating func refused(_ count: Int) { lost += Int64(count) }

    /// Returns all batches in flight to the backlog, because they may not have arrived.
    mutating func lostConnection() { inFlight = [] }
}

/// How far a server has what devices kept in their own memory. Pure.
///
/// It comes late, and in no order with the readings: a page at a time follows when the server lacks nothing else, so that
/// neither its newest readings nor its position in the history wait for old ones.
struct LoggedOutbox: Sendable {
    /// The number of the last value that the server has.
    private(set) var position: Int64
    private var inFlight: (key: Int, last: Int64)?
    private var lastKey = 0
    private var nextLook = Uptime.start

    /// Between two looks for values that a program beside the poller stores, a few times a day.
    static let pause: Duration = .seconds(60)

    /// - Parameter position: the number in the history, whose file may be damaged.
    init(after position: Int64) { self.position = max(position, StoredReading.loggedBase) }

    /// Whether a page waits for its confirmation.
    var isSending: Bool { inFlight != nil }

    func mayLook(at now: Uptime) -> Bool { !isSending && now >= nextLook }

    /// There is nothing after the position.
    mutating func foundNothing(at now: Uptime) { nextLook = now + Self.pause }

    /// Records that a page was sent. Returns the key of its confirmation, which no batch of an `Outbox` has.
    mutating func sent(upTo last: Int64) -> Int {
        lastKey -= 1
        inFlight = (lastKey, last)
        return lastKey
    }

    /// Takes a confirmation. Returns whether it is of the page in flight.
    mutating func confirm(_ key: Int) -> Bool {
        guard let page = inFlight, page.key == key else { return false }
        (position, inFlight) = (page.last, nil)
        return true
    }

    mutating func lostConnection() { inFlight = nil }

    /// Takes what the server lost of what it confirmed.
    mutating func reopen(_ numbers: [Range<Int64>]) {
        let had = StoredReading.loggedBase + 1..<position + 1
        guard let first = numbers.map({ $0.clamped(to: had) }).first(where: { !$0.isEmpty }) else { return }
        (position, nextLook) = (first.lowerBound - 1, .start)
    }
}

/// New readings that a sink without an outbox hasn't taken, up to 10,000.
struct LiveQueue: Sendable {
    private(set) var readings: [LiveReading] = []
    /// The number of dropped readings.
    private(set) var dropped: Int64 = 0

    static let max = 10_000

    var isEmpty: Bool { readings.isEmpty }

    mutating func add(_ new: [LiveReading]) {
        if readings.isEmpty { readings = new } else { readings += new }
    }

    mutating func trim() {
        let excess = readings.count - Self.max
        guard excess > 0 else { return }
        readings.removeFirst(excess)
        dropped += Int64(excess)
    }

    mutating func removeAll() { readings = [] }
}

/// Decides whether readings wait until the machine's clock is set. The history then corrects their times.
struct ClockHold {
    /// Returns the time since the machine's start; `nil` to let nothing wait.
    let sinceBoot: (() -> Duration)?

    /// The longest wait since the machine's start. A clock that isn't set by then may never be.
    static let max: Duration = .seconds(600)

    var left: Duration { sinceBoot.map { Swift.max(.zero, Self.max - $0()) } ?? .zero }

    func holds(_ reading: StoredReading) -> Bool { !reading.reading.isClockSet && left > .zero }
}
