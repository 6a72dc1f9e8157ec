import Blekeep
import RunLoop
import Testing

@testable import Swarming

/// The promises about power and sleep notice when they are broken.
struct PowerInvariantTests {
    private func at(_ seconds: Double) -> Uptime { .start + .milliseconds(Int(seconds * 1000)) }

    @Test func flush() {
        let sleep = [(begin: at(10), released: at(10.2))]
        func commit(_ moment: Double, _ durable: Bool, _ accepted: [Double]) -> PowerInvariants.Commit {
            .init(moment: at(moment), isDurable: durable, accepted: accepted.map(at))
        }
        #expect(PowerInvariants.flush(sleep, [commit(9, false, [8]), commit(10.1, true, [9.9])]) == [])
        #expect(PowerInvariants.flush(sleep, [commit(9, true, [8]), commit(10.1, false, [9.9])]).count == 1)
        #expect(PowerInvariants.flush(sleep, [commit(9, true, [8]), commit(11, true, [9.9])]).count == 1)
        #expect(PowerInvariants.flush(sleep, [commit(9, true, [8]), commit(20, true, [19])]) == [])
    }

    @Test func sparse() {
        let intervals: [(Uptime, Duration?)] = [(at(0), .seconds(30)), (at(300), .seconds(300)), (at(3300), nil)]
        let good = stride(from: 0.0, to: 300, by: 30).map(at) + stride(from: 600.0, to: 3300, by: 300).map(at)
        #expect(PowerInvariants.sparse(good, intervals) == [])
        let often = stride(from: 0.0, to: 3300, by: 30).map(at)
        #expect(PowerInvariants.sparse(often, intervals).count == 1)
        #expect(PowerInvariants.sparse(good + stride(from: 4000.0, to: 5000, by: 100).map(at), intervals).count == 1)
        let soon = [at(1), at(150), at(213.9)]
        #expect(PowerInvariants.sparse(soon, [(at(0), .seconds(300)), (at(214), .seconds(30))]).count == 1)
        #expect(
            PowerInvariants.sparse(soon, [(at(0), .seconds(300)), (at(214), .seconds(30))], late: .seconds(1)) == [])
        // No read followed the last change.
        #expect(PowerInvariants.sparse([at(1)], [(at(0), .seconds(300)), (at(1000), .seconds(30))]) == [])
        let syncs = (0..<100).map { PowerInvariants.Commit(moment: at(Double($0) * 10), isDurable: true, accepted: []) }
        #expect(PowerInvariants.syncs(syncs).count == 1)
        #expect(PowerInvariants.syncs(syncs.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)) == [])
    }

    @Test func mode() {
        let demands: [(Uptime, PowerMode)] = [(at(0), .normal), (at(100), .low), (at(200), .normal)]
        func shown(_ low: ClosedRange<Int>) -> [(Uptime, PowerMode)] {
            (0..<400).map { (at(Double($0)), low.contains($0) ? .low : .normal) }
        }
        #expect(PowerInvariants.mode(shown(100...259), demands, doubts: []) == [])
        #expect(!PowerInvariants.mode(shown(110...259), demands, doubts: []).isEmpty)
        #expect(!PowerInvariants.mode(shown(100...280), demands, doubts: []).isEmpty)
        #expect(!PowerInvariants.mode(shown(90...259), demands, doubts: []).isEmpty)
        #expect(PowerInvariants.mode(shown(110...259), demands, doubts: [(at(99), at(120))]) == [])
    }
}
