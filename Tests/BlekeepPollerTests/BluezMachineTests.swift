import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

/// When blekeep asks the message bus to start bluetoothd.
@Suite struct BluezMachineTests {
    /// Lets bluetoothd start when it is asked to, run for a time, and end, for half an hour.
    ///
    /// - Returns: how often it was started.
    private func starts(running time: Duration) -> Int {
        var (bluez, now, starts) = (BluezMachine(at: .start), Uptime.start, 0)
        _ = bluez.regained(at: now)
        while now < .start + .seconds(1800) {
            now = now + time
            bluez.lost(.bluez, externalLinks: 0, at: now)
            now = max(now, bluez.activation)
            starts += bluez.pass(.activation, at: now).activations
            _ = bluez.regained(at: now)
        }
        return starts
    }

    @Test func aBluetoothdThatEndsSoonIsStartedWithGrowingPauses() {
        #expect(starts(running: .seconds(2)) < 40)
    }

    /// Once, a poller that began long after its loop reported a bluetoothd as missing that it had yet to look for.
    @Test func reportsNothingAtOnceHoweverLateItBegins() {
        let start = Uptime.start + .seconds(3600)
        #expect(BluezMachine(at: start).nextWait(in: []) == start + Timing.beforeFirstReport)
    }

    @Test func aBluetoothdThatLastedIsStartedAtOnce() {
        var bluez = BluezMachine(at: .start)
        for minute in 1...10 {
            let now = Uptime.start + .seconds(minute * 300)
            _ = bluez.regained(at: now)
            bluez.lost(.bluez, externalLinks: 0, at: now + Timing.lasting)
            #expect(bluez.activation == now + Timing.lasting + Timing.beforeActivation)
            #expect(bluez.end(of: .activation, in: []) == bluez.activation)
            let effects = bluez.pass(.activation, at: bluez.activation)
            #expect(effects.activations == 1)
        }
    }
}
