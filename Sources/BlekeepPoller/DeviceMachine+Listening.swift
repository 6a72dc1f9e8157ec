import DBus
import RunLoop

/// Devices with the modes `passive`, which blekeep never connects, and `heard`, which it connects just after it heard them.
///
/// Discovery runs for them, except while another device connects. Each sensor in range answers it, which costs its battery,
/// so it runs in windows: from the time when a value is older than its interval until a new one comes. A device that sends
/// only when something happens is listened to without a pause.
///
/// Where bluetoothd offers monitors, it hears most devices without asking them. Then a window is for what it missed: values in
/// scan responses.
extension DeviceMachine {
    /// Whether the device needs discovery for its advertisements.
    ///
    /// - Parameters:
    ///   - isOpen: whether the adapter listens without a pause.
    ///   - isMonitored: whether BlueZ listens without asking the devices, so that discovery is only for what that misses.
    func isListenedTo(openly isOpen: Bool, isMonitored: Bool, at now: Uptime) -> Bool {
        // To know whether it could read the device.
        if isStandingBy {
            guard !isOpen, let heardAt = contact.lastHeardAt else { return isOpen || SearchSlice.contains(now) }
            return now - heardAt >= Timing.heardOnStandby / 2 && isSought(since: heardAt, at: now)
        }
        guard plan.mode.listens, !isFinished, !isPaused else { return false }
        guard plan.mode == .passive, let listening else {
            return hasTick && link.phase.isIdle && !isConnected && now >= retry.notBefore
        }
        if isOpen || listening.isTriggered && !isMonitored || plan.isOneOff { return true }
        guard hasTick && !listening.hasValue || listening.silence(at: now) > (shortestInterval ?? .zero) else {
            return false
        }
        return isSought(since: listening.silentSince, at: now)
    }

    /// Returns how soon windows must follow each other for a device of which BlueZ's monitors hear nothing, so that it
    /// isn't called lost; `nil` for another one, and for one that is away for long.
    func windowPause(at now: Uptime) -> Duration? {
        guard plan.mode == .passive, let interval = shortestInterval, let silence = listening?.silence(at: now),
            silence > interval, silence < Timing.soughtOpenly
        else { return nil }
        return max(Timing.window, min(interval * 2, Timing.betweenWindows))
    }

    /// Whether discovery looks for a device that it misses since that time. One that is away for long may never come back: it
    /// is looked for in slices.
    private func isSought(since time: Uptime, at now: Uptime) -> Bool {
        now - time < Timing.soughtOpenly || SearchSlice.contains(now)
    }

    /// Returns the next time when the device may need discovery, or need it no more, without an event.
    func nextListening(after now: Uptime) -> Uptime? {
        if isStandingBy {
            guard let heardAt = contact.lastHeardAt, now < heardAt + Timing.soughtOpenly else {
                return SearchSlice.nextEdge(after: now)
            }
            return heardAt + Timing.heardOnStandby / 2
        }
        guard plan.mode == .passive, !isPaused, !isFinished, let since = listening?.silentSince else { return nil }
        return now < since + Timing.soughtOpenly ? nil : SearchSlice.nextEdge(after: now)
    }

    /// BlueZ found the device, or heard it again.
    mutating func found(in around: Surroundings) {
        contact.lastHeardAt = around.now
        noteHearing()
        heard(nil, in: around)
        // The device is back in range, so a long pause ends.
        if retry.userActionNeeded == nil { retry.notBefore = min(retry.notBefore, around.now + Timing.soonAfterHeard) }
    }

    /// The device advertised.
    ///
    /// - Parameter hearing: `nil` when nothing came that matters, such as only the signal strength.
    mutating func heard(_ hearing: Hearing?, in around: Surroundings) {
        guard plan.mode.listens else { return }
        listening?.hear(hearing, at: around.now)
        if plan.mode == .passive, health.condition.trouble != nil, hearing?.isValue == true {
            report(Attempt(phase: .search), at: around.now)
        }
    }

    /// Whether an adapter that works hears the device: blekeep only listens to it, and has heard it.
    var isExpectedToBeHeard: Bool {
        guard let listening, plan.mode == .passive, listening.isKnown, !hasLeft, !isPaused, !isStandingBy else {
            return false
        }
        return !listening.isTriggered
    }

    /// Returns until when a passive device's tick waits for a value.
    func listeningEnd(in around: Surroundings) -> Uptime {
        guard plan.mode == .passive, let tick, let state = listening, !isPaused, !isPrevented(in: around) else {
            return .never
        }
        // The first tick and the ticks of a one-off run wait for the device.
        if plan.isOneOff { return state.resultAt }
        if around.power.mode == .critical { return min(state.resultAt, tick.deadline + around.maxSearch) }
        guard tick.number > 1 else { return state.resultAt }
        // Without a window, what was heard by then is all.
        guard !around.listensOpenly, !state.isTriggered else { return tick.deadline }
        let limit = plan.silence(every: shortestInterval, isTriggered: false)
        return min(state.resultAt, limit.map { state.silentSince + $0 } ?? .never)
    }

    /// Ends a tick because the next one is due.
    mutating func endOverdueTick(in around: Surroundings) {
        guard plan.mode.listens, !isPrevented(in: around) else { return giveUpTick(in: around) }
        // A device that blekeep heard but couldn't read failed. A device out of range didn't.
        if plan.mode == .heard, let lastHeardAt = contact.lastHeardAt, let tick,
            lastHeardAt + Timing.justHeard > tick.deadline
        {
            return giveUpTick(in: around)
        }
        endListening(in: around)
    }

    mutating func endListening(in around: Surroundings) {
        let now = around.now
        guard let state = listening else { return }
        listening?.restart()
        if !plan.isOneOff, !state.isTriggered { actions.append(.listened(heard: state.wasHeard)) }
        if let failure = state.failure { return failListening(failure, in: around) }
        let wasHeard = state.hasValue && plan.mode == .passive
        if !wasHeard, plan.isOneOff, !state.isKnown { return failListening(.notHeard, in: around) }
        if !wasHeard, let limit = plan.silence(every: shortestInterval, isTriggered: state.isTriggered),
            state.isSilent(for: limit, at: now)
        {
            if isExpectedToBeHeard, around.isReady { actions.append(.silent) }
            let silence = DurationText.text(.seconds(state.silence(at: now).components.seconds))
            // Another adapter may hear it, whose object of the device doesn't count.
            let adapter = (facts?.adapter ?? around.adapter?.path).map { " with \($0.name)" } ?? ""
            return failListening(
                ReadingFailure(.silent, "blekeep didn't hear the device\(adapter) for \(silence)"), in: around)
        }
        if wasHeard { report(Attempt(phase: .search), at: now) }
        endTick(.good)
        ticks.timer.adapt(to: state.hasNews ? .newData : .noData, in: around.power.mode, at: now)
    }

    private mutating func failListening(_ failure: ReadingFailure, in around: Surroundings) {
        health.remember(failure)
        report(Attempt(phase: .search, failure: failure, remedy: .wait), at: around.now)
        giveUpTick(in: around)
        ticks.timer.adapt(to: .failed, in: around.power.mode, at: around.now)
    }
}

/// A device's advertisements since its last tick.
struct ListeningState: Sendable, Hashable {
    /// The start of the device's silence: its last advertisement, or the end of the last time without discovery.
    private(set) var silentSince: Uptime
    private var isResting = false
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
    /// Whether the device sends only when something happens, so that its silence says nothing.
    var isTriggered = false

    init(at start: Uptime) { silentSince = start }

    /// - Parameter hearing: `nil` when nothing came that matters, such as only the signal strength.
    mutating func hear(_ hearing: Hearing?, at now: Uptime) {
        silentSince = now
        guard let hearing else { return }
        isKnown = true
        if case .unreadable(let why) = hearing {
            // Of several packets in a tick, one with values is enough.
            guard !hasValue else { return }
            failure = why
            resultAt = min(resultAt, why.code == .known(.noFormat) ? now + Timing.lateName : now)
        } else {
            if hearing == .news { hasNews = true }
            hasValue = true
            failure = nil
            resultAt = now
        }
    }

    /// Takes whether blekeep listens to the device now. Otherwise its silence says nothing.
    mutating func rest(_ isResting: Bool, at now: Uptime) {
        if isResting || self.isResting { silentSince = now }
        self.isResting = isResting
    }

    /// Whether the device has been silent for so long.
    func isSilent(for limit: Duration, at now: Uptime) -> Bool { now - silentSince >= limit }

    func silence(at now: Uptime) -> Duration { now - silentSince }

    /// Begins the time until the next tick.
    mutating func restart() {
        hasNews = false
        hasValue = false
        resultAt = .never
    }
}

/// The times in which blekeep looks for devices that are away for long: the same for all of them, so that one search serves
/// all.
enum SearchSlice {
    static let length: Duration = .seconds(15)
    static let period: Duration = .seconds(60)

    static func contains(_ time: Uptime) -> Bool { place(time) < length.wholeNanoseconds }

    /// Returns when the next slice begins, or when this one ends.
    static func nextEdge(after time: Uptime) -> Uptime {
        let place = place(time)
        let next = place < length.wholeNanoseconds ? length : period
        return time + (next - .nanoseconds(place))
    }

    private static func place(_ time: Uptime) -> Int64 { time.nanoseconds % period.wholeNanoseconds }
}

/// The result of an advertisement.
enum Hearing: Sendable, Hashable {
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
