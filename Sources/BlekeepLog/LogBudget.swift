import RunLoop

/// The limit of the log: 1,000 lines in a window of 30 s.
///
/// After a window that reached the limit, the next one has a quarter of it, so that a fault of hours doesn't fill the
/// disk. A quiet window restores it step by step. Later, one line reports the number of suppressed lines.
struct LogBudget: Sendable {
    static let window: Duration = .seconds(30)
    static let maxLines = 1000
    static let minLines = 2

    private var start: Uptime?
    private var allowance = Self.maxLines
    private var used = 0
    private(set) var suppressed = 0

    enum Verdict: Hashable, Sendable {
        case write
        /// Write, but first report the number of suppressed lines.
        case report(suppressed: Int)
        case suppress
    }

    mutating func decide(at now: Uptime) -> Verdict {
        if start.map({ now - $0 >= Self.window }) ?? true {
            allowance = suppressed > 0 ? max(Self.minLines, allowance / 4) : min(Self.maxLines, allowance * 4)
            start = now
            used = 0
            if suppressed > 0 {
                defer { suppressed = 0 }
                used = 2
                return .report(suppressed: suppressed)
            }
        }
        guard used < allowance else {
            suppressed += 1
            return .suppress
        }
        used += 1
        return .write
    }
}
