import RunLoop
import Testing

@testable import BlekeepRecords

struct HeartbeatSchedulerTests {
    @Test func theLastHeartbeatOfWhatNoLongerListensTakesNothingBack() throws {
        let clocks = ClockReading(boot: "this", sinceBoot: .zero, awake: .zero, time: 0, isSynchronized: true)
        let heartbeats = HeartbeatScheduler(asleep: { .zero }, clocks: { clocks })
        heartbeats.air = { AirUse(scanned: .seconds(5), packets: 7) }
        let first = try #require(heartbeats.beat(at: .start) { [] })
        #expect(first.air == AirUse(scanned: .seconds(5), packets: 7))
        heartbeats.committed(first, at: .start)
        heartbeats.air = { nil }
        heartbeats.turn(to: .stopped)
        #expect(try #require(heartbeats.beat(at: .start) { [] }).air == AirUse())
    }
}
