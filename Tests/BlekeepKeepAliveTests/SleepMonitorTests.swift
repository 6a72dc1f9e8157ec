import Logging
import RunLoop
import Testing

@testable import BlekeepKeepAlive

@Suite struct SleepMonitorTests {
    /// Replies of logind may come after the end, and begin a wait.
    @Test func itsTimerOutlivesItWithoutHarm() throws {
        let loop = try RunLoop(.virtual)
        try loop.run {
            var monitor: SleepMonitor? = SleepMonitor(on: loop, log: Logger(label: "test")) { _ in }
            monitor?.end()
            _ = monitor?.begin(named: "late", budget: .seconds(5))
            #expect(monitor?.openSections == ["late"])
            monitor = nil
            try await loop.sleep(until: .start + .seconds(60))
        }
    }
}
