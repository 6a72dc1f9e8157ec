import RunLoop

/// Decides when the machine may sleep: when to take and to release logind's lock, and when open work expires. Pure.
struct SleepState: Sendable {
    typealias SectionID = Int

    enum Event: Sendable {
        case began(SectionID, name: String, budget: Duration)
        case ended(SectionID)
        /// logind answered a query.
        case logind(limit: Duration, preparing: SleepCause?)
        case logindGone
        /// logind answered a request for a lock.
        case locked(Bool)
        case prepare(SleepCause)
        /// blekeep has disconnected, and written all readings to disk.
        case flushed
        case resume
        /// The clocks show a sleep, announced or not.
        case slept(Duration)
        case time
    }

    enum Effect: Sendable, Hashable {
        case takeLock
        case releaseLock
        /// Call the handlers of these sections, in this order.
        case expire([SectionID])
        case overdue(name: String)
        case preparing(SleepCause)
        case resumed(String)
        /// Query logind again.
        case verify
    }

    enum Phase: Sendable, Hashable {
        case awake
        case preparing(SleepCause, since: Uptime)
        case asleep(SleepCause, since: Uptime)
    }

    private(set) var phase = Phase.awake
    private(set) var limit: Duration = .seconds(5)
    private var sections = WorkSections()
    private var isFlushed = false
    private var isThere = false
    private var hasLock = false
    private var retry = Uptime.never
    /// Consecutive refusals of the lock.
    private var refusals = 0
    private var verification = Uptime.never
    private var verifications = 0

    /// The pauses before the lock is asked for again: twice as long each time, because a logind that is only busy gives it soon.
    private static let firstLockPause: Duration = .seconds(10)
    private static let maxLockPause: Duration = .seconds(300)
    /// The time after which logind is queried about a sleep that didn't come, or whose end it didn't report.
    static let verifyAfter: Duration = .seconds(10)
    static let maxVerifications = 30

    var openSections: [String] { sections.names }

    mutating func step(_ event: Event, at now: Uptime) -> [Effect] { take(event, at: now) + pass(at: now) }

    private mutating func take(_ event: Event, at now: Uptime) -> [Effect] {
        switch event {
        case .began(let id, let name, let budget): sections.begin(id, name: name, until: now + budget)
        case .ended(let id): sections.end(id)
        case .logind(let limit, let cause): return logind(limit: limit, preparing: cause, at: now)
        case .logindGone: return logindGone()
        case .locked(let isHeld):
            hasLock = isHeld
            retry = isHeld ? .never : now + min(Self.firstLockPause * (1 << min(refusals, 9)), Self.maxLockPause)
            refusals = isHeld ? 0 : refusals + 1
        case .prepare(let cause): return prepare(cause, at: now)
        case .flushed: isFlushed = true
        case .resume: return resume("the machine is awake again")
        case .slept(let duration):
            if phase == .awake { return resume("the machine slept for \(DurationText.seconds(duration))") }
        case .time: break
        }
        return []
    }

    /// The time of the next step without an event.
    var nextWake: Uptime {
        switch phase {
        case .awake: return min(retry, sections.nextEnd)
        case .preparing(let cause, let since):
            let times = SleepTimes(cause, since: since, limit: limit)
            return sections.areExpired ? times.release : min(times.expiry, times.release)
        case .asleep: return verification
        }
    }

    /// Returns the time until the machine sleeps; `nil` when no sleep is announced.
    func remaining(at now: Uptime) -> Duration? {
        switch phase {
        case .awake: nil
        case .preparing(let cause, let since), .asleep(let cause, let since):
            max(.zero, SleepTimes(cause, since: since, limit: limit).end - now)
        }
    }

    // MARK: Events

    private mutating func logind(limit: Duration, preparing cause: SleepCause?, at now: Uptime) -> [Effect] {
        isThere = true
        self.limit = max(.zero, limit)
        switch phase {
        case .awake:
            if let cause { return prepare(cause, at: now) }
            return hasLock ? [] : [.takeLock]
        case .asleep where cause == nil: return resume("the machine is awake again")
        default: return []
        }
    }

    private mutating func logindGone() -> [Effect] {
        isThere = false
        retry = .never
        return drop() + (phase == .awake ? [] : resume("logind stopped"))
    }

    private mutating func prepare(_ cause: SleepCause, at now: Uptime) -> [Effect] {
        guard phase == .awake || cause == .termination && !isTerminating else { return [] }
        phase = .preparing(cause, since: now)
        isFlushed = false
        retry = .never
        return [.preparing(cause)]
    }

    private var isTerminating: Bool {
        switch phase {
        case .preparing(.termination, _), .asleep(.termination, _): true
        default: false
        }
    }

    private mutating func resume(_ how: String) -> [Effect] {
        guard !isTerminating else { return [] }
        phase = .awake
        verification = .never
        return drop() + [.resumed(how)] + (isThere ? [.takeLock] : [])
    }

    private mutating func drop() -> [Effect] {
        defer { hasLock = false }
        return hasLock ? [.releaseLock] : []
    }

    // MARK: Time

    private mutating func pass(at now: Uptime) -> [Effect] {
        switch phase {
        case .awake:
            let overdue: [Effect] = sections.expireOverdue(at: now).flatMap {
                [.overdue(name: $0.name), .expire([$0.id])]
            }
            guard now >= retry, isThere else { return overdue }
            retry = .never
            return overdue + [.takeLock]
        case .preparing(let cause, let since):
            let times = SleepTimes(cause, since: since, limit: limit)
            let expired: [Effect] =
                now >= times.expiry && !sections.areExpired ? [.expire(sections.expireAll())] : []
            guard now >= times.release || isFlushed && sections.isEmpty else { return expired }
            phase = .asleep(cause, since: since)
            verification = cause == .termination ? .never : now + Self.verifyAfter
            verifications = 0
            return expired + drop()
        case .asleep:
            guard now >= verification else { return [] }
            verifications += 1
            verification = now + Self.verifyAfter
            return [.verify] + (verifications >= Self.maxVerifications ? resume("the machine didn't sleep") : [])
        }
    }
}

/// The reason why work must end soon.
package enum SleepCause: String, Sendable, Hashable, CaseIterable {
    case sleep
    case shutdown
    /// The program must end, for instance after SIGTERM. It has its own grace period.
    case termination
}

/// The deadlines before a sleep, a shutdown, or the end of the program.
package struct SleepTimes: Sendable, Hashable {
    /// When open work expires.
    let expiry: Uptime
    /// When blekeep releases the lock, even with open work.
    package let release: Uptime
    /// When the machine sleeps, even with a lock.
    package let end: Uptime

    static let untilExpiry: Duration = .seconds(2)
    static let forHandlers: Duration = .milliseconds(1500)
    static let beforeLimit: Duration = .milliseconds(500)
    /// How long the program runs on after SIGTERM.
    package static let grace: Duration = .seconds(2)
    static let untilTermination: Duration = .milliseconds(500)

    /// - Parameter limit: how long logind waits for locks.
    package init(_ cause: SleepCause, since: Uptime, limit: Duration) {
        guard cause != .termination else {
            expiry = since + Self.untilTermination
            release = since + Self.grace
            end = since + Self.grace
            return
        }
        expiry = since + max(.zero, min(Self.untilExpiry, limit - Self.beforeLimit - Self.forHandlers))
        release = min(expiry + Self.forHandlers, since + max(.zero, limit - Self.beforeLimit))
        end = since + limit
    }
}

/// The open sections of work, in the order of their beginning.
struct WorkSections: Sendable {
    struct Section: Sendable {
        let id: SleepState.SectionID
        let name: String
        /// When its budget is used up.
        let end: Uptime
        fileprivate(set) var isExpired = false
    }

    private var sections: [Section] = []

    var isEmpty: Bool { sections.isEmpty }

    var names: [String] { sections.map(\.name) }

    var areExpired: Bool { sections.allSatisfy(\.isExpired) }

    /// When the next section uses up its budget.
    var nextEnd: Uptime { sections.lazy.filter { !$0.isExpired }.map(\.end).min() ?? .never }

    mutating func begin(_ id: SleepState.SectionID, name: String, until end: Uptime) {
        sections.append(Section(id: id, name: name, end: end))
    }

    mutating func end(_ id: SleepState.SectionID) { sections.removeAll { $0.id == id } }

    /// Expires the sections that used up their budget, and returns them in the order of their beginning.
    mutating func expireOverdue(at now: Uptime) -> [Section] {
        var overdue: [Section] = []
        for index in sections.indices where !sections[index].isExpired && now >= sections[index].end {
            sections[index].isExpired = true
            overdue.append(sections[index])
        }
        return overdue
    }

    /// Expires all sections, and returns those that weren't expired before, the newest first.
    mutating func expireAll() -> [SleepState.SectionID] {
        let left = sections.reversed().filter { !$0.isExpired }.map(\.id)
        for index in sections.indices { sections[index].isExpired = true }
        return left
    }
}
