import RunLoop
import Testing

@testable import BlekeepOutputs

@Suite struct FleetPaceTests {
    /// A database that gives another configuration at each question.
    @Test func someComeAtOnceAndMoreComeSlowly() {
        var pace = FleetPace()
        let start = Uptime.start + .seconds(1000)
        let times = [0, 0, 0, 1, 59, 60, 61, 119, 120].filter { pace.takes(at: start + .seconds($0)) }
        #expect(times == [0, 0, 0, 60, 120])
        let later = start + .seconds(3600)
        #expect((0..<4).map { _ in pace.takes(at: later) } == [true, true, true, false])
    }
}
