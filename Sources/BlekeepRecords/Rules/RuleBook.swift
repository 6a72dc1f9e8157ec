import RunLoop

/// All rules with all devices that they are about, and what the store holds of them. Pure.
package struct RuleBook: Sendable {
    private var pairs: [DeviceID: [Pair]] = [:]
    /// The pairs that left the configuration during this run.
    private(set) var leftRules: Set<RuleKey> = []
    private var suspended: Set<DeviceID> = []
    private var isChanged = true
    /// When a silence may fire.
    private(set) var due = Uptime.never

    private struct Pair: Sendable {
        var machine: RuleMachine
        var unsaved = Unsaved<RuleStatus>()
    }

    package init() {}

    init(_ configuration: PollConfiguration) { apply(configuration) }

    /// Takes a new configuration. A rule that asks the same of a device keeps its state.
    mutating func apply(_ configuration: PollConfiguration) {
        let old = pairs
        pairs = [:]
        var count = 0
        for rule in configuration.rules.prefix(Rule.maxRules) {
            for device in rule.when.subject.members(of: configuration.devices) where count < Rule.maxPairs {
                count += 1
                let known = old[device.id]?.first { $0.machine.rule.name == rule.name }
                pairs[device.id, default: []].append(pair(rule, with: device.id, after: known))
            }
        }
        for id in pairs.keys { change(of: id) { $0.unsaved.forget() } }
        let present = Set(pairs.values.joined().map { RuleKey($0.machine.status) })
        leftRules = leftRules.union(old.values.joined().map { RuleKey($0.machine.status) }).subtracting(present)
        isChanged = true
    }

    private func pair(_ rule: Rule, with device: DeviceID, after known: Pair?) -> Pair {
        if var known, known.machine.take(rule) { return known }
        var machine = RuleMachine(rule, for: device)
        let unknown = RuleMoment(time: 0, isSet: false)
        if let known { machine.resume(known.machine.status, at: unknown) }
        if suspended.contains(device) { _ = machine.suspend(true, at: unknown) }
        return Pair(machine: machine)
    }

    private mutating func change(of device: DeviceID, _ change: (inout Pair) -> Void) {
        for index in pairs[device, default: []].indices { change(&pairs[device, default: []][index]) }
    }

    /// Whether a rule measures something that only readings of the last hours say.
    var needsReadings: Bool {
        pairs.values.joined().contains { pair in
            switch pair.machine.rule.when.test {
            case .move, .silence: true
            case .limit, .word: false
            }
        }
    }

    /// Continues from an earlier run.
    ///
    /// - Parameters:
    ///   - devices: their statuses at its end.
    ///   - readings: its last ones, the oldest first.
    mutating func resume(
        _ statuses: [RuleStatus], devices: [DeviceStatus], readings: [Reading], at now: RuleMoment, uptime: Uptime
    ) {
        for status in statuses {
            change(of: status.device) { if $0.machine.rule.name == status.rule { $0.machine.resume(status, at: now) } }
        }
        // The last value of a field isn't older than that of its device.
        for device in devices {
            guard let time = device.lastValue else { continue }
            let moment = RuleMoment(time: time, isSet: time <= now.time)
            change(of: device.id) { $0.machine.recall(heard: moment, at: now) }
        }
        for reading in readings {
            // By a clock that was set back since, it would be a reading of the future.
            let moment = RuleMoment(time: reading.time, isSet: reading.isClockSet && reading.time <= now.time)
            change(of: reading.id) { $0.machine.recall(reading, from: moment, at: now) }
        }
        isChanged = true
        arm(at: now, uptime: uptime)
    }

    // MARK: In

    mutating func observe(_ readings: [Reading], at now: RuleMoment, uptime: Uptime) -> [RuleMachine.Change] {
        guard !pairs.isEmpty else { return [] }
        let changes = readings.flatMap { reading in update(reading.id) { $0.observe(reading, at: now) } }
        arm(at: now, uptime: uptime)
        return changes
    }

    /// Takes whether a device is paused, or another gateway reads it.
    mutating func suspend(
        _ device: DeviceID, _ isSuspended: Bool, at now: @autoclosure () -> RuleMoment
    ) -> [RuleMachine.Change] {
        guard suspended.contains(device) != isSuspended else { return [] }
        if isSuspended { suspended.insert(device) } else { suspended.remove(device) }
        let now = now()
        return update(device) { $0.suspend(isSuspended, at: now) }
    }

    mutating func advance(at now: RuleMoment, uptime: Uptime) -> [RuleMachine.Change] {
        guard !pairs.isEmpty else { return [] }
        let changes = devices.flatMap { update($0) { $0.advance(at: now) } }
        arm(at: now, uptime: uptime)
        return changes
    }

    /// The devices with rules, in an order that doesn't depend on the run.
    private var devices: [DeviceID] { pairs.keys.sorted { $0.description < $1.description } }

    private mutating func update(
        _ device: DeviceID, _ body: (inout RuleMachine) -> RuleMachine.Change?
    ) -> [RuleMachine.Change] {
        var (changes, isChanged) = ([RuleMachine.Change](), isChanged)
        change(of: device) { pair in
            let before = pair.machine.status
            if let change = body(&pair.machine) { changes.append(change) }
            guard pair.machine.status != before else { return }
            pair.unsaved.change()
            isChanged = true
        }
        self.isChanged = isChanged
        return changes
    }

    private mutating func arm(at now: RuleMoment, uptime: Uptime) {
        due = .never
        for pair in pairs.values.joined() {
            if let wait = pair.machine.due(at: now) { due = min(due, uptime + wait) }
        }
    }

    // MARK: Out

    /// The names of the rules that fire for a device, in the order of the configuration.
    func firing(of device: DeviceID) -> [String] {
        pairs.isEmpty
            ? [] : pairs[device, default: []].filter(\.machine.status.isFiring).map(\.machine.rule.name)
    }

    /// - Returns: what a commit must take.
    mutating func offer() -> [RuleStatus] {
        guard isChanged else { return [] }
        var changed: [RuleStatus] = []
        for id in devices {
            change(of: id) { if let status = $0.unsaved.offer($0.machine.status) { changed.append(status) } }
        }
        return changed
    }

    /// Call this when the store holds the last offer.
    mutating func committed() {
        guard isChanged else { return }
        leftRules = []
        for id in pairs.keys { change(of: id) { $0.unsaved.committed() } }
        isChanged = pairs.values.joined().contains { !$0.unsaved.isKept }
    }
}

package struct RuleKey: Sendable, Hashable {
    package let rule: String
    package let device: DeviceID

    package init(rule: String, device: DeviceID) { (self.rule, self.device) = (rule, device) }

    package init(_ status: RuleStatus) { self.init(rule: status.rule, device: status.device) }
}
