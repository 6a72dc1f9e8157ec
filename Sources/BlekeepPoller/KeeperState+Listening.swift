import DBus
import RunLoop

/// A device's advertisements since its last tick.
struct ListeningState: Sendable, Hashable {
    /// The start of the device's silence: its last advertisement, or the end of the last time without discovery.
    private var silentSince: Uptime
    private(set) var hasNews = false
    private(set) var hasValue = false
    /// When a tick that waits for the device may end.
    private(set) var resultAt = Uptime.never
    /// Whether the device advertised something since its last tick.
    var wasHeard: Bool { resultAt < .never }
    /// Whether blekeep ever heard the device.
    private(set) var isKnown = false
    /// The last decoding failure; `nil` since the last value.
    private(set) var failure: ReadingFailure?

    init(at start: Uptime) {
        silentSince = start
    }

    /// - Parameter hearing: `nil` when nothing came that matters, such as only the signal strength.
    mutating func hear(_ hearing: Hearing?, at now: Uptime) {
        silentSince = now
        guard let hearing else { return }
        isKnown = true
        if case .unreadable(let why) = hearing {
            // Of several packets in a tick, one with values is enough.
            guard !hasValue else { return }
            failure = why
            resultAt = min(resultAt, why.code == .known(.nothing) ? now + Timing.lateName : now)
        } else {
            if hearing == .news { hasNews = true }
            hasValue = true
            failure = nil
            resultAt = now
        }
    }

    /// Ignores the device's silence, because blekeep doesn't listen now.
    mutating func rest(at now: Uptime) { silentSince = now }

    /// Whether the device has been silent for three intervals, and for at least a minute.
    func isSilent(every interval: Duration, at now: Uptime) -> Bool {
        now - silentSince > max(interval * 3, .seconds(60))
    }

    func silence(at now: Uptime) -> Duration { now - silentSince }

    /// Begins the time until the next tick.
    mutating func restart() {
        hasNews = false
        hasValue = false
        resultAt = .never
    }
}

/// The result of an advertisement.
enum Hearing: Sendable, Hashable {
    /// New values.
    case news
    /// A repetition of an earlier packet.
    case repetition
    /// A format that blekeep doesn't know or can't decode.
    case unreadable(ReadingFailure)

    var isValue: Bool { if case .unreadable = self { false } else { true } }
}

extension ReadingFailure {
    static let notHeard = ReadingFailure(.notFound, "blekeep didn't hear the device")
}

/// Devices with the modes `passive`, which blekeep never connects, and `heard`, which it connects just after it heard them.
///
/// Discovery runs for them, except while another device connects.
extension KeeperState {
    mutating func heard(_ hearing: Hearing?, of id: DeviceIndex, _ now: Uptime) {
        guard devices[id].plan.mode.listens else { return }
        devices[id].listening?.hear(hearing, at: now)
        guard devices[id].plan.mode == .passive, devices[id].health.condition.trouble != nil, hearing?.isValue == true
        else { return }
        report(id, Attempt(phase: .search), now)
    }

    /// Ends a passive device's tick when it has a result.
    mutating func listen(_ id: DeviceIndex, _ now: Uptime) {
        guard let state = devices[id].listening else { return }
        if devices[id].isPaused || cause(of: id) != nil {
            devices[id].listening?.rest(at: now)
            return
        }
        guard devices[id].plan.mode == .passive, let tick = devices[id].tick else { return }
        if now >= state.resultAt { return endListening(id, now) }
        // The first tick and the ticks of a finite run wait for the device.
        guard devices[id].plan.count == nil else { return }
        if power.mode == .critical ? now >= listenUntil(id) : tick.number > 1 { endListening(id, now) }
    }

    /// Returns until when a passive device's tick waits for a value. In critical power mode, that is a short time.
    func listenUntil(_ id: DeviceIndex) -> Uptime {
        guard devices[id].plan.mode == .passive, let tick = devices[id].tick, let state = devices[id].listening
        else { return .never }
        return power.mode == .critical ? min(state.resultAt, tick.deadline + longestSearch) : state.resultAt
    }

    /// Ends a tick because the next one is due.
    mutating func endOverdueTick(_ id: DeviceIndex, _ now: Uptime) {
        guard devices[id].plan.mode.listens, cause(of: id) == nil else {
            return giveUpTick(id, now)
        }
        // A device that blekeep heard but couldn't read failed. A device out of range didn't.
        if devices[id].plan.mode == .heard, let lastHeardAt = devices[id].contact.lastHeardAt,
            let tick = devices[id].tick,
            lastHeardAt + Timing.justHeard > tick.deadline
        {
            return giveUpTick(id, now)
        }
        endListening(id, now)
    }

    private mutating func endListening(_ id: DeviceIndex, _ now: Uptime) {
        guard let state = devices[id].listening else { return }
        devices[id].listening?.restart()
        let interval = devices[id].shortestInterval ?? devices[id].plan.shortestInterval
        if let failure = state.failure { return failListening(id, failure, now) }
        let wasHeard = state.hasValue && devices[id].plan.mode == .passive
        if !wasHeard, devices[id].plan.count != nil, !state.isKnown {
            return failListening(id, .notHeard, now)
        }
        if !wasHeard, state.isSilent(every: interval, at: now) {
            let silence = DurationText.text(.seconds(state.silence(at: now).components.seconds))
            return failListening(
                id, ReadingFailure(.silent, "blekeep didn't hear the device for \(silence)"), now)
        }
        if wasHeard { report(id, Attempt(phase: .search), now) }
        endTick(id, good: true)
        devices[id].adapt(to: state.hasNews ? .newData : .noData, in: power.mode, at: now)
    }

    private mutating func failListening(_ id: DeviceIndex, _ failure: ReadingFailure, _ now: Uptime) {
        devices[id].health.remember(failure)
        report(id, Attempt(phase: .search, failure: failure, remedy: .wait), now)
        giveUpTick(id, now)
        devices[id].adapt(to: .failed, in: power.mode, at: now)
    }
}
