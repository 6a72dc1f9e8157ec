import RunLoop
import Testing

@testable import BlekeepOutputs

@Suite struct FleetPaceTests {
    /// A database that gives another configuration at each question.
    @Test func someComeAtOnceAndMoreComeSlowly() {
        var pace = FleetPace()
        let start = Uptime.start + .seconds(1000)
        var now = start
        var times: [Duration] = []
        for _ in 0..<6 {
            now = max(now, pace.next(at: now))
            times.append(now - start)
        }
        #expect(times == [0, 0, 0, 60, 120, 180].map { .seconds($0) })
        now = now + .seconds(3600)
        #expect((0..<3).allSatisfy { _ in pace.next(at: now) == now })
        #expect(pace.next(at: now) == now + .seconds(60))
    }
}
