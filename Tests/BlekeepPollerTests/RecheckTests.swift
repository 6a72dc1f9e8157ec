import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepRecords

@Suite struct RecheckTests {
    private func at(_ seconds: Double) -> Uptime { .start + .milliseconds(Int(seconds * 1000)) }

    @Test func queriesOnceWithinTenSecondsOfASignal() {
        var recheck = Recheck()
        recheck.doubt(.bluez, at: at(0))
        recheck.doubt(.bluez, at: at(5))
        #expect(recheck.next == at(9))
        recheck.query(at: at(9))
        // The query is the truth until the next signal.
        recheck.doubt(.bluez, at: at(10))
        #expect(recheck.next == .never)
        recheck.end(.bluez)
        recheck.doubt(.bluez, at: at(20))
        #expect(recheck.next == at(29))
    }

    @Test func aStateThatEndsNeedsNoQuery() {
        var recheck = Recheck()
        recheck.doubt(.device(1), at: at(0))
        recheck.doubt(.device(2), at: at(3))
        recheck.end(.device(1))
        #expect(recheck.next == at(12))
        recheck.end(.device(2))
        #expect(recheck.next == .never)
    }

    @Test func manyTicksQueryEveryTwoSecondsAtMost() {
        var recheck = Recheck()
        var queries: [Uptime] = []
        for tenth in 0..<100 {
            recheck.hurry(at: at(Double(tenth) / 10))
            let now = at(Double(tenth) / 10)
            guard now >= recheck.next else { continue }
            recheck.query(at: now)
            queries.append(now)
        }
        #expect(queries == [at(0.5), at(2.5), at(4.5), at(6.5), at(8.5)])
    }

    // MARK: In the poller

    private func queries(_ scene: Scene) -> Int {
        scene.effects.count { if case .refresh = $0 { true } else { false } }
    }

    @Test func aTickThatCannotBeginQueries() {
        var poller = Scene(devices: 1)
        poller.appear(0)
        poller.finishConnect(0)
        poller.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        #expect(queries(poller) == 0)
        var off = poller.adapter
        off.isPowered = false
        poller.send(.device(0, .reported(poller.facts(0))))
        poller.send(.bluez([off], [0: poller.facts(0)]))
        poller.advance(.seconds(9))
        #expect(queries(poller) == 1)
        poller.advance(.seconds(20))
        #expect(queries(poller) == 1)
        for tick in 2...4 {
            poller.advance(.milliseconds(tick == 2 ? 1000 : 29_500))
            // The tick's own reads come first.
            poller.advance(.milliseconds(500))
            #expect(queries(poller) == tick)
        }
    }

    @Test func aTickThatCanBeginQueriesNothing() {
        var poller = Scene(devices: 1)
        poller.appear(0)
        poller.finishConnect(0)
        for _ in 0..<10 {
            poller.send(.device(0, .polled(link: 1, PollResult(values: 1))))
            poller.advance(.seconds(30))
        }
        #expect(queries(poller) == 0)
    }

    @Test func aFailedConnectionQueries() {
        var poller = Scene(devices: 1)
        poller.appear(0)
        poller.finishConnect(0)
        var result = PollResult(ending: .relink)
        result.fail(ReadingFailure(.dropped, "Not connected"))
        poller.send(.device(0, .polled(link: 1, result)))
        poller.advance(.milliseconds(500))
        #expect(queries(poller) == 1)
    }
}
