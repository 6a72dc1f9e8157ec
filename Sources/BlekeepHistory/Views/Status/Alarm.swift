import BlekeepOutputs
import BlekeepRecords

/// A rule that fires for a device: since when, and what the device measures now. Pure.
package struct Alarm: Sendable {
    package let rule: RuleStatus
    /// What the rule is about, as the device measured it last; `nil` when the history has no such value.
    package let newest: NewestValues.Value?
    /// When it began to fire, in milliseconds since 1970; `nil` when no clock says it.
    package let since: Int64?
    private let now: Int64

    /// - Parameter clocks: the machine's; they know how long a rule fires since the machine's start.
    init(_ rule: RuleStatus, _ device: NewestValues.Device?, now: Int64, clocks: ClockReading?) {
        self.rule = rule
        self.now = now
        since = rule.fired.flatMap { fired in
            if fired.isSet { return fired.time }
            return clocks.flatMap { RuleMoment($0).elapsed(since: fired) }.map { now - $0.wholeMilliseconds }
        }
        let condition = rule.when
        newest = device?.all.first { value in
            condition?.isAbout(value.measurement.field, instance: value.reading.instance) ?? false
        }
    }

    /// For example `the rule freezer-warm fires for 35m: temperature of Freezer > -12 °C; now 1.97 °C`.
    package var text: String {
        let span = since.map { " for \(AttemptMessages.span(from: min($0, now), to: now))" } ?? ""
        let condition = rule.when?.text ?? rule.condition
        return "the rule \(Untrusted(rule.rule)) fires\(span): \(Untrusted(condition, limit: 200))\(current)"
    }

    private var current: String {
        guard let newest else { return "" }
        guard case .silence? = rule.when?.test else { return "; now \(newest.shown.number)" }
        return "; the last one came \(AttemptMessages.span(from: min(newest.time, now), to: now)) ago"
    }
}

extension StatusReport {
    package var alarms: [Alarm] { rules.filter(\.isFiring).map(alarm) }

    /// The rules that fire for a device; none while blekeep isn't polling, as they may be over.
    package func alarms(of device: DeviceID) -> [Alarm] {
        isPolling ? rules.filter { $0.device == device && $0.isFiring }.map(alarm) : []
    }

    private func alarm(_ rule: RuleStatus) -> Alarm {
        Alarm(rule, newest.devices[rule.device], now: now, clocks: clocks)
    }
}
