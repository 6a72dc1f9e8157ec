import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

/// When blekeep asks the message bus to start bluetoothd.
@Suite struct ReachTests {
    /// Lets bluetoothd start when it is asked to, run for a time, and end, for half an hour.
    ///
    /// - Returns: how often it was started.
    private func starts(running time: Duration) -> Int {
        var (reach, now, starts) = (Reach(at: .start), Uptime.start, 0)
        _ = reach.regain(at: now)
        while now < .start + .seconds(1800) {
            now = now + time
            reach.lose(.bluez, at: now)
            now = max(now, reach.activation)
            if reach.isActivationDue(at: now) { starts += 1 }
            _ = reach.regain(at: now)
        }
        return starts
    }

    @Test func aBluetoothdThatEndsSoonIsStartedWithGrowingPauses() {
        #expect(starts(running: .seconds(2)) < 40)
    }

    /// Once, a keeper that began long after its loop reported a bluetoothd as missing that it had yet to look for.
    @Test func reportsNothingAtOnceHoweverLateItBegins() {
        var reach = Reach(at: .start + .seconds(3600))
        let (early, due) = (
            reach.isFirstReportDue(at: .start + .seconds(3600)),
            reach.isFirstReportDue(at: .start + .seconds(3600) + Timing.beforeFirstReport)
        )
        #expect(!early && due)
    }

    @Test func aBluetoothdThatLastedIsStartedAtOnce() {
        var reach = Reach(at: .start)
        for minute in 1...10 {
            let now = Uptime.start + .seconds(minute * 300)
            _ = reach.regain(at: now)
            reach.lose(.bluez, at: now + Timing.lasting)
            #expect(reach.activation == now + Timing.lasting + Timing.beforeActivation)
            let isDue = reach.isActivationDue(at: reach.activation)
            #expect(isDue)
        }
    }
}
