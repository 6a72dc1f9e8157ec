import RunLoop

/// How much the log may say: 1,000 lines in 30 s. After a window in which that was not enough the next one has a
/// quarter, so that what goes on for hours does not fill a disk; a quiet window gives it back. What was left out is
/// told in one line, when there is room again.
struct LogBudget: Sendable {
    static let window: Duration = .seconds(30)
    static let most = 1000
    static let least = 2

    private var start: Uptime?
    private var allowance = Self.most
    private var used = 0
    private(set) var suppressed = 0

    enum Verdict: Hashable, Sendable {
        case write
        /// Write, but first tell that so many lines were left out.
        case tell(suppressed: Int)
        case suppress
    }

    mutating func take(at now: Uptime) -> Verdict {
        if start.map({ now - $0 >= Self.window }) ?? true {
            allowance = suppressed > 0 ? max(Self.least, allowance / 4) : min(Self.most, allowance * 4)
            start = now
            used = 0
            if suppressed > 0 {
                defer { suppressed = 0 }
                used = 2
                return .tell(suppressed: suppressed)
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
