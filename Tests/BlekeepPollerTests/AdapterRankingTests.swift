import BlekeepRecords
import DBus
import RunLoop
import Testing

@testable import BlekeepPoller

@Suite struct AdapterRankingTests {
    private let adapters: [ObjectPath] = ["/org/bluez/hci0", "/org/bluez/hci1"]
    private var first: ObjectPath { adapters[0] }
    private var second: ObjectPath { adapters[1] }

    /// Each of these adapters hears the device this strongly.
    private func ranking(_ strengths: Int?..., at now: Uptime = .start) -> AdapterRanking {
        var ranking = AdapterRanking()
        for (adapter, strength) in zip(adapters, strengths) {
            if let strength { ranking.heard(strength, with: adapter, at: now) }
        }
        return ranking
    }

    /// Each adapter knows the device, unless `knowing` says otherwise.
    private func choose(
        _ ranking: inout AdapterRanking, current: ObjectPath?, knowing: [ObjectPath]? = nil, at now: Uptime = .start
    ) -> ObjectPath {
        ranking.choose(among: adapters, current: current, knowing: knowing ?? adapters, at: now)
    }

    @Test func theStrongestIsFirst() {
        for (strengths, best) in [((-60, -59), 1), ((-60, -60), 0), ((-95, nil), 0), ((nil, -95), 1), ((nil, nil), 0)] {
            var ranking = ranking(strengths.0, strengths.1)
            #expect(choose(&ranking, current: nil) == adapters[best], "\(strengths)")
        }
    }

    @Test func theOneInUseIsLeftOnlyForAMuchBetterOne() {
        for (strength, best) in [(-60, 0), (-46, 0), (-43, 1)] {
            var ranking = ranking(-60, nil)
            _ = choose(&ranking, current: nil)
            ranking.worked()
            ranking.heard(strength, with: second, at: .start)
            #expect(choose(&ranking, current: first) == adapters[best], "\(strength)")
            #expect(ranking.moves == best)
        }
    }

    /// An adapter that worked is outdone by one that reads the device while it fails and hears nothing.
    @Test func anAdapterIsOutdoneByAnotherOne() {
        var ranking = ranking(-60, nil)
        _ = choose(&ranking, current: nil)
        #expect(ranking.isOutdone(first) == nil)
        ranking.worked()
        for failures in 1...2 {
            #expect(ranking.isOutdone(first) == false, "\(failures)")
            ranking.failed()
        }
        #expect(choose(&ranking, current: first, knowing: [second]) == second)
        #expect(ranking.isOutdone(first) == true && ranking.isOutdone(second) == nil)
        var hearing = ranking
        hearing.heard(-60, with: first, at: .start)
        #expect(hearing.isOutdone(first) == false)
        ranking.forgive(first)
        #expect(ranking.isOutdone(first) == nil)
    }

    /// Each packet differs by up to 6 dB from the mean, for a day.
    @Test func noiseMovesNothing() {
        var random = SplitMix64(seed: 1)
        var ranking = ranking(-70, -70)
        var current = choose(&ranking, current: nil)
        ranking.worked()
        for second in 1...86_400 {
            let now = Uptime.start + .seconds(second)
            for adapter in adapters {
                ranking.heard(-70 + Int.random(in: -6...6, using: &random), with: adapter, at: now)
            }
            current = choose(&ranking, current: current, at: now)
        }
        #expect(ranking.moves == 0 && current == first)
    }

    /// A single failure may be the device's. A second one isn't waited for on an adapter that may hang.
    @Test func twoFailuresLeaveForOneThatHearsIt() {
        var ranking = ranking(-40, -90)
        _ = choose(&ranking, current: nil)
        ranking.worked()
        ranking.failed()
        #expect(choose(&ranking, current: first) == first && !ranking.isDoubtful)
        ranking.failed()
        #expect(ranking.isDoubtful)
        #expect(choose(&ranking, current: first) == second)
        #expect(ranking.reason == "hci0 failed 2 times" && !ranking.isDoubtful)
    }

    /// Also one that doesn't know the device yet, which costs a search.
    @Test func oneThatKnowsTheDeviceIsTriedLonger() {
        var ranking = ranking(nil, nil)
        var current = choose(&ranking, current: nil, knowing: [first])
        var failures = 0
        while current == first, failures < 99 {
            ranking.failed()
            failures += 1
            current = choose(&ranking, current: current, knowing: [first])
        }
        #expect(failures == 4)
    }

    /// An adapter that hears the device well and can't connect it isn't the only one that is tried, nor are others.
    @Test func thoseThatFailComeInTurn() {
        var ranking = ranking(-40, nil)
        var current = choose(&ranking, current: nil)
        ranking.worked()
        var ticks = [first: 0, second: 0]
        var longest = 0, length = 0
        for tick in 0..<100 {
            let now = Uptime.start + .seconds(30 * tick)
            for _ in 1...3 { ranking.failed() }
            ticks[current, default: 0] += 1
            let next = choose(&ranking, current: current, at: now)
            length = next == current ? length + 1 : 1
            (current, longest) = (next, max(longest, length))
        }
        #expect(ticks.values.allSatisfy { $0 >= 40 } && longest <= 3, "\(ticks) \(longest)")
    }

    @Test func aSignalOfLongAgoSaysNothing() {
        var ranking = ranking(-40, nil)
        _ = choose(&ranking, current: nil)
        let later = Uptime.start + .seconds(601)
        ranking.heard(-80, with: second, at: later)
        #expect(choose(&ranking, current: first, at: later) == second)
    }

    /// Also one that still seems on: BlueZ takes its word for it.
    @Test func oneThatMissesWhatAnotherHearsIsLeft() {
        var ranking = ranking(-60, -80)
        var current = choose(&ranking, current: nil)
        // It doesn't listen when another one heard the device before.
        for _ in 1...9 {
            ranking.listened(isTrying: false)
            ranking.heard(nil, with: second, at: .start)
        }
        #expect(!ranking.isDoubtful)
        var ticks = 0
        while current == first, ticks < 99 {
            ranking.heard(nil, with: second, at: .start)
            ranking.listened(isTrying: true)
            ticks += 1
            current = choose(&ranking, current: current)
        }
        #expect(ticks == 2 && ranking.reason == "hci0 failed 2 times")
    }

    /// BlueZ says a strength only when it changed.
    @Test func whatIsHeardWithoutAStrengthIsHeard() {
        var ranking = ranking(nil, -50)
        _ = ranking.choose(among: [first], current: nil, knowing: [first], at: .start)
        for _ in 1...9 {
            for adapter in adapters { ranking.heard(nil, with: adapter, at: .start) }
            _ = ranking.choose(among: [first], current: first, knowing: [first], at: .start)
            ranking.listened(isTrying: true)
        }
        #expect(!ranking.isDoubtful)
    }

    @Test func oneThatIsGoneIsForgotten() {
        var ranking = ranking(-60, -80)
        _ = choose(&ranking, current: nil)
        #expect(ranking.retain([second]) == first)
        #expect(ranking.chosen == nil)
        #expect(ranking.retain([second]) == nil)
    }
}
