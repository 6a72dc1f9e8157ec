import BlekeepReadings
import RunLoop

/// Decides which encrypted packets of a device are new, by their counters.
///
/// A packet whose counter is lower than before is a recorded one, or comes from a device that was restarted and counts
/// from any other number. A restarted device goes on: three packets that rise steadily, over at least 30 s, are a
/// restart. Recorded packets between those of the device never are, because a packet that continues the old count ends
/// their run.
///
/// ```
/// counter         verdict
/// higher          new                                                     the run ends
/// the same        same
/// lower           late      up to 4 s after the last packet
///                 new       an 8-bit counter, after 5 minutes without packets
///                 restart   the third in a run of at least 30 s           the count goes on from here
///                 replay    otherwise                                     begins or continues a run
/// ```
struct ReplayGuard: Sendable {
    enum Verdict: Sendable, Hashable { case new, same, late, replay, restart }

    /// The longest delay of an older packet. Home Assistant uses the same time.
    static let maxDelay: Duration = .seconds(4)
    /// The packets of a run that is a restart, and its shortest time.
    static let restartPackets = 3
    static let restartTime: Duration = .seconds(30)
    /// The highest step in a run: the device may send several packets a second, of which blekeep hears few.
    static let maxStep: UInt32 = 4096
    /// The silence after which an 8-bit counter says nothing, because it may have gone round.
    static let maxSilence: Duration = .seconds(300)

    /// The last packet of the device's count; `nil` before the first one.
    private var last: (counter: PacketCounter, heardAt: Uptime)?
    /// Lower counters, each higher than the one before.
    private var run: Run?

    private struct Run: Sendable, Hashable {
        var newest: PacketCounter
        var newestAt: Uptime
        var packets = 1
        let since: Uptime
    }

    /// Takes an authentic packet.
    mutating func check(_ counter: PacketCounter, at now: Uptime) -> Verdict {
        guard let last else { return accept(counter, as: .new, at: now) }
        switch counter.order(after: last.counter) {
        case .newer: return accept(counter, as: .new, at: now)
        case .same:
            self.last?.heardAt = now
            return .same
        case .older: break
        }
        let silence = now - last.heardAt
        if silence <= Self.maxDelay { return .late }
        if counter.bits == 8, last.counter.bits == 8, silence > Self.maxSilence {
            return accept(counter, as: .new, at: now)
        }
        continueRun(with: counter, at: now)
        guard let run, run.packets >= Self.restartPackets, now - run.since >= Self.restartTime else { return .replay }
        return accept(counter, as: .restart, at: now)
    }

    /// Takes a repetition of the last packet.
    mutating func repeated(at now: Uptime) { last?.heardAt = now }

    private mutating func accept(_ counter: PacketCounter, as verdict: Verdict, at now: Uptime) -> Verdict {
        last = (counter, now)
        run = nil
        return verdict
    }

    private mutating func continueRun(with counter: PacketCounter, at now: Uptime) {
        guard var run else {
            self.run = Run(newest: counter, newestAt: now, since: now)
            return
        }
        switch counter.order(after: run.newest) {
        case .same: return
        case .older where now - run.newestAt <= Self.maxDelay: return
        case .newer where counter.bits == run.newest.bits && counter.steps(since: run.newest) <= Self.maxStep:
            (run.newest, run.newestAt) = (counter, now)
            run.packets += 1
        default: run = Run(newest: counter, newestAt: now, since: now)
        }
        self.run = run
    }
}
