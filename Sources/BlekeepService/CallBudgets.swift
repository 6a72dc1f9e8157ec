import DBus
import RunLoop

/// Limits the calls of each program, so that none of them keeps the poller busy. Pure.
struct CallBudgets {
    private var budgets: [(sender: BusName, full: Uptime)] = []
    /// The calls that a program may make at once, and the time in which it gains one.
    private let most: Int
    private let pause: Duration

    /// The number of programs to remember. The oldest makes room.
    static let mostSenders = 64

    init(most: Int, every pause: Duration) {
        self.most = most
        self.pause = pause
    }

    /// - Returns: whether to answer the call.
    mutating func take(from sender: BusName, at now: Uptime) -> Bool {
        let index = budgets.firstIndex { $0.sender == sender }
        let from = max(index.map { budgets[$0].full } ?? now, now)
        guard from - now <= pause * (most - 1) else { return false }
        if let index { budgets.remove(at: index) }
        if budgets.count == Self.mostSenders { budgets.removeFirst() }
        budgets.append((sender, from + pause))
        return true
    }
}
