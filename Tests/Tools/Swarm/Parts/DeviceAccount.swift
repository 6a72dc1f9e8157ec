import Blekeep
import BlekeepSimulation
import RunLoop

/// The values that one device sent, and the ones that the store has.
struct DeviceAccount {
    /// Whether a recipe asks it. Then its answers come in pieces, count from the end of the conversation, and needn't all be
    /// values.
    private let isAsked: Bool
    /// The time of the last good read.
    private(set) var lastGood: Duration?
    /// The longest time between two good reads since `beginTurns`.
    private(set) var longestWait: Duration?
    /// The times of ticks with values.
    private(set) var ticks: [Uptime] = []
    private var lastTick: Int?
    /// The recently sent values of all characteristics.
    private var sent: [Sent] = []
    /// The values that were read, and aren't stored yet.
    private var unkept: [Sent] = []

    private struct Sent {
        let time: Uptime
        let bytes: [UInt8]
    }

    /// The size of `sent`: more values than a device sends during the longest full disk and the pause after it.
    private static let maxSent = 2048

    init(isAsked: Bool = false) { self.isAsked = isAsked }

    mutating func sends(_ bytes: [UInt8], at now: Uptime, isRead: Bool) {
        sent.append(Sent(time: now, bytes: bytes))
        if sent.count > Self.maxSent { sent.removeFirst(Self.maxSent / 2) }
        if isRead, !isAsked { unkept.append(Sent(time: now, bytes: bytes)) }
    }

    /// Takes a stored reading.
    ///
    /// - Parameter value: the time and the tick of a value; `nil` for a failure.
    /// - Returns: whether this was the last unstored value, and whether the device sent the value at about that time.
    mutating func keeps(_ raw: [UInt8], _ value: (time: Duration, tick: Int)?) -> (hasPaid: Bool, isTrue: Bool) {
        let place = unkept.firstIndex { $0.bytes == raw }
        if let place { unkept.remove(at: place) }
        let isTrue = value.map { reads(raw, at: $0.time, tick: $0.tick) } ?? true
        return (place != nil && unkept.isEmpty, isTrue)
    }

    /// Returns the time of the oldest value that isn't stored within `limit`. Then forgets all unstored values.
    mutating func loss(after limit: Duration, at now: Uptime) -> Uptime? {
        guard let first = unkept.first, now - first.time > limit else { return nil }
        unkept = []
        return first.time
    }

    /// The poller was killed.
    mutating func forgetUnstored() { unkept = [] }

    /// Returns whether the device sent the value at about the time of the reading.
    private mutating func reads(_ raw: [UInt8], at time: Duration, tick: Int) -> Bool {
        if let lastGood { longestWait = max(longestWait ?? .zero, time - lastGood) }
        lastGood = time
        if tick > 0, tick != lastTick {
            lastTick = tick
            ticks.append(.start + time)
        }
        let before: Duration = isAsked ? .seconds(62) : .seconds(2)
        let (from, to) = (Uptime.start + (time - before), Uptime.start + (time + .seconds(2)))
        // The newest first. Loops over indices to copy no value.
        for place in sent.indices.reversed() where sent[place].time < to {
            if sent[place].time <= from { return false }
            if sent[place].bytes == raw || isAsked && isJoined(raw, until: place) { return true }
        }
        return false
    }

    /// Whether bytes are consecutive values, of which this is the last one.
    private func isJoined(_ bytes: [UInt8], until place: Int) -> Bool {
        var rest = bytes[...]
        for piece in sent[...place].reversed() {
            if rest.isEmpty { return true }
            guard !piece.bytes.isEmpty, rest.suffix(piece.bytes.count).elementsEqual(piece.bytes) else { return false }
            rest.removeLast(piece.bytes.count)
        }
        return rest.isEmpty
    }

    /// Starts to measure the longest time between good reads.
    mutating func beginTurns() { longestWait = nil }

    /// Ends the measurement. The time since the last good read also counts.
    mutating func endTurns(at now: Uptime) {
        if let lastGood { longestWait = max(longestWait ?? .zero, now.sinceStart - lastGood) }
    }
}
