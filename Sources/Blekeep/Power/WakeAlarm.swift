internal import CLinux
internal import Glibc
import Logging
import RunLoop

/// When a sleeping machine is to be woken for a tick.
package enum WakePlan {
    /// It sleeps for so long at least: who closes a lid does not want it to wake at once, and an alarm that is nearer
    /// than two seconds would make the kernel refuse to sleep.
    package static let shortest: Duration = .seconds(900)

    /// - Returns: how long from now; `nil`: not at all, as on a low battery or without ticks to come.
    package static func delay(nextTick: Uptime, mode: PowerMode, at now: Uptime) -> Duration? {
        guard mode < .low, nextTick < .never else { return nil }
        return max(shortest, nextTick - now)
    }
}

/// A timer of the kernel that wakes the machine: CLOCK_BOOTTIME_ALARM.
package final class WakeAlarm {
    private let descriptor: Int32

    /// Why this machine cannot be woken, as a sentence for people; `nil`: it can.
    ///
    /// Without a clock that runs on and may wake it, the kernel takes the timer, and nothing ever comes of it.
    package static func obstacle(clocks folder: String = "/sys/class/rtc") -> String? {
        do { _ = try WakeAlarm() } catch { return error.reason }
        let clocks = names(in: folder).map { "\(folder)/\($0)" }
        guard !clocks.isEmpty else { return "the machine has no clock that runs while it sleeps (RTC)" }
        let able = clocks.contains { clock in
            access("\(clock)/wakealarm", F_OK) == 0 && word("\(clock)/device/power/wakeup") != "disabled"
        }
        return able ? nil : "its clock cannot wake it (no wakealarm in \(folder), or wake-up is disabled)"
    }

    /// What sets the machine's alarm; the log says why it cannot be woken.
    static func setter(_ log: Logger) -> ((Duration?) -> Void)? {
        if let obstacle = obstacle() { log.warning("the machine cannot be woken for ticks: \(obstacle)") }
        guard let alarm = try? WakeAlarm() else { return nil }
        return alarm.set
    }

    struct Refused: Error {
        var reason: String
    }

    /// - Throws: `Refused` where it may not be had.
    init() throws(Refused) {
        descriptor = timerfd_create(CLOCK_BOOTTIME_ALARM, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        let code = errno
        guard descriptor >= 0 else {
            throw Refused(
                reason: code == EPERM
                    ? "it needs CAP_WAKE_ALARM (AmbientCapabilities=CAP_WAKE_ALARM in the unit)"
                    : "the kernel has no such timer (errno \(code))")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Wakes the machine so long from now, once; `nil`: not any more.
    func set(_ delay: Duration?) {
        let (seconds, attoseconds) = (delay ?? .zero).components
        var setting = itimerspec()
        setting.it_value = timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        timerfd_settime(descriptor, 0, &setting, nil)
    }

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix("rtc") { names.append(name) }
        }
        return names
    }

    private static func word(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 32)
        let count = read(file, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).prefix { $0 > 0x20 }, as: UTF8.self)
    }
}
