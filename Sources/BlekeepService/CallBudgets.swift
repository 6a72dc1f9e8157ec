import DBus
import RunLoop

/// Limits the calls of each user, so that none of them keeps the poller busy. Pure.
struct CallBudgets {
    private var budgets: [(user: UInt32, full: Uptime)] = []
    /// The calls that a user may make at once, and the time in which the user gains one.
    private let maxCalls: Int
    private let pause: Duration

    /// The number of users to remember. The oldest makes room.
    static let maxUsers = 64

    init(maxCalls: Int, every pause: Duration) { (self.maxCalls, self.pause) = (maxCalls, pause) }

    /// - Returns: whether to answer the call.
    mutating func spend(by user: UInt32, at now: Uptime) -> Bool {
        let index = budgets.firstIndex { $0.user == user }
        let from = max(index.map { budgets[$0].full } ?? now, now)
        guard from - now <= pause * (maxCalls - 1) else { return false }
        if let index { budgets.remove(at: index) }
        if budgets.count == Self.maxUsers { budgets.removeFirst() }
        budgets.append((user, from + pause))
        return true
    }
}

/// Decides which calls to answer, by the user of the calling program: a program may have hundreds of connections. Pure.
///
/// The first call of a connection waits until the bus daemon has named the connection's user.
struct Callers {
    private var users: [BusName: UInt32] = [:]
    /// The connections with a known user, the oldest first.
    private var order: [BusName] = []
    /// The connections without, and the number of their calls that wait.
    private var unknown: [BusName: Int] = [:]
    private var queries: [BusName] = []
    private var answers = CallBudgets(maxCalls: 50, every: .milliseconds(100))
    /// More refusals than these would fill the connection to the bus, which then delays the answers of all other users.
    private var refusals = CallBudgets(maxCalls: 100, every: .milliseconds(100))

    /// A daemon allows 256 connections of a user.
    static let maxKnown = 1024
    static let maxUnknown = 512
    /// The number of calls of a connection that may wait.
    static let maxWaiting = 4

    mutating func admission(of sender: BusName, at now: Uptime) -> Admission {
        guard let user = users[sender] else { return wait(sender) }
        if answers.spend(by: user, at: now) { return .answer }
        return refusals.spend(by: user, at: now) ? .refuse("too many calls; blekeep takes 10 a second") : .ignore
    }

    private mutating func wait(_ sender: BusName) -> Admission {
        let count = unknown[sender]
        guard count != nil || unknown.count < Self.maxUnknown, count ?? 0 < Self.maxWaiting else { return .ignore }
        if count == nil { queries.append(sender) }
        unknown[sender] = (count ?? 0) + 1
        return .wait
    }

    func user(of sender: BusName) -> UInt32? { users[sender] }

    /// Returns a connection whose user the daemon must name; `nil` when there is none.
    mutating func nextQuery() -> BusName? { queries.isEmpty ? nil : queries.removeFirst() }

    /// Takes a connection's user; `nil` when the connection is gone.
    mutating func know(_ sender: BusName, user: UInt32?) {
        unknown[sender] = nil
        guard let user else { return }
        if users.updateValue(user, forKey: sender) == nil { order.append(sender) }
        if order.count > Self.maxKnown { users[order.removeFirst()] = nil }
    }
}
