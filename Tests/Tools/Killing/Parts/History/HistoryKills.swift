import Blekeep
import BlekeepHistory
import BlekeepSimulation
import GRDB
import Glibc
import RunLoop

/// Repeatedly kills a process that appends to a history, and recounts the history each time.
package struct HistoryKills {
    /// The result of many kills.
    package struct ActivityCounter: Sendable {
        package var kills = 0
        /// The number of kills by the step in progress.
        package var moments: [String: Int] = [:]
        package var readings: Int64 = 0
        /// Readings that had made room for others.
        package var trimmed: Int64 = 0
        package var slowestOpening: Duration = .zero
        package var problems: [String] = []
    }

    /// Kills of one history: it goes on where it was killed.
    private static let killsPerHistory = 40

    private let program: String
    private let load: Load
    private let folder: TrialFolder
    private var dice: SplitMix64
    private var recount = Recount()
    private var nextBatch = 0
    private var tally = ActivityCounter()

    /// - Parameters:
    ///   - program: the program that plays the other role.
    ///   - report: called now and then.
    package static func run(
        _ kills: Int, seed: UInt64, program: String, report: (ActivityCounter) -> Void = { _ in }
    ) throws -> ActivityCounter {
        var all = ActivityCounter()
        var number: UInt64 = 0
        while all.kills < kills, all.problems.count < 20 {
            let own = seed &+ number
            var trial = try HistoryKills(own, program)
            try trial.run(min(killsPerHistory, kills - all.kills))
            all.add(trial.tally, "seed \(own)")
            number += 1
            report(all)
        }
        return all
    }

    private init(_ seed: UInt64, _ program: String) throws {
        self.program = program
        load = Load(seed: seed)
        folder = try TrialFolder()
        dice = SplitMix64(seed: ~seed)
    }

    private mutating func run(_ kills: Int) throws {
        for kill in 0..<kills where tally.problems.isEmpty {
            try killOnce(kill)
        }
        guard tally.problems.isEmpty else { return }
        let begin = ContinuousClock.now
        let history = try History(path: folder.history, limits: HistoryWriter.limits)
        tally.opened(within: ContinuousClock.now - begin)
        while history.needsUpkeep { try history.upkeep() }
        try check("at the end", isDone: true)
        tally.readings = recount.last
    }

    private mutating func killOnce(_ number: Int) throws {
        let child = try MarkedChild(
            ["writer", folder.history, "\(load.seed)", "\(nextBatch)"], of: program)
        // Some while the history is being opened, the others while it works.
        let isOpening = number < 3 || dice.below(6) == 0
        let marks = try child.kill(
            after: isOpening ? 1 : 3 + dice.below(80), microseconds: dice.below(isOpening ? 8000 : 700))
        tally.kills += 1
        var unknown: Load.Batch?
        for (mark, value) in marks.marks {
            switch mark {
            case .opened: tally.opened(within: .microseconds(value))
            case .appending:
                nextBatch = Int(value)
                unknown = load.batch(nextBatch)
            case .appended:
                if let batch = unknown { recount.take(batch, nextBatch) }
                unknown = nil
                nextBatch += 1
                if value > 0, value != recount.last {
                    tally.problems.append("kill \(number): the number \(value) was given instead of \(recount.last)")
                }
            default: break
            }
        }
        if let text = marks.failure { tally.problems.append("kill \(number): \(text)") }
        let state = try folder.state()
        tally.moments[Self.moment(marks.marks.last?.0, state), default: 0] += 1
        guard state != .unmade || recount.last > 0 else { return }
        // The last commit is there or not, but not in part.
        if let batch = unknown, !batch.readings.isEmpty, try folder.newest() > recount.last {
            recount.take(batch, nextBatch)
            nextBatch += 1
        }
        try check("kill \(number)")
    }

    private mutating func check(_ what: String, isDone: Bool = false) throws {
        do {
            let findings = try recount.compare(try HistoryReader(path: folder.history), isDone: isDone)
            tally.trimmed = findings.oldest - 1
            tally.problems += findings.problems.prefix(3).map { "\(what): \($0)" }
        } catch {
            tally.problems.append("\(what): \(error)")
        }
        let copies = HistoryCopies.all(of: folder.history)
        if !copies.isEmpty { tally.problems.append("\(what): it was held for damaged, and lies in \(copies)") }
    }

    private static func moment(_ mark: HistoryWriter.Mark?, _ state: TrialFolder.State) -> String {
        switch (mark, state) {
        case (nil, _), (.opening?, .unmade): "making"
        case (.opening?, _): "opening"
        case (.appending?, .trimming): "commit with a trim"
        case (.appending?, _): "commit"
        case (.keeping?, .correcting): "correction of times"
        case (.keeping?, .rolling): "rollup"
        case (.keeping?, _): "other upkeep"
        default: "between them"
        }
    }
}

extension HistoryKills.ActivityCounter {
    /// The longest that an opening may take.
    static let longestOpening: Duration = .seconds(2)

    fileprivate mutating func opened(within time: Duration) {
        slowestOpening = max(slowestOpening, time)
        if time > Self.longestOpening { problems.append("it took \(time) to open") }
    }

    fileprivate mutating func add(_ other: Self, _ name: String) {
        kills += other.kills
        moments.merge(other.moments, uniquingKeysWith: +)
        readings += other.readings
        trimmed += other.trimmed
        slowestOpening = max(slowestOpening, other.slowestOpening)
        problems += other.problems.map { "\(name): \($0)" }
    }
}
