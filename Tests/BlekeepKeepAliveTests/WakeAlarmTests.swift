import Foundation
import RunLoop
import Testing

@testable import BlekeepKeepAlive

@Suite struct WakeAlarmTests {
    private func at(_ seconds: Int) -> Uptime { .start + .seconds(seconds) }

    @Test func neverSoonerThanAQuarterOfAnHourAndNotOnALowBattery() {
        #expect(WakePlan.delay(nextTick: at(110), mode: .normal, at: at(100)) == .seconds(900))
        #expect(WakePlan.delay(nextTick: at(7300), mode: .battery, at: at(100)) == .seconds(7200))
        #expect(WakePlan.delay(nextTick: at(7300), mode: .low, at: at(100)) == nil)
        #expect(WakePlan.delay(nextTick: at(7300), mode: .critical, at: at(100)) == nil)
        #expect(WakePlan.delay(nextTick: .never, mode: .normal, at: at(100)) == nil)
        #expect(WakePlan.delay(nextTick: at(50), mode: .normal, at: at(100)) == .seconds(900))
    }

    @Test func saysPlainlyWhyItCannotWake() throws {
        // Missing permission for the timer is reported first.
        let isAllowed = (try? WakeAlarm()) != nil
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blekeep-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        func obstacle() -> String? { WakeAlarm.obstacle(clocks: folder.path) }
        #expect(obstacle()?.contains(isAllowed ? "no clock" : "CAP_WAKE_ALARM") == true)
        let clock = folder.appendingPathComponent("rtc0")
        let power = clock.appendingPathComponent("device/power")
        try FileManager.default.createDirectory(at: power, withIntermediateDirectories: true)
        #expect(obstacle()?.contains(isAllowed ? "can't wake" : "CAP_WAKE_ALARM") == true)
        try Data().write(to: clock.appendingPathComponent("wakealarm"))
        try Data("disabled\n".utf8).write(to: power.appendingPathComponent("wakeup"))
        #expect(obstacle()?.contains(isAllowed ? "can't wake" : "CAP_WAKE_ALARM") == true)
        try Data("enabled\n".utf8).write(to: power.appendingPathComponent("wakeup"))
        #expect((obstacle() == nil) == isAllowed)
    }
}
