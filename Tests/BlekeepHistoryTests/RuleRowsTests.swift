import BlekeepRecords
import GRDB
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepHistory

/// The rules in the ledger, and what a rule would have done.
@Suite struct RuleRowsTests {
    let folder: TemporaryFolder
    let path: String
    private let greenhouse = DeviceID(BluetoothAddress(bits: 0xF000_0000_0001))

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    private func status(_ rule: String, _ phase: RuleStatus.Phase) -> RuleStatus {
        var status = RuleStatus(rule: rule, device: greenhouse, condition: "temperature of a > 3 °C")
        let moment = RuleMoment(boot: "b", sinceBoot: 4, time: 5, isSet: false)
        (status.phase, status.since, status.fired, status.firings) = (phase, moment, moment, 3)
        status.message = "temperature is 4 °C"
        return status
    }

    @Test func comeBackAfterACrash() throws {
        let history = try History(path: path)
        var changes = LedgerChanges(poller: GatewayStatus(pid: 1, started: 1000, seen: 1000))
        changes.rules = [status("a", .pending), status("b", .firing)]
        _ = try history.append([], nil, changes, durable: false)
        #expect(try history.lastRules() == changes.rules)
        #expect(try HistoryReader(path: path).rules() == changes.rules)
        // Another run shows its own rules, and knows the others.
        var next = LedgerChanges(poller: GatewayStatus(pid: 2, started: 2000, seen: 2000))
        next.rules = [status("b", .calm)]
        _ = try history.append([], nil, next, durable: false)
        #expect(try HistoryReader(path: path).rules() == next.rules)
        #expect(try history.lastRules().map(\.rule) == ["a", "b"])
        var left = LedgerChanges()
        left.leftRules = [RuleKey(rule: "b", device: greenhouse)]
        _ = try history.append([], nil, left, durable: false)
        #expect(try HistoryReader(path: path).rules() == [])
    }

    @Test func theTableIsBounded() throws {
        let history = try History(path: path)
        for run in 1...3 {
            var changes = LedgerChanges(poller: GatewayStatus(pid: 1, started: Int64(run), seen: Int64(run)))
            changes.rules = (0..<Rule.maxPairs).map { status("r\(run)-\($0)", .calm) }
            _ = try history.append([], nil, changes, durable: false)
        }
        #expect(try history.lastRules().count == 2 * Rule.maxPairs)
    }

    /// Damaged rows are as if they weren't there.
    @Test func skipsDamagedRows() throws {
        let history = try History(path: path)
        var changes = LedgerChanges(poller: GatewayStatus(pid: 1, started: 1, seen: 1))
        changes.rules = [status("a", .pending), status("b", .firing)]
        _ = try history.append([], nil, changes, durable: false)
        history.close()
        try DatabaseQueue(path: path).write { try $0.execute(sql: "UPDATE rules SET phase = 'odd' WHERE rule = 'a'") }
        #expect(try HistoryReader(path: path).rules().map(\.rule) == ["b"])
    }

    // MARK: The log

    private func wet(_ number: Int64, at time: Int64, until end: Int64? = nil) -> RuleStatus {
        var status = RuleStatus(rule: "wet", device: greenhouse, condition: "humidity > 70 %")
        (status.phase, status.firings) = (end == nil ? .firing : .calm, number)
        (status.fired, status.ended) = (RuleMoment(time: time), end.map { RuleMoment(time: $0) })
        status.message = end == nil ? "humidity is 71 %" : "humidity is 60 %"
        return status
    }

    private func write(_ statuses: RuleStatus..., to history: History, run: Int64 = 1) throws {
        for status in statuses {
            var changes = LedgerChanges(poller: GatewayStatus(pid: 1, started: run, seen: run))
            changes.rules = [status]
            _ = try history.append([], nil, changes, durable: false)
        }
    }

    @Test func firingsAreLogged() throws {
        let history = try History(path: path)
        try write(wet(1, at: 10), wet(1, at: 10, until: 20), wet(2, at: 30), to: history)
        let first = RuleFiring(
            rule: "wet", device: greenhouse, fired: 10, ended: 20, isOver: true, cause: "humidity is 71 %",
            ending: "humidity is 60 %")
        let second = RuleFiring(
            rule: "wet", device: greenhouse, fired: 30, ended: nil, isOver: false, cause: "humidity is 71 %",
            ending: nil)
        let reader = try HistoryReader(path: path)
        func found(_ time: ClosedRange<Int64>, limit: Int = 10) throws -> [RuleFiring] {
            try reader.firings(of: [greenhouse], in: time, limit: limit)
        }
        #expect(try found(0...100) == [first, second] && found(0...100, limit: 1) == [second])
        #expect(try found(15...25) == [first] && found(21...29) == [] && found(50...60) == [second])
        #expect(try reader.firings(of: [], in: 0...100, limit: 10) == [])
        // Another phase of the same firing changes nothing.
        var pending = wet(1, at: 10, until: 20)
        (pending.phase, pending.message) = (.pending, "other")
        try write(pending, to: history)
        #expect(try found(0...20) == [first])
        // In a later run without the rule, nobody knows when it ended.
        try write(status("other", .calm), to: history, run: 2)
        #expect(try found(25...35).map(\.isOver) == [true] && found(50...60) == [])
    }

    @Test func theLogIsBounded() throws {
        let history = try History(path: path)
        for number in 1...LedgerRows.maxFiringsOfOne + 5 { try write(wet(number, at: number), to: history) }
        let found = try HistoryReader(path: path).firings(of: [greenhouse], in: 0...10_000, limit: 10_000)
        #expect(found.count <= Int(LedgerRows.maxFiringsOfOne))
        #expect(found.last?.fired == LedgerRows.maxFiringsOfOne + 5)
        try DatabaseQueue(path: path).write {
            try $0.execute(
                sql: """
                    WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n LIMIT \(LedgerRows.maxFirings))
                    INSERT INTO firings SELECT 'f00000000002', 'x', n, 1000000 + n, NULL, NULL, NULL FROM n
                    """)
        }
        var other = RuleStatus(rule: "new", device: greenhouse, condition: "")
        (other.phase, other.firings, other.fired) = (.firing, 1, RuleMoment(time: 2_000_000))
        try write(other, to: history)
        let count = try DatabaseQueue(path: path).read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM firings") ?? 0
        }
        #expect(count == LedgerRows.maxFirings)
    }

    // MARK: Trials

    private func trial(_ when: String, until: String? = nil, minutes: Int64) throws -> RuleTrial {
        let rule = Rule(name: "r", when: try Rule.Condition(when), until: try until.map { try Rule.End($0) })
        return try RuleTrial(
            rule, devices: [greenhouse], since: someTime, now: someTime + minutes * 60_000,
            in: HistoryReader(path: path))
    }

    /// Ten hours with a value a minute: 2 °C, but 8 °C in the third hour, and none in the sixth.
    private func fill() throws {
        let history = try History(path: path)
        for hour: Int64 in 0..<10 where hour != 5 {
            let readings = try (0..<60).map { minute in
                try makeReading(
                    makeValue(.number(hour == 2 ? 8 : 2)), time: someTime + (hour * 60 + Int64(minute)) * 60_000)
            }
            _ = try history.append(readings, durable: true)
        }
        while history.needsUpkeep { try history.upkeep() }
        history.close()
    }

    @Test func aTrialSaysWhenARuleWouldHaveFired() throws {
        try fill()
        let warm = try trial("temperature of a > 3 °C for 15m", minutes: 600)
        #expect(warm.count == 1 && warm.summaries > 100)
        let firing = try #require(warm.firings.first)
        #expect(abs(firing.from - (someTime + 135 * 60_000)) <= 300_000)
        #expect(abs(try #require(firing.to) - (someTime + 180 * 60_000)) <= 300_000)
        #expect(try trial("temperature of a > 3 °C for 2h", minutes: 600).count == 0)
        #expect(try trial("temperature of a rises 5 °C in 30m", minutes: 600).count == 1)
        #expect(try trial("battery of a < 20 %", minutes: 600).summaries == 0)
        let silence = try trial("no value of a for 30m", minutes: 600)
        #expect(silence.count == 1 && silence.firings.first?.to != nil)
        #expect(abs(try #require(silence.firings.first).from - (someTime + 330 * 60_000)) <= 300_000)
        let still = try trial("no value of a for 30m", minutes: 700)
        #expect(still.count == 2 && still.firings.last?.to == nil)
    }

    /// Two devices with several fields that come at different times, with gaps of 10 to 90 minutes. The newest readings aren't
    /// in the rollups. Returns the end.
    private func fillWithGaps() throws -> Int64 {
        let history = try History(path: path)
        var random = SplitMix64(seed: 53)
        var time = someTime
        for number in 0..<400 {
            let fields = ["temperature", "battery", "battery_level", "humidity"].filter { _ in
                Bool.random(using: &random)
            }
            var readings = try fields.flatMap { field in
                try ["F0:00:00:00:00:01", "F0:00:00:00:00:02"].filter { _ in Bool.random(using: &random) }.map {
                    address in
                    let value = MeasuredValue.number(Double(Int.random(in: 0...100, using: &random)))
                    return try makeReading(makeValue(value, field: field, unit: "%"), time: time, address: address)
                }
            }
            // A failed read and a special value are no values.
            readings.append(try makeReading(makeFailure(), time: time, address: "F0:00:00:00:00:01"))
            readings.append(try makeReading(makeValue(nil, field: "temperature", unit: "%"), time: time))
            _ = try history.append(readings, durable: false)
            time += number % 40 == 39 ? Int64.random(in: 600_000...5_400_000, using: &random) : 120_000
            if number == 350 { while history.needsUpkeep { try history.upkeep() } }
        }
        history.close()
        return time
    }

    /// Another way to the same: all summaries, one after the other.
    @Test(arguments: [
        "no value of all for 15m", "no value of all for 1h", "battery of all < 20 %",
    ])
    func aQuickTrialSaysTheSameAsAllSummaries(_ when: String) throws {
        let now = try fillWithGaps()
        let rolled = try DatabaseQueue(path: path).read {
            try Int64.fetchOne($0, sql: "SELECT max(start) * 300000 FROM rollups WHERE minutes = 5")
        }
        #expect((someTime + 3_600_000..<now - 3_600_000).contains(try #require(rolled)))
        let devices = [greenhouse, DeviceID(BluetoothAddress(bits: 0xF000_0000_0002))]
        let rule = Rule(name: "r", when: try Rule.Condition(when), until: nil)
        let reader = try HistoryReader(path: path)
        let trial = try RuleTrial(rule, devices: devices, since: someTime, now: now, in: reader)
        var query = HistoryQuery(since: someTime, until: now)
        query.devices = devices
        var all: [Summary] = []
        try reader.summaries(query, every: .fiveMinutes) { summary in
            guard let field = summary.key.field, summary.last != nil,
                rule.when.isAbout(field, instance: summary.key.source.instance)
            else { return }
            all.append(summary)
        }
        #expect(trial.summaries == all.count)
        #expect(trial.first == all.first?.start)
        #expect(trial.devices == Set(all.map(\.id)))
        #expect(trial.count > 0)
        guard case .silence = rule.when.test else { return }
        var expected: [DeviceID: [Int64]] = [:]
        for (device, summaries) in Dictionary(grouping: all, by: \.id) {
            let times = summaries.map { min($0.start + $0.milliseconds - 1, now) } + [now]
            let length = rule.when.length.wholeMilliseconds
            expected[device] = zip(times, times.dropFirst()).filter { $1 - $0 >= length }.map { $0.0 + length }
        }
        let got = Dictionary(grouping: trial.firings, by: \.device).mapValues { $0.map(\.from) }
        #expect(got == expected.filter { !$0.value.isEmpty })
    }
}
