import Blekeep
import BlekeepOutputs
import Foundation
import SampleReadings
import Testing

@testable import BlekeepCLI
@testable import BlekeepHistory

/// A freezer that was warm while blekeep was away, and whose own memory says so.
@Suite struct MissedRulesTests {
    private static let address = BluetoothAddress(bits: 0xF000_0000_0001)
    /// A whole hour.
    private static let start: Int64 = 1_795_694_400_000
    private let folder: TemporaryFolder
    private let path: String
    private var configuration = PollConfiguration(devices: [DeviceConfiguration(alias: "freezer", address: address)])

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
        configuration.rules = try ["temperature of freezer > -15 °C for 10m", "no temperature of freezer for 10m"]
            .enumerated().map { Rule(name: "rule-\($0)", when: try Rule.Condition($1)) }
    }

    private func reading(_ minute: Int64, _ value: Double, isLogged: Bool) -> Reading {
        var reading = Reading(
            time: Self.start + minute * 60_000, tick: 0, device: "freezer", address: Self.address, service: nil,
            characteristic: nil, name: "Ruuvi",
            outcome: .value(Measurement(field: "temperature", value: .number(value), unit: "°C"), raw: []))
        reading.isLogged = isLogged
        return reading
    }

    /// The history, of eight hours without blekeep, in the middle of which the freezer was warm.
    private func fill(warm: ClosedRange<Int64>) throws {
        let history = try History(path: path)
        _ = try history.append(
            [reading(0, -20, isLogged: false), reading(485, warm.contains(485) ? -4 : -20, isLogged: false)],
            durable: false)
        let request = Self.start...Self.start + 490 * 60_000
        let all = stride(from: Int64(5), to: 480, by: 5).map {
            reading($0, warm.contains($0) ? -4 : -20, isLogged: true)
        }
        _ = try LoggedStore.append(
            LoggedReadings(
                id: DeviceID(Self.address), address: Self.address, readings: all, every: .seconds(300),
                request: request, answered: [request]), limits: HistoryLimits(HistoryConfiguration()), path: path)
        history.close()
    }

    private func facts(after minute: Int64, _ missed: inout MissedRules) throws -> [NoticeFact] {
        try missed.facts(configuration, now: Self.start + minute * 60_000, in: HistoryReader(path: path))
    }

    @Test func saysThatAValueWasBeyondItsLimitWhileNobodyLooked() throws {
        try fill(warm: 120...240)
        var missed = MissedRules()
        let facts = try facts(after: 491, &missed)
        #expect(facts.map(\.event) == [.ruleMissed] && facts.map(\.rule) == ["rule-0"])
        let fact = try #require(facts.first)
        #expect(fact.device == "freezer" && fact.address == Self.address)
        #expect(
            fact.message.contains(" for 1h55m, as its own memory says: ") && fact.message.contains("-4"),
            "\(fact.message)")
        // It is news once, also with a reminder and after a restart, and none a day later.
        var notice = NoticeConfiguration(command: ["/bin/true"])
        (notice.remind, notice.holdOff) = (.seconds(60), .zero)
        var memory = NoticeMemory()
        #expect(memory.news(facts, for: notice, most: 4, at: 0) == facts)
        missed = MissedRules()
        #expect(memory.news(try self.facts(after: 600, &missed), for: notice, most: 4, at: 9_000_000).isEmpty)
        #expect(try self.facts(after: 2000, &missed).isEmpty)
    }

    /// As with a timer that asks the memory each hour.
    @Test func aTimeThatGoesOnIsSaidOnce() throws {
        try fill(warm: 400...600)
        let request = Self.start + 480 * 60_000...Self.start + 550 * 60_000
        let more = stride(from: Int64(490), to: 545, by: 5).map { reading($0, -4, isLogged: true) }
        var missed = MissedRules()
        #expect(try facts(after: 491, &missed).map(\.event) == [.ruleMissed])
        let logged = LoggedReadings(
            id: DeviceID(Self.address), address: Self.address, readings: more, every: .seconds(300), request: request,
            answered: [request])
        #expect(try LoggedStore.append(logged, limits: HistoryLimits(HistoryConfiguration()), path: path).stored > 5)
        #expect(try facts(after: 551, &missed).isEmpty)
    }

    @Test func saysNothingOfWhatWasCold() throws {
        try fill(warm: 600...700)
        var missed = MissedRules()
        #expect(try facts(after: 491, &missed).isEmpty)
    }

    @Test func whatTheRuleSaidItselfIsNoNews() throws {
        try fill(warm: 120...240)
        let history = try History(path: path)
        var changes = LedgerChanges(poller: GatewayStatus(pid: 1, started: 1, seen: 1))
        var status = RuleStatus(rule: "rule-0", device: DeviceID(Self.address), condition: "x")
        let moment = RuleMoment(boot: "b", sinceBoot: 4, time: Self.start + 130 * 60_000, isSet: true)
        (status.phase, status.since, status.fired, status.firings) = (.firing, moment, moment, 1)
        changes.rules = [status]
        _ = try history.append([], nil, changes, durable: false)
        history.close()
        var missed = MissedRules()
        #expect(try facts(after: 491, &missed).isEmpty)
    }
}
