#if DEBUG
import RunLoop

@testable import BlekeepRecords

/// The readings of four numbers on their way to a sink that confirms some of them, loses its connection and is given more.
package struct OutboxExploration: Explored {
    package enum Event {
        case stored
        case live, backlog
        case confirm(Int), confirmUnknown
        case skip, lose, restart, reopen
    }

    private var outbox = Outbox(after: 0, newest: 0)
    private var sent: [Int: Range<Int64>] = [:]
    /// The numbers that the sink has, or never gets.
    private var settled: Set<Int64> = []

    private static let numbers: Int64 = 4

    package static var starts: [OutboxExploration] { [OutboxExploration()] }
    package static var projection: Projection {
        Projection(["key": .count("key"), "lastKey": .count("key"), "keys": .count("key"), "lost": .most(0)])
    }
    package var state: [Any] {
        [Uptime.start, outbox, Keys(keys: sent.keys.sorted()), sent.values.map { "\($0)" }.sorted(), settled.sorted()]
    }

    /// Named, for the projection.
    private struct Keys { let keys: [Int] }

    package var events: [Event] {
        var events: [Event] = [.confirmUnknown, .lose, .restart]
        if outbox.newest < Self.numbers { events += [.stored] }
        let maySend = sent.count < 2
        if maySend, outbox.hasLiveRoom, outbox.newest > 0 { events.append(.live) }
        if outbox.nextBacklog != nil { events += maySend ? [.backlog, .skip] : [.skip] }
        if !settled.isEmpty { events.append(.reopen) }
        return events + sent.keys.sorted().map(Event.confirm)
    }

    package mutating func take(_ event: Event) -> String? {
        switch event {
        case .stored: outbox.stored(upTo: outbox.newest + 1)
        case .live:
            let newest = outbox.newest..<outbox.newest + 1
            guard outbox.lacking.contains(newest.lowerBound), !sent.values.contains(newest) else { return nil }
            sent[outbox.sent(newest, isLive: true)] = newest
        case .backlog:
            guard let next = outbox.nextBacklog else { return "no backlog" }
            // A page of one.
            let page = next.lowerBound..<next.lowerBound + 1
            if sent.values.contains(where: { $0.overlaps(page) }) { return "what is in flight is sent again" }
            sent[outbox.sent(page, isLive: false)] = page
        case .confirm(let key):
            guard outbox.confirm(key) != nil else { return "a batch that was sent can't be confirmed" }
            settled.formUnion(sent.removeValue(forKey: key).map(Array.init) ?? [])
        case .confirmUnknown:
            let before = outbox.position
            if outbox.confirm(1 << 40) != nil || outbox.position != before { return "what wasn't sent is confirmed" }
        case .skip:
            guard let next = outbox.nextBacklog else { return "no backlog" }
            outbox.skip(next.lowerBound..<next.lowerBound + 1, isLost: true)
            settled.insert(next.lowerBound)
        case .lose:
            outbox.lostConnection()
            sent = [:]
        case .restart:
            // As the history keeps it.
            outbox = Outbox(after: outbox.position, confirmed: outbox.confirmed, newest: outbox.newest)
            sent = [:]
        case .reopen:
            guard let last = settled.max() else { return nil }
            settled.remove(last)
            if outbox.reopen([last..<last + 1], oldest: 1) != 1 { return "what the sink lost isn't sent again" }
        }
        return broken
    }

    private var broken: String? {
        let numbers = outbox.newest > 0 ? Array(1...outbox.newest) : []
        for number in numbers where outbox.lacking.contains(number) == settled.contains(number) {
            return settled.contains(number) ? "\(number) is sent though the sink has it" : "\(number) is never sent"
        }
        if outbox.position > 0, !(1...outbox.position).allSatisfy(settled.contains) {
            return "the position is too high"
        }
        if outbox.confirmed.contains(where: { !$0.allSatisfy(settled.contains) }) { return "too much is confirmed" }
        if outbox.backlog > 0, sent.isEmpty, outbox.nextBacklog == nil { return "nothing is sent any more" }
        return nil
    }
}
#endif
