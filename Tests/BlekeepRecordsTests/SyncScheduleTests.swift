import RunLoop
import Testing

@testable import BlekeepRecords

@Suite struct SyncScheduleTests {
    private func at(_ seconds: Int64) -> Uptime { Uptime(nanoseconds: seconds * 1_000_000_000) }

    @Test func `two ticks in a row have durable commits, the third waits for the budget`() {
        var syncs = SyncSchedule()
        let settled = [100, 101, 102].map { syncs.settle(at: at($0)) }
        #expect(settled == [true, true, false])
        syncs.committed(durable: false, isEmpty: false, at: at(102))
        #expect(syncs.due == at(140))
        let spent = [139, 140].map { syncs.spendIfDue(at: at($0)) }
        #expect(spent == [false, true])
        syncs.committed(durable: true, isEmpty: false, at: at(140))
        #expect(syncs.due == .never)
    }

    @Test func `a change without a tick is durable 40 s after it came`() {
        var syncs = SyncSchedule()
        syncs.committed(durable: false, isEmpty: false, at: at(100))
        syncs.committed(durable: false, isEmpty: false, at: at(110))
        #expect(syncs.due == at(140))
        #expect(syncs.isDirty)
    }

    @Test func `an empty commit owes the disk nothing`() {
        var syncs = SyncSchedule()
        syncs.committed(durable: false, isEmpty: true, at: at(100))
        #expect(!syncs.isDirty)
        #expect(syncs.due == .never)
    }
}
