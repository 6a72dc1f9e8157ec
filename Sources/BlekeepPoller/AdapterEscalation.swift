import RunLoop

/// The recovery steps for an adapter that reaches no device, or hears none any more, the gentlest first. A value of any device
/// resets them, and so does an advertisement when they began because of silence.
struct AdapterEscalation: Sendable, Hashable {
    enum Step: Int, Sendable, Hashable, CaseIterable, Comparable {
        /// Pause the adapter shortly.
        case rest
        /// Turn it off and on.
        case powerCycle
        /// Restart bluetoothd.
        case restart
        /// Ask the user to replug it.
        case replug

        static func < (left: Step, right: Step) -> Bool { left.rawValue < right.rawValue }
    }

    enum Phase: Sendable, Hashable {
        case watching
        /// Counting the connections of other programs.
        case querying(Step, until: Uptime)
        /// The step is in progress, and the adapter isn't used.
        case acting(Step, until: Uptime)
    }

    /// The evidence of a stuck adapter: ten failures of three devices (all, if it has fewer) within 5 minutes.
    static let proof: (failures: Int, devices: Int, within: Duration) = (10, 3, .seconds(300))
    /// The evidence of an adapter that hears nothing: ten silent ticks of three devices (all, if it has fewer) that were heard
    /// before, and none heard meanwhile; or five searches over a minute that BlueZ accepted and didn't do.
    static let silence: (ticks: Int, devices: Int, searches: Int, within: Duration) = (10, 3, 5, .seconds(60))
    /// The time for a step to help.
    static let judged: Duration = .seconds(30)
    static let rest: Duration = .milliseconds(1500)
    /// The shortest time between two power cycles.
    static let cyclePause: Duration = .seconds(600)
    /// The pause after a refused step.
    static let refusalPause: Duration = .seconds(300)
    /// The pause before the first step again, when the last step didn't help.
    static let again: Duration = .seconds(8 * 3600)
    private static let maxFailures = 64

    private struct Failure: Sendable, Hashable {
        var device: DeviceNumber
        var time: Uptime
    }

    /// What the adapter didn't do since it last heard a device.
    private struct Deafness: Sendable, Hashable {
        var ticks = 0
        var devices: Set<DeviceNumber> = []
        var searches = 0
        var searchesSince: Uptime?
        var lastSearch = Uptime.start
    }

    private(set) var phase = Phase.watching
    /// The last step since a value was read.
    private(set) var step: Step?
    private(set) var lastCycle: Uptime?
    /// The step whose refusal was reported.
    private(set) var refused: Step?
    /// Whether the steps began because of what the adapter doesn't hear.
    private(set) var isOfHearing = false
    private var failures: [Failure] = []
    private var deafness = Deafness()
    /// Whether other adapters read all that it read.
    private var isOutdone = false
    private var failedSince: Set<DeviceNumber> = []
    private(set) var stepEnd = Uptime.start
    private var notBefore = Uptime.start

    // MARK: Evidence

    mutating func failed(_ device: DeviceNumber, at now: Uptime) {
        failures.removeAll { now - $0.time > Self.proof.within }
        if failures.count >= Self.maxFailures { failures.removeFirst() }
        failures.append(Failure(device: device, time: now))
        failedSince.insert(device)
    }

    /// Takes a tick in which a device wasn't heard.
    mutating func wasSilent(_ device: DeviceNumber) {
        deafness.ticks = min(deafness.ticks + 1, Self.maxFailures)
        if deafness.devices.count < Self.maxFailures { deafness.devices.insert(device) }
    }

    /// Takes a search that BlueZ accepted, and didn't do.
    mutating func searchFailed(at now: Uptime) {
        deafness.searches = min(deafness.searches + 1, Self.maxFailures)
        deafness.searchesSince = deafness.searchesSince ?? now
        deafness.lastSearch = now
    }

    /// Takes that other adapters read all devices that it read. So they are on, and it is stuck.
    mutating func outdone() { isOutdone = true }

    /// BlueZ searches again.
    mutating func searched() { (deafness.searches, deafness.searchesSince) = (0, nil) }

    /// Whether an advertisement would change anything.
    var isDeaf: Bool { deafness != Deafness() || isOfHearing && step != nil }

    /// Takes an advertisement, and returns the last step before it if that was because of silence.
    mutating func heard() -> Step? {
        deafness = Deafness()
        return isOfHearing && step != nil ? succeeded() : nil
    }

    /// Takes a success, and returns the last step before it.
    mutating func succeeded() -> Step? {
        defer {
            if case .querying = phase { phase = .watching }
            step = nil
            refused = nil
            notBefore = .start
            isOfHearing = false
            resetEvidence()
        }
        return step
    }

    /// Forgets the failures so far, because bluetoothd or the bus caused them.
    mutating func resetEvidence() {
        failures = []
        failedSince = []
        deafness = Deafness()
        isOutdone = false
    }

    // MARK: Decisions

    /// Returns the number of devices that failed recently, and of their failures.
    func evidence(at now: Uptime) -> (devices: Int, failures: Int) {
        let recent = failures.filter { now - $0.time <= Self.proof.within }
        return (Set(recent.map(\.device)).count, recent.count)
    }

    /// Returns the step that is due.
    ///
    /// - Parameters:
    ///   - devices: the number of the adapter's devices that blekeep connects.
    ///   - listened: the number of those that it only listens to, and has heard.
    ///   - earliest: returns when a step is allowed; `nil` for never.
    func next(of devices: Int, listened: Int = 0, at now: Uptime, earliest: (Step) -> Uptime?) -> Step? {
        guard phase == .watching, now >= notBefore,
            isOutdone || isStuck(devices, listened: listened, at: now)
        else { return nil }
        // A restart of bluetoothd would end what the others do.
        let steps = isOutdone ? [.powerCycle, .replug] : stepsAhead
        let next = steps.first { earliest($0) != nil }
        guard let next, let time = earliest(next), now >= time else { return nil }
        if next == .powerCycle, let lastCycle, now < lastCycle + Self.cyclePause { return nil }
        return next
    }

    /// The steps after the last one, and all after the last of all.
    private var stepsAhead: [Step] {
        guard let step, step != .replug else { return Step.allCases }
        return Step.allCases.filter { $0 > step }
    }

    /// Whether there are enough failures, recent or not.
    var mayBegin: Bool { mayFailToReach || mayBeDeaf || isOutdone }

    private var mayFailToReach: Bool { failures.count >= Self.proof.failures }

    private var mayBeDeaf: Bool {
        deafness.ticks >= Self.silence.ticks || deafness.searches >= Self.silence.searches
    }

    private func isStuck(_ devices: Int, listened: Int, at now: Uptime) -> Bool {
        if isDeaf(listened) { return step == nil || now >= stepEnd + pauseAfterStep }
        let enough = min(Self.proof.devices, devices)
        guard enough > 0 else { return false }
        if step != nil { return now >= stepEnd + pauseAfterStep && failedSince.count >= enough }
        guard mayFailToReach else { return false }
        let evidence = evidence(at: now)
        return evidence.failures >= Self.proof.failures && evidence.devices >= enough
    }

    /// Whether the adapter hears nothing. After a step, one silent tick of each device is enough.
    private func isDeaf(_ listened: Int) -> Bool {
        let isAfterStep = step != nil && isOfHearing
        if let since = deafness.searchesSince {
            if isAfterStep { return true }
            if deafness.searches >= Self.silence.searches, deafness.lastSearch - since >= Self.silence.within {
                return true
            }
        }
        let enough = min(Self.silence.devices, listened)
        return enough > 0 && deafness.devices.count >= enough && (isAfterStep || deafness.ticks >= Self.silence.ticks)
    }

    /// The time from a step to the next one.
    private var pauseAfterStep: Duration { step == .replug ? Self.again : Self.judged }

    // MARK: Steps

    /// Whether a step was taken or is in progress.
    var isEscalating: Bool { step != nil || phase != .watching }

    /// Whether the adapter must not be used.
    var isActing: Bool { if case .acting = phase { true } else { false } }

    var isCycling: Bool { if case .acting(.powerCycle, _) = phase { true } else { false } }

    mutating func query(for step: Step, until: Uptime) { phase = .querying(step, until: until) }

    mutating func act(_ step: Step, until: Uptime, at now: Uptime) {
        if self.step == nil { isOfHearing = !mayFailToReach }
        phase = .acting(step, until: until)
        if step == .powerCycle { lastCycle = now }
    }

    /// Call this when the step ended, successful or not.
    mutating func finished(_ step: Step, at now: Uptime) {
        phase = .watching
        self.step = step
        refused = nil
        stepEnd = now
        failedSince = []
        deafness = Deafness()
        isOutdone = false
    }

    /// Refuses the step for now. Returns whether to report that.
    mutating func refuse(_ step: Step, at now: Uptime) -> Bool {
        phase = .watching
        notBefore = now + Self.refusalPause
        defer { refused = step }
        return refused != step
    }
}

extension AdapterEscalation: Waiting {
    enum Wait: CaseIterable {
        /// The step in progress, or the count of connections before it.
        case phase
        /// The pause after a refused step.
        case refusal
        /// The time for a step to help.
        case step
        /// The pause between power cycles.
        case cycle
        /// The pause between restarts of bluetoothd.
        case restart
    }

    /// - Parameter around: the time, and the end of the pause between restarts.
    func end(of wait: Wait, in around: (now: Uptime, restart: Uptime)) -> Uptime {
        if case .querying(_, let until) = phase { return wait == .phase ? until : .never }
        if case .acting(_, let until) = phase { return wait == .phase ? until : .never }
        // The first step comes with its evidence.
        guard step != nil else { return .never }
        let end: Uptime? =
            switch wait {
            case .phase: nil
            case .refusal: notBefore
            case .step: stepEnd + pauseAfterStep
            case .cycle: lastCycle.map { $0 + Self.cyclePause }
            case .restart: around.restart
            }
        return end?.whileAhead(of: around.now) ?? .never
    }
}

/// Detects an adapter that can't make new connections while existing ones work.
///
/// Only attempts to nearby devices that were read before count.
struct ConnectStallDetector: Sendable, Hashable {
    /// The consecutive failures that prove a stall.
    static let proof: (attempts: Int, devices: Int, within: Duration) = (6, 2, .seconds(120))

    private var since: Uptime?
    private var attempts = 0
    private var devices: Set<DeviceNumber> = []
    /// The reported stall with all failures since; `nil` without a stall.
    private(set) var stall: ConnectStall?

    /// Counts a failed attempt. Returns the stall to report, once.
    mutating func failed(_ device: DeviceNumber, at now: Uptime) -> ConnectStall? {
        let first = since ?? now
        since = first
        if attempts < .max { attempts += 1 }
        devices.insert(device)
        let isReported = stall != nil
        guard
            isReported
                || attempts >= Self.proof.attempts && devices.count >= Self.proof.devices
                    && now - first >= Self.proof.within
        else { return nil }
        stall = ConnectStall(since: stall?.since ?? first, attempts: attempts, devices: devices.count)
        return isReported ? nil : stall
    }

    /// Takes a new connection. Returns the reported stall that it ends.
    mutating func made() -> ConnectStall? {
        defer { self = ConnectStallDetector() }
        return stall
    }

    /// Forgets the failures so far, because bluetoothd or the bus caused them. A reported stall stays until a new connection.
    mutating func resetEvidence() {
        since = nil
        attempts = 0
        devices = []
    }
}
