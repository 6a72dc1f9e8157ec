import Blekeep
import BlekeepConfiguration
import BlekeepHistory

/// What rules would have said while blekeep or a device was away. A value beyond its limit may be known only later, when the
/// device's own memory was asked, and by then it may be over: nobody would hear of the freezer that was warm for a night.
struct MissedRules {
    /// When each device's memory was asked, and what came of it.
    private var tried: [DeviceID: (time: Int64, facts: [NoticeFact])] = [:]

    /// What was asked for earlier is no news. A trial begins so long before the time that was asked for, to see what goes on from
    /// then. In milliseconds.
    private static let age: Int64 = 86_400_000
    /// A rule that fired so soon after a time, in milliseconds, has said it. A trial is off by five minutes.
    private static let tolerance: Int64 = 600_000

    /// Returns what is missing among the notices.
    ///
    /// - Throws: `HistoryError`.
    mutating func facts(
        _ configuration: PollConfiguration, now: Int64, in reader: HistoryReader
    ) throws -> [NoticeFact] {
        let fillings = try reader.fillings().filter { $1.stored > 0 && now - $1.time < Self.age }
        tried = tried.filter { fillings[$0.key]?.time == $0.value.time }
        for (device, filling) in fillings where tried[device] == nil && filling.since < filling.time {
            let facts = try configuration.rules.compactMap {
                try fact($0, of: device, in: filling.since...filling.time, configuration, reader)
            }
            tried[device] = (filling.time, facts)
        }
        return tried.values.flatMap(\.facts)
    }

    private func fact(
        _ rule: Rule, of id: DeviceID, in time: ClosedRange<Int64>, _ configuration: PollConfiguration,
        _ reader: HistoryReader
    ) throws -> NoticeFact? {
        let members = rule.when.subject.members(of: configuration.devices)
        guard let device = members.first(where: { $0.id == id }) else { return nil }
        // The silence itself was said when it came.
        if case .silence = rule.when.test { return nil }
        let said = try reader.firings(of: [id], in: time, limit: RuleTrial.maxFirings).filter { $0.rule == rule.name }
        // What began before was said of an earlier filling.
        let trial = try RuleTrial(
            rule, devices: [id], since: time.lowerBound - Self.age, now: time.upperBound, in: reader)
        let missed = trial.firings.filter { firing in
            firing.from >= time.lowerBound
                && !said.contains { $0.fired <= firing.from + Self.tolerance && $0.ended ?? .max >= firing.from }
        }
        guard let first = missed.first, let last = missed.last else { return nil }
        let begin = UTCTime(milliseconds: first.from, offset: LocalTime.offset).dateAndMinute
        let length = AttemptMessages.span(from: first.from, to: first.to ?? time.upperBound)
        let more = missed.count > 1 ? ", and \(missed.count - 1) more times since" : ""
        return NoticeFact(
            subject: .missed(rule.name, id), event: .ruleMissed,
            message: "from \(begin) for \(length)\(more), as its own memory says: \(first.message)",
            firing: last.from, device: device.name, address: device.address)
    }
}
