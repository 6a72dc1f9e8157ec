import Logging
import RunLoop
import Synchronization
import Testing

@testable import BlekeepLog
@testable import BlekeepRecords

@Suite struct LogBudgetTests {
    /// Returns the number of written lines for each window, with the reports of suppressed ones.
    private func flood(lines: Int, every step: Duration, _ isSaid: (Int) -> Bool = { _ in true }) -> [Int] {
        var budget = LogBudget()
        var windows: [Int] = []
        for number in 0..<lines where isSaid(number) {
            let now = Uptime.start + step * number
            let window = Int(now.sinceStart.components.seconds / 30)
            while windows.count <= window { windows.append(0) }
            switch budget.decide(at: now) {
            case .write: windows[window] += 1
            case .report: windows[window] += 2
            case .suppress: break
            }
        }
        return windows
    }

    /// A hundred a second; ten thousand take the same way, and too long in this build (`blekeep-fuzz log`).
    @Test func aHundredErrorsASecondForAnHour() {
        let windows = flood(lines: 360_000, every: .milliseconds(10))
        #expect(windows.count == 120)
        #expect(windows.allSatisfy { $0 <= 1000 })
        #expect(windows.reduce(0, +) <= 2000)
    }

    /// The same from a hundred different places, each thinned out as the ledger does it.
    @Test func thinnedOutItIsLessStill() {
        var repeats = (0..<10).map { _ in Repeats() }
        let windows = flood(lines: 72_000, every: .milliseconds(50)) { number in
            repeats[number % 10].count(.other("code \(number / 10 % 10)")) != nil
        }
        #expect(windows.allSatisfy { $0 <= 1000 })
        #expect(windows.reduce(0, +) <= 2000)
    }

    @Test func neverSuppressesUsualLines() {
        #expect(flood(lines: 10_000, every: .milliseconds(31)).reduce(0, +) == 10_000)
    }

    @Test func aBurstIsOverWhenItIsOver() {
        var budget = LogBudget()
        for _ in 0..<5000 { _ = budget.decide(at: .start) }
        #expect(budget.decide(at: .start + .seconds(31)) == .report(suppressed: 4000))
        #expect(budget.decide(at: .start + .seconds(62)) == .write)
        for _ in 0..<998 { #expect(budget.decide(at: .start + .seconds(63)) == .write) }
    }

    @Test func reportsTheNumberOfSuppressedLines() {
        let lines = Lines()
        let time = Moment()
        let handler = StandardErrorLog(
            level: .info, isJournal: false, budget: .init(), now: { time.now }, write: lines.add)
        func log() {
            handler.log(
                event: .init(
                    level: .notice, message: "again", metadata: nil, source: "", file: "", function: "", line: 0))
        }
        for _ in 0..<1500 { log() }
        #expect(lines.all.count == 1000)
        time.now = .start + .seconds(30)
        log()
        #expect(lines.all.suffix(2) == ["warning: suppressed 500 lines of the log: too many at once", "notice: again"])
    }
}

private final class Moment: @unchecked Sendable {
    var now = Uptime.start
}

private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    @Sendable func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}
