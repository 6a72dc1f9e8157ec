import Blekeep
import BlekeepSimulation
import RunLoop

/// What one device has sent, and what of it is kept.
struct DeviceAccount {
    /// When it was last read well, and the longest time between two good reads since `beginTurns`.
    private(set) var lastGood: Duration?
    private(set) var longestWait: Duration?
    /// When it had ticks that gave a value.
    private(set) var ticks: [Uptime] = []
    private var lastTick: Int?
    /// Of late, whichever of its characteristics sent it.
    private var sent: [Sent] = []
    /// What was read and is not kept yet.
    private var unkept: [Sent] = []

    private struct Sent {
        let moment: Uptime
        let bytes: [UInt8]
    }

    /// More than a device sends while the longest full disk and the pause after it last.
    private static let mostSent = 2048

    mutating func sends(_ bytes: [UInt8], at now: Uptime, isRead: Bool) {
        sent.append(Sent(moment: now, bytes: bytes))
        if sent.count > Self.mostSent { sent.removeFirst(Self.mostSent / 2) }
        if isRead { unkept.append(Sent(moment: now, bytes: bytes)) }
    }

    /// Bytes are kept; of a value, with when and in which tick it was read.
    ///
    /// - Returns: whether nothing is owed any more that was before, and whether the device has sent the value about then.
    mutating func keeps(_ raw: [UInt8], _ value: (moment: Duration, tick: Int)?) -> (hasPaid: Bool, isTrue: Bool) {
        let place = unkept.firstIndex { $0.bytes == raw }
        if let place { unkept.remove(at: place) }
        let isTrue = value.map { reads(raw, at: $0.moment, tick: $0.tick) } ?? true
        return (place != nil && unkept.isEmpty, isTrue)
    }

    /// When what is not kept for longer than `patience` was read; it is not asked for again.
    mutating func loss(after patience: Duration, at now: Uptime) -> Uptime? {
        guard let first = unkept.first, now - first.moment > patience else { return nil }
        unkept = []
        return first.moment
    }

    /// A value was read. Whether the device has sent it about then.
    private mutating func reads(_ raw: [UInt8], at moment: Duration, tick: Int) -> Bool {
        if let lastGood { longestWait = max(longestWait ?? .zero, moment - lastGood) }
        lastGood = moment
        if tick > 0, tick != lastTick {
            lastTick = tick
            ticks.append(.start + moment)
        }
        let (from, to): (Uptime, Uptime) = (.start + (moment - .seconds(2)), .start + (moment + .seconds(2)))
        // The newest first; by their places, not to copy any.
        for place in sent.indices.reversed() where sent[place].moment < to {
            if sent[place].moment <= from { return false }
            if sent[place].bytes == raw { return true }
        }
        return false
    }

    /// From now on the longest waits count.
    mutating func beginTurns() { longestWait = nil }

    /// Who has not had its turn until now has waited so long.
    mutating func endTurns(at now: Uptime) {
        if let lastGood { longestWait = max(longestWait ?? .zero, now.sinceStart - lastGood) }
    }
}
