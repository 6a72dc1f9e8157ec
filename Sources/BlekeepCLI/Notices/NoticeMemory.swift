import Blekeep
import BlekeepOutputs

/// What was said of each subject, and when. Decides what to say next. Pure.
struct NoticeMemory: Codable, Equatable {
    private var said: [String: Said] = [:]
    /// What is so since a time, and wasn't said yet.
    private var pending: [String: Said] = [:]

    private struct Said: Codable, Equatable {
        var event: String
        var time: Int64
    }

    /// Returns the facts that are news now. They count as said.
    ///
    /// - Parameter most: the largest number to return; the others stay news.
    mutating func news(
        _ facts: [NoticeFact], for notice: NoticeConfiguration, most: Int, at time: Int64
    ) -> [NoticeFact] {
        let keys = Set(facts.map(\.subject.key))
        pending = pending.filter { keys.contains($0.key) }
        var news: [NoticeFact] = []
        for fact in facts {
            let key = fact.subject.key
            if fact.firing != nil, said[key] == nil, fact.event == fact.subject.usual {
                // From now on, a firing between two looks is news.
                said[key] = Said(event: fact.state, time: 0)
            }
            let isUsual = fact.event == fact.subject.usual
            if fact.state == said[key]?.event ?? fact.subject.usual.rawValue {
                pending[key] = nil
                guard let pause = notice.remind, !isUsual, fact.event != .ruleMissed,
                    Self.passed(pause, since: said[key]?.time, at: time)
                else {
                    continue
                }
            } else {
                if pending[key]?.event != fact.state { pending[key] = Said(event: fact.state, time: time) }
                guard Self.passed(fact.subject.patience, since: pending[key]?.time, at: time) else { continue }
                // Nobody should go to a freezer that is cold again. What comes after that waits.
                let endsTrouble = isUsual && said[key]?.event.hasPrefix(fact.subject.usual.rawValue) == false
                guard endsTrouble || Self.passed(notice.holdOff, since: said[key]?.time, at: time) else { continue }
            }
            let isWanted =
                notice.events.contains(fact.event)
                && (fact.rule.map { notice.rules.isEmpty || notice.rules.contains($0) } ?? true)
            guard !isWanted || news.count < most else { continue }
            said[key] = Said(event: fact.state, time: isWanted ? time : said[key]?.time ?? 0)
            pending[key] = nil
            if isWanted { news.append(fact) }
        }
        return news
    }

    /// Forgets subjects that aren't in the configuration any more.
    mutating func keep(only devices: Set<DeviceID>) {
        let keys = Set(devices.map(\.description))
        said = said.filter { key, _ in
            !key.hasPrefix("rule ") && !key.hasPrefix("missed ")
                || keys.contains(String(key.split(separator: " ").last ?? ""))
        }
        keep(onlyNamed: devices)
    }

    private mutating func keep(onlyNamed devices: Set<DeviceID>) {
        let keys = Set(devices.flatMap { [NoticeFact.Subject.device($0).key, NoticeFact.Subject.battery($0).key] })
        said = said.filter { key, _ in !key.hasPrefix("device ") && !key.hasPrefix("battery ") || keys.contains(key) }
    }

    /// Whether so much time passed. A time in the future doesn't count: the clock was set back.
    private static func passed(_ length: Duration, since: Int64?, at time: Int64) -> Bool {
        guard let since, since <= time else { return true }
        return Duration.milliseconds(time - since) >= length
    }
}
