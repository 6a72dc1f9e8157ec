import RunLoop

/// What is tried with one radio through which nothing can be reached any more, one step after another, the gentlest
/// first. A success of any device leads back to the ground.
struct AdapterEscalation: Sendable, Hashable {
    enum Step: Int, Sendable, Hashable, CaseIterable, Comparable {
        /// The radio is left alone for a moment.
        case rest
        /// It is switched off and on.
        case powerCycle
        /// bluetoothd is started anew.
        case restart
        /// A person is asked to pull it out.
        case replug

        static func < (left: Step, right: Step) -> Bool { left.rawValue < right.rawValue }
    }

    enum Phase: Sendable, Hashable {
        case watching
        /// Whether other programs have links is being asked.
        case asking(Step, until: Uptime)
        /// The step is under way, and the radio is not used.
        case acting(Step, until: Uptime)
    }

    /// So many failures within so long, of so many devices, are no chance. All devices where there are fewer.
    static let proof: (failures: Int, devices: Int, within: Duration) = (10, 3, .seconds(300))
    /// A step is given so long to help.
    static let judged: Duration = .seconds(30)
    static let rest: Duration = .milliseconds(1500)
    /// From one power cycle to the next.
    static let cyclePause: Duration = .seconds(600)
    /// What was refused is asked about again after this time.
    static let refusalPause: Duration = .seconds(300)
    /// When the last step did not help either, the first one is tried again after this time.
    static let again: Duration = .seconds(8 * 3600)
    private static let mostFailures = 64

    private struct Failure: Sendable, Hashable {
        var device: DeviceID
        var moment: Uptime
    }

    private(set) var phase = Phase.watching
    /// The last step that was taken since something was read.
    private(set) var step: Step?
    private(set) var lastCycle: Uptime?
    /// The step that was refused, and has been told.
    private(set) var refused: Step?
    private var failures: [Failure] = []
    private var failedSince: Set<DeviceID> = []
    private(set) var stepEnd = Uptime.start
    private var notBefore = Uptime.start

    // MARK: What happens

    mutating func failed(_ device: DeviceID, at now: Uptime) {
        failures.removeAll { now - $0.moment > Self.proof.within }
        if failures.count >= Self.mostFailures { failures.removeFirst() }
        failures.append(Failure(device: device, moment: now))
        failedSince.insert(device)
    }

    /// Something was read through it. Says which step was the last one before that.
    mutating func succeeded() -> Step? {
        defer {
            if case .asking = phase { phase = .watching }
            step = nil
            refused = nil
            notBefore = .start
            excuse()
        }
        return step
    }

    /// Something above the radio was to blame: what failed until now proves nothing.
    mutating func excuse() {
        failures = []
        failedSince = []
    }

    // MARK: What is to be done

    /// How many devices have failed, and how often, in the time that counts.
    func evidence(at now: Uptime) -> (devices: Int, failures: Int) {
        let recent = failures.filter { now - $0.moment <= Self.proof.within }
        return (Set(recent.map(\.device)).count, recent.count)
    }

    /// The step that is due.
    ///
    /// - Parameters:
    ///   - devices: how many devices the radio serves.
    ///   - earliest: from when on a step may be taken; `nil`: never.
    func next(of devices: Int, at now: Uptime, earliest: (Step) -> Uptime?) -> Step? {
        guard phase == .watching, now >= notBefore, isStuck(devices, now) else { return nil }
        let from = step == .replug ? nil : step
        let next = Step.allCases.first { step in from.map { step > $0 } ?? true && earliest(step) != nil }
        guard let next, let moment = earliest(next), now >= moment else { return nil }
        if next == .powerCycle, let lastCycle, now < lastCycle + Self.cyclePause { return nil }
        return next
    }

    /// Whether enough has failed, be it long ago.
    var mayBegin: Bool { failures.count >= Self.proof.failures }

    private func isStuck(_ devices: Int, _ now: Uptime) -> Bool {
        let enough = min(Self.proof.devices, devices)
        guard enough > 0 else { return false }
        if step != nil { return now >= stepEnd + patience && failedSince.count >= enough }
        guard mayBegin else { return false }
        let evidence = evidence(at: now)
        return evidence.failures >= Self.proof.failures && evidence.devices >= enough
    }

    /// How long after a step the next one comes.
    private var patience: Duration { step == .replug ? Self.again : Self.judged }

    /// When that may change without anything happening.
    var decisions: [Uptime] {
        switch phase {
        case .asking(_, let until), .acting(_, let until): [until]
        case .watching where step == nil: [notBefore]
        case .watching:
            [notBefore, stepEnd + patience, lastCycle.map { $0 + Self.cyclePause } ?? .start]
        }
    }

    // MARK: Steps

    /// Whether there is anything to wait for.
    var isClimbing: Bool { step != nil || phase != .watching }

    /// Whether the radio is not to be used.
    var isActing: Bool { if case .acting = phase { true } else { false } }

    var isCycling: Bool { if case .acting(.powerCycle, _) = phase { true } else { false } }

    mutating func ask(for step: Step, until: Uptime) { phase = .asking(step, until: until) }

    mutating func act(_ step: Step, until: Uptime, at now: Uptime) {
        phase = .acting(step, until: until)
        if step == .powerCycle { lastCycle = now }
    }

    /// The step is over, whether it could be done or not.
    mutating func finished(_ step: Step, at now: Uptime) {
        phase = .watching
        self.step = step
        refused = nil
        stepEnd = now
        failedSince = []
    }

    /// The step may not be taken now. Says whether that is new.
    mutating func refuse(_ step: Step, at now: Uptime) -> Bool {
        phase = .watching
        notBefore = now + Self.refusalPause
        defer { refused = step }
        return refused != step
    }
}
