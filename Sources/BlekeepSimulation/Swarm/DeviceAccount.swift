import Blekeep
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
        let octets: [UInt8]
    }

    /// More than a device sends while the longest full disk and the pause after it last.
    private static let mostSent = 2048

    var owes: Bool { !unkept.isEmpty }

    mutating func sends(_ octets: [UInt8], at now: Uptime, isRead: Bool) {
        sent.append(Sent(moment: now, octets: octets))
        if sent.count > Self.mostSent { sent.removeFirst(Self.mostSent / 2) }
        if isRead { unkept.append(Sent(moment: now, octets: octets)) }
    }

    mutating func keeps(_ raw: [UInt8]) {
        if let place = unkept.firstIndex(where: { $0.octets == raw }) { unkept.remove(at: place) }
    }

    /// When what is not kept for longer than `patience` was read; it is not asked for again.
    mutating func loss(after patience: Duration, at now: Uptime) -> Uptime? {
        guard let first = unkept.first, now - first.moment > patience else { return nil }
        unkept = []
        return first.moment
    }

    /// A value was read. Whether the device has sent it about then.
    mutating func reads(_ raw: [UInt8], at moment: Duration, tick: Int) -> Bool {
        if let lastGood { longestWait = max(longestWait ?? .zero, moment - lastGood) }
        lastGood = moment
        if tick > 0, tick != lastTick {
            lastTick = tick
            ticks.append(.start + moment)
        }
        let (from, to): (Uptime, Uptime) = (.start + (moment - .seconds(2)), .start + (moment + .seconds(2)))
        return sent.last { $0.octets == raw && $0.moment > from && $0.moment < to } != nil
    }

    /// From now on the longest waits count.
    mutating func beginTurns() { longestWait = nil }

    /// Who has not had its turn until now has waited so long.
    mutating func endTurns(at now: Uptime) {
        if let lastGood { longestWait = max(longestWait ?? .zero, now.sinceStart - lastGood) }
    }
}
