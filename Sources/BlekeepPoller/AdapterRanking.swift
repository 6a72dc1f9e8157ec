import BlekeepRecords
import DBus
import RunLoop

/// Which of a machine's adapters a device is read with. Pure.
///
/// BlueZ has an object of a device for each adapter that heard it, and a connection belongs to one of them. Adapters hear a
/// device unequally well, and one of them may hang without saying so. The best is the one that hears the device most strongly,
/// less 6 dB for each failure there since its last success; after two, the signal says nothing any more. The adapter in use is
/// left only for one that is 16 dB better: a move costs a search and the discovery of the services, and signals vary by several
/// dB without a reason.
struct AdapterRanking: Sendable, Hashable {
    /// The adapter in use; `nil` as long as there was no choice.
    private(set) var chosen: ObjectPath?
    /// The last one that worked.
    private var proven: ObjectPath?
    private var bearers: [ObjectPath: Bearer] = [:]
    /// The adapters that heard the device since its last tick.
    private var hearers: Set<ObjectPath> = []
    /// The number of moves, and why the last one came, for the log.
    private(set) var moves = 0
    private(set) var reason = ""

    private struct Bearer: Hashable {
        var signal = SignalMean()
        /// The number of failures since the last success.
        var failures = 0
        var hasWorked = false
        /// Whether it listened in vain until a tick, and heard nothing since.
        var isSilent = false

        mutating func worked() { (failures, hasWorked, isSilent) = (0, true, false) }

        /// - Returns: dBm.
        func strength(at now: Uptime) -> Double {
            let heard = signal.age(at: now, upTo: AdapterRanking.memory) == nil ? nil : signal.mean
            return (heard ?? AdapterRanking.unheard) - AdapterRanking.failure * Double(failures)
        }
    }

    /// In dB.
    private static let failure = 6.0
    private static let provenGain = 6.0
    private static let chosenGain = 10.0
    /// For an adapter that knows the device, so that it need not search.
    private static let knownGain = 12.0
    /// What an adapter counts as that doesn't hear the device, in dBm. So adapters that all fail come in turn.
    private static let unheard = -100.0
    /// How long a signal counts. Devices that are only read aren't heard often.
    private static let memory: Duration = .seconds(600)
    /// How many failures in a row let the signal say nothing.
    private static let doubt = 2

    /// Whether attempts fail with the adapter in use, so that others may look for the device.
    var isDoubtful: Bool { chosen.flatMap { bearers[$0] }.map { $0.failures >= Self.doubt } ?? false }

    /// An adapter heard the device.
    ///
    /// - Parameter rssi: in dBm; `nil` when BlueZ said only what was heard.
    mutating func heard(_ rssi: Int?, with adapter: ObjectPath, at now: Uptime) {
        hearers.insert(adapter)
        bearers[adapter]?.isSilent = false
        if let rssi { bearers[adapter, default: Bearer()].signal.heard(rssi, at: now) }
    }

    /// A tick ended in which blekeep listened to the device.
    ///
    /// - Parameter isTrying: whether the adapter in use listens now. One that didn't because another heard the device first
    ///   hasn't failed.
    mutating func listened(isTrying: Bool) {
        guard let chosen else { return }
        if hearers.contains(chosen) {
            worked()
        } else if isTrying {
            failed()
            bearers[chosen]?.isSilent = true
        }
        hearers = []
    }

    /// An attempt with the adapter in use failed.
    mutating func failed() {
        guard let chosen else { return }
        var bearer = bearers[chosen] ?? Bearer()
        bearer.failures += 1
        if bearer.failures >= Self.doubt { bearer.signal = SignalMean() }
        bearers[chosen] = bearer
    }

    /// A value came with the adapter in use.
    mutating func worked() {
        guard let chosen else { return }
        proven = chosen
        bearers[chosen, default: Bearer()].worked()
    }

    /// Whether an adapter that worked failed, while another one is in use; `nil` if it never worked.
    func isOutdone(_ adapter: ObjectPath) -> Bool? {
        guard let bearer = bearers[adapter], bearer.hasWorked else { return nil }
        let hasFailed = bearer.failures >= Self.doubt && bearer.signal.mean == nil
        return chosen != adapter && (hasFailed || bearer.isSilent)
    }

    /// Forgets what an adapter did, because it may be another one now.
    mutating func forgive(_ adapter: ObjectPath) { bearers[adapter] = nil }

    /// Takes the adapters that there are.
    ///
    /// - Returns: the one in use, if it is gone.
    mutating func retain(_ adapters: [ObjectPath]) -> ObjectPath? {
        guard let gone = chosen, !adapters.contains(gone) else { return nil }
        (chosen, bearers[gone]) = (nil, nil)
        return gone
    }

    /// Chooses again.
    ///
    /// - Parameters:
    ///   - adapters: those that may read the device, by path; not empty.
    ///   - current: the one in use.
    ///   - knowing: those that know the device.
    mutating func choose(
        among adapters: [ObjectPath], current: ObjectPath?, knowing: [ObjectPath], at now: Uptime
    ) -> ObjectPath {
        func matters(_ adapter: ObjectPath) -> Bool { adapters.contains(adapter) || adapter == current }
        (bearers, hearers) = (bearers.filter { matters($0.key) }, hearers.filter(matters))
        var best = adapters[0]
        var most = -Double.infinity
        for adapter in adapters {
            var strength = (bearers[adapter] ?? Bearer()).strength(at: now)
            if adapter == current { strength += Self.chosenGain }
            if adapter == proven { strength += Self.provenGain }
            if knowing.contains(adapter) { strength += Self.knownGain }
            if strength > most { (best, most) = (adapter, strength) }
        }
        if let current, best != current {
            moves += 1
            reason =
                adapters.contains(current)
                ? self.reason(to: best, from: current, isKnown: knowing.contains(current), at: now)
                : "\(current.name) can't be used now"
        }
        chosen = best
        return best
    }

    private func reason(to best: ObjectPath, from current: ObjectPath, isKnown: Bool, at now: Uptime) -> String {
        let (new, old) = (bearers[best] ?? Bearer(), bearers[current] ?? Bearer())
        if old.failures > new.failures { return "\(current.name) failed \(old.failures) times" }
        guard isKnown else { return "\(current.name) hasn't heard it" }
        return "it hears the device \(Int((new.strength(at: now) - old.strength(at: now)).rounded())) dB better"
    }
}
