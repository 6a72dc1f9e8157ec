/// A time by the machine's clocks, so that the time that passes can be measured also while the time of day is wrong, and
/// over a restart.
package struct RuleMoment: Sendable, Hashable {
    /// The kernel's boot ID; empty when unknown.
    package var boot: String
    /// Milliseconds since the machine's start, with sleep.
    package var sinceBoot: Int64
    /// The time of day: milliseconds since 1970.
    package var time: Int64
    /// Whether the time of day is right.
    package var isSet: Bool

    package init(boot: String, sinceBoot: Int64, time: Int64, isSet: Bool) {
        self.boot = boot
        self.sinceBoot = sinceBoot
        self.time = time
        self.isSet = isSet
    }

    package init(_ clocks: ClockReading) {
        self.init(
            boot: clocks.boot, sinceBoot: clocks.sinceBoot.wholeMilliseconds, time: clocks.time,
            isSet: clocks.isSynchronized != false)
    }

    /// A time of day, when nothing else is known.
    package init(time: Int64, isSet: Bool = true) { self.init(boot: "", sinceBoot: 0, time: time, isSet: isSet) }

    /// The time since an earlier moment; `nil` when no clock says it.
    package func elapsed(since other: RuleMoment) -> Duration? {
        if !boot.isEmpty, boot == other.boot { return .milliseconds(max(0, sinceBoot &- other.sinceBoot)) }
        guard isSet, other.isSet, time >= other.time else { return nil }
        return .milliseconds(time - other.time)
    }

    /// Corrects the time of day of a moment after the same start, when the clock wasn't set.
    mutating func correct(by now: RuleMoment) {
        guard !isSet, now.isSet, !boot.isEmpty, boot == now.boot else { return }
        time = now.time &- (now.sinceBoot &- sinceBoot)
        isSet = true
    }
}

/// How a rule does for a device, as the history keeps it and outputs show it.
package struct RuleStatus: Sendable, Hashable {
    package enum Phase: String, Sendable, CaseIterable {
        case calm
        /// The condition holds, but not for long enough.
        case pending
        case firing
        /// It fires, and the condition for its end holds, but not for long enough.
        case ending
    }

    package let rule: String
    package let device: DeviceID
    /// The rule's text. With another one, the rule begins again.
    package fileprivate(set) var condition: String
    package var phase = Phase.calm
    /// When it began to be pending or ending.
    package var since: RuleMoment?
    /// How often it fired.
    package var firings: Int64 = 0
    package var fired, ended: RuleMoment?
    /// Why it fires, or why it ended; `nil` before it fired.
    package var message: String?

    package init(rule: String, device: DeviceID, condition: String) {
        self.rule = rule
        self.device = device
        self.condition = condition
    }

    package var isFiring: Bool { phase == .firing || phase == .ending }

    /// When the rule fires; `nil` for a text that isn't a rule's.
    package var when: Rule.Condition? {
        guard let cut = condition.ranges(of: Rule.untilWord).last,
            (try? Rule.End(String(condition[cut.upperBound...]))) != nil
        else { return try? Rule.Condition(condition) }
        return try? Rule.Condition(String(condition[..<cut.lowerBound]))
    }

    fileprivate mutating func correct(by now: RuleMoment) {
        since?.correct(by: now)
        fired?.correct(by: now)
        ended?.correct(by: now)
    }
}

/// Decides when a rule fires for a device, and when it is over. Pure.
///
/// ```
/// calm ─▶ pending ─▶ firing ─▶ ending ─▶ calm
///   ◀────────┘         ◀─────────┘
/// ```
/// Only a value fires a rule or ends it, except that no value fires a silence. Between two values, the earlier one counts.
package struct RuleMachine: Sendable {
    package private(set) var rule: Rule
    package private(set) var status: RuleStatus
    /// The last value; for a silence.
    private var heard: RuleMoment?
    /// Since when a silence counts that began before.
    private var start: RuleMoment?
    /// The highest values, or for a rule on a rise the lowest ones, of parts of the time; the oldest first.
    private var window: [Sample] = []
    private var isSuspended = false

    private struct Sample: Sendable {
        var at: RuleMoment
        var value: Double
    }

    /// In how many parts the time of a move is divided.
    private static let parts = 60
    /// After a start, a device may be silent for this time before a silence fires that began earlier.
    package static let grace: Duration = .seconds(600)

    package init(_ rule: Rule, for device: DeviceID) {
        self.rule = rule
        status = RuleStatus(rule: rule.name, device: device, condition: rule.text)
    }

    /// Takes the rule as it is now, with the state so far if only its words for the device changed.
    /// Returns whether it did.
    mutating func take(_ new: Rule) -> Bool {
        guard rule.until == new.until, rule.when.hasSameTest(as: new.when) else { return false }
        rule = new
        status.condition = new.text
        return true
    }

    /// What changed, for the log and for a test over the history.
    package struct Change: Sendable, Hashable {
        package var status: RuleStatus
        package var at: RuleMoment
        package var isFiring: Bool { status.isFiring }
    }

    /// Continues from what the history keeps.
    package mutating func resume(_ kept: RuleStatus, at now: RuleMoment) {
        // Firings keep their numbers, because others remember which one they reported.
        guard kept.condition == status.condition else {
            status.firings = kept.firings
            return
        }
        status = kept
        start = now
    }

    /// Takes when an earlier run had a value of the device; for a silence.
    package mutating func recall(heard: RuleMoment, at now: RuleMoment) {
        if self.heard == nil { self.heard = heard }
        start = now
    }

    /// Takes a reading of an earlier run: it may be the last value before a silence, or one from which a value moves.
    package mutating func recall(_ reading: Reading, from moment: RuleMoment, at now: RuleMoment) {
        guard let measurement = rule.measurement(of: reading) else { return }
        switch rule.when.test {
        case .silence: (heard, start) = (moment, now)
        case .move(_, let direction, _, let unit):
            guard let value = measurement.number(in: unit, isDifference: false) else { return }
            _ = move(to: value, direction, at: moment)
        case .limit, .word: break
        }
    }

    /// Takes whether the device is paused, or another gateway reads it. Then nothing fires.
    package mutating func suspend(_ isSuspended: Bool, at now: RuleMoment) -> Change? {
        guard self.isSuspended != isSuspended else { return nil }
        self.isSuspended = isSuspended
        (heard, start, window) = (isSuspended ? nil : now, nil, [])
        guard isSuspended else { return nil }
        if status.isFiring { return end("blekeep doesn't read the device now", at: now) }
        if status.phase == .pending { (status.phase, status.since) = (.calm, nil) }
        return nil
    }

    // MARK: Values

    package mutating func observe(_ reading: Reading, at now: RuleMoment) -> Change? {
        rule.measurement(of: reading).flatMap { observe($0, of: reading.characteristic, at: now) }
    }

    /// Takes a value of the rule's field.
    package mutating func observe(
        _ measurement: Measurement, of characteristic: BluetoothUUID? = nil, at now: RuleMoment
    ) -> Change? {
        guard !isSuspended else { return nil }
        switch rule.when.test {
        case .silence:
            heard = now
            return status.isFiring ? end("a value again: \(text(measurement, of: characteristic))", at: now) : nil
        case .limit(_, let limit):
            guard let isMet = limit.isMet(by: measurement) else { return nil }
            let isOver = rule.until.map { $0.limit.isMet(by: measurement) ?? false } ?? !isMet
            return step(isMet, isOver: isOver, at: now) { machine in
                let value = machine.text(measurement, of: characteristic)
                return (value + ", \(limit.words)\(machine.span)", value)
            }
        case .word(_, let word, let isNegated):
            guard let isWord = measurement.isWord(word, of: characteristic) else { return nil }
            let isMet = isWord != isNegated
            return step(isMet, isOver: !isMet, at: now) { machine in
                let value = machine.text(measurement, of: characteristic)
                return (value + machine.span, value)
            }
        case .move(_, let direction, let by, let unit):
            guard let value = measurement.number(in: unit, isDifference: false) else { return nil }
            let moved = move(to: value, direction, at: now)
            // Floating-point numbers differ a little less than they should.
            let limit = by.nearest * (1 - 1e-9)
            return step(moved >= limit, isOver: moved < limit / 2, at: now) { machine in
                let human = machine.text(measurement, of: characteristic)
                let word = direction == .falls ? "fell" : "rose"
                return ("\(human), \(word) \(by)\(unit.map { " \($0)" } ?? "") or more in \(machine.length)", human)
            }
        }
    }

    /// Takes the time, in which no value may have come.
    package mutating func advance(at now: RuleMoment) -> Change? {
        status.correct(by: now)
        guard case .silence = rule.when.test, !isSuspended, !status.isFiring else { return nil }
        guard let heard, let silence = now.elapsed(since: heard) else {
            self.heard = now
            return nil
        }
        guard silence >= rule.when.length, (graceLeft(at: now) ?? .zero) <= .zero else { return nil }
        return fire("no \(rule.when.field ?? "value") for \(length)", at: now)
    }

    /// The time until `advance` may fire; `nil` when only a value can.
    package func due(at now: RuleMoment) -> Duration? {
        guard case .silence = rule.when.test, !isSuspended, !status.isFiring else { return nil }
        guard let heard, let silence = now.elapsed(since: heard) else { return rule.when.length }
        return max(rule.when.length - silence, graceLeft(at: now) ?? .zero, .zero)
    }

    private func graceLeft(at now: RuleMoment) -> Duration? {
        start.map { min(Self.grace, rule.when.length) - (now.elapsed(since: $0) ?? .zero) }
    }

    /// For tests: the number of values that a move keeps.
    var samples: Int { window.count }

    /// How far the value moved within the time.
    private mutating func move(to value: Double, _ direction: Rule.Direction, at now: RuleMoment) -> Double {
        let length = rule.when.length
        // A moment whose age no clock says is forgotten.
        window.removeAll { now.elapsed(since: $0.at).map { $0 > length } ?? true }
        if let last = window.last, let age = now.elapsed(since: last.at), age < length / Self.parts {
            let isBeyond = direction == .falls ? value > last.value : value < last.value
            if isBeyond { window[window.count - 1] = Sample(at: now, value: value) }
        } else {
            window.append(Sample(at: now, value: value))
        }
        let values = window.lazy.map(\.value)
        return direction == .falls ? (values.max() ?? value) - value : value - (values.min() ?? value)
    }

    // MARK: Phases

    /// - Parameter messages: returns why it fires, and why it ends.
    private mutating func step(
        _ isMet: Bool, isOver: Bool, at now: RuleMoment, messages: (Self) -> (fires: String, ends: String)
    ) -> Change? {
        switch status.phase {
        case .calm, .pending:
            guard isMet else {
                (status.phase, status.since) = (.calm, nil)
                return nil
            }
            if case .move = rule.when.test { return fire(messages(self).fires, at: now) }
            guard hasLasted(rule.when.length, as: .pending, at: now) else { return nil }
            return fire(messages(self).fires, at: now)
        case .firing, .ending:
            guard isOver else {
                (status.phase, status.since) = (.firing, nil)
                return nil
            }
            guard hasLasted(rule.until?.length ?? .zero, as: .ending, at: now) else { return nil }
            return end(messages(self).ends, at: now)
        }
    }

    /// Whether it has been in a phase for this time. It is from now on, if it wasn't.
    private mutating func hasLasted(_ length: Duration, as phase: RuleStatus.Phase, at now: RuleMoment) -> Bool {
        if length == .zero { return true }
        if status.phase == phase, let since = status.since, let span = now.elapsed(since: since) {
            return span >= length
        }
        // Over a restart without a clock, the time begins again.
        (status.phase, status.since) = (phase, now)
        return false
    }

    private mutating func fire(_ message: String, at now: RuleMoment) -> Change {
        (status.phase, status.since, status.fired) = (.firing, nil, now)
        status.firings = status.firings < .max ? status.firings + 1 : 1
        status.message = message
        return Change(status: status, at: now)
    }

    private mutating func end(_ message: String, at now: RuleMoment) -> Change {
        (status.phase, status.since, status.ended) = (.calm, nil, now)
        status.message = message
        return Change(status: status, at: now)
    }

    // MARK: Words

    private var length: String { DurationText.text(rule.when.length) }
    private var span: String { rule.when.length == .zero ? "" : " for \(length)" }

    private func text(_ measurement: Measurement, of characteristic: BluetoothUUID?) -> String {
        let (value, unit) = DisplayUnit.human(measurement, of: characteristic)
        // A device may choose any text. What shows it escapes it.
        return "\(measurement.field.prefix(64)) is \(value.prefix(64))\(unit.isEmpty ? "" : " \(unit.prefix(16))")"
    }
}
