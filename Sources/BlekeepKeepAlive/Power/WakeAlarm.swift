internal import CLinux
internal import Glibc
import Logging
import RunLoop

/// Decides when to wake a sleeping machine for a tick.
package enum WakePlan {
    /// The shortest sleep. A user who closes the lid doesn't expect the machine to wake soon, and the kernel refuses to
    /// sleep when an alarm is due within two seconds.
    package static let shortest: Duration = .seconds(900)

    /// Returns the time until the wake-up; `nil` on a low battery, and without a next tick.
    package static func delay(nextTick: Uptime, mode: PowerMode, at now: Uptime) -> Duration? {
        guard mode < .low, nextTick < .never else { return nil }
        return max(shortest, nextTick - now)
    }
}

/// A timer of the kernel that wakes the machine: CLOCK_BOOTTIME_ALARM.
package final class WakeAlarm {
    private let descriptor: Int32

    /// Returns the reason why blekeep can't wake this machine; `nil` when it can.
    ///
    /// Without a clock that runs during sleep and wakes the machine, the kernel accepts the timer without effect.
    package static func obstacle(clocks folder: String = "/sys/class/rtc") -> String? {
        do { _ = try WakeAlarm() } catch { return error.message }
        let names = SystemFile.names(in: folder) ?? []
        let clocks = names.filter { $0.hasPrefix("rtc") }.map { "\(folder)/\($0)" }
        guard !clocks.isEmpty else { return "the machine has no clock that runs while it sleeps (RTC)" }
        let able = clocks.contains { clock in
            access("\(clock)/wakealarm", F_OK) == 0 && SystemFile.line(of: "\(clock)/device/power/wakeup") != "disabled"
        }
        return able ? nil : "its clock can't wake it (no wakealarm in \(folder), or wake-up is disabled)"
    }

    /// Returns the function that sets the alarm, and logs the reason when blekeep can't wake the machine.
    package static func setter(_ log: Logger) -> ((Duration?) -> Void)? {
        if let obstacle = obstacle() { log.warning("can't wake the machine for ticks: \(obstacle)") }
        guard let alarm = try? WakeAlarm() else { return nil }
        return alarm.set
    }

    /// - Throws: `UserError` without the capability, or without kernel support.
    init() throws(UserError) {
        descriptor = timerfd_create(CLOCK_BOOTTIME_ALARM, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        let code = errno
        guard descriptor >= 0 else {
            throw UserError(
                code == EPERM
                    ? "it needs CAP_WAKE_ALARM (AmbientCapabilities=CAP_WAKE_ALARM in the unit)"
                    : "the kernel doesn't support alarm timers (errno \(code))")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Sets the alarm to wake the machine once after `delay`; `nil` to clear it.
    func set(_ delay: Duration?) {
        let (seconds, attoseconds) = (delay ?? .zero).components
        var setting = itimerspec()
        setting.it_value = timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        timerfd_settime(descriptor, 0, &setting, nil)
    }
}
