#if DEBUG
import RunLoop

@testable import BlekeepRecords

/// When to commit, by what the recorder does with it: a disk that is at once ready or takes long, and fails or not.
package struct CommitExploration: Explored {
    package enum Event: Equatable {
        case record
        case tickEnds
        case wait(Duration)
        case due
        case written, failed
        case flush
    }

    private struct Write: Equatable {
        let isDurable: Bool
        let isEmpty: Bool
    }

    private var policy = CommitPolicy()
    private var now = Uptime.start + .seconds(86_400)
    /// Whether records wait.
    private var hasNews = false
    private var write: Write?
    /// Since when a power cut would lose something that was written.
    private var dirtySince: Uptime?

    package static var starts: [CommitExploration] { [CommitExploration()] }
    package static var projection: Projection {
        Projection([
            "full": .age(.seconds(80)), "failures": .most(3), "due": .deadline, "dirtySince": .age(.seconds(90)),
            "lost": .most(0),
        ])
    }
    package var state: [Any] {
        struct Own {
            let hasNews: Bool, isWriting: Bool, isDurable: Bool, isEmpty: Bool, dirtySince: Uptime?
        }
        return [
            now, policy,
            Own(
                hasNews: hasNews, isWriting: write != nil, isDurable: write?.isDurable == true,
                isEmpty: write?.isEmpty == true, dirtySince: dirtySince),
        ]
    }

    package var events: [Event] {
        var events: [Event] = [.record, .tickEnds, .flush]
        if write != nil { events += [.written, .failed] }
        if policy.due == .never {
            events.append(.wait(.seconds(20)))
        } else {
            events.append(.due)
            if policy.due - now > .seconds(20) { events.append(.wait(.seconds(20))) }
        }
        return events
    }

    package mutating func take(_ event: Event) -> String? {
        switch event {
        case .record:
            hasNews = true
            if policy.isUrgent(isResting: false) { commit(durable: true) } else { policy.comeSoon(at: now) }
        case .tickEnds: if hasNews || policy.isDirty { commit(durable: policy.settle(at: now)) }
        case .wait(let length): now = now + length
        case .due:
            now = max(now, policy.due)
            cameDue()
        case .written:
            guard let write else { return nil }
            self.write = nil
            _ = policy.succeeded(durable: write.isDurable, isEmpty: write.isEmpty, at: now)
            if write.isDurable { dirtySince = nil } else if !write.isEmpty { dirtySince = dirtySince ?? now }
            policy.comeBack(at: .never, now: now)
            if policy.follows { cameDue() }
        case .failed:
            guard let write else { return nil }
            self.write = nil
            if !write.isEmpty { hasNews = true }
            policy.failed(at: now)
            if policy.follows { cameDue() }
        case .flush:
            policy.hurry()
            if !policy.isFailing { commit(durable: true) }
        }
        return broken
    }

    private mutating func cameDue() {
        if write != nil { policy.follow(durable: false) } else { commit(durable: policy.cameDue(at: now)) }
    }

    private mutating func commit(durable: Bool) {
        guard write == nil else { return policy.follow(durable: durable) }
        policy.begin()
        guard hasNews || durable else { return policy.comeBack(at: .never, now: now) }
        write = Write(isDurable: durable, isEmpty: !hasNews)
        hasNews = false
    }

    private var broken: String? {
        guard write == nil else { return nil }
        if hasNews, policy.due == .never { return "records wait for ever" }
        if policy.isFailing, policy.isDirty, policy.due == .never { return "there is no next attempt" }
        if policy.isDirty != (dirtySince != nil) { return "the policy doesn't know what a power cut would lose" }
        guard let dirtySince, !policy.isFailing else { return nil }
        if policy.due == .never { return "what was written is never safe" }
        // What a failing or slow disk kept waiting comes as soon as the budget allows.
        let due = max(dirtySince + .seconds(81), now + .seconds(41))
        return policy.due > due ? "what was written isn't safe after \(policy.due - dirtySince)" : nil
    }
}
#endif
