internal import CLinux
internal import Glibc

/// The machine's clocks, and the identity of its boot.
package enum MachineClock {
    /// The time since boot, with sleep.
    package static func sinceBoot() -> Duration { time(CLOCK_BOOTTIME) }

    /// The time since boot, without sleep.
    package static func awake() -> Duration { time(CLOCK_MONOTONIC) }

    /// The kernel's identifier of this boot; empty if there is none.
    package static let boot: String = {
        let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = read(file, &buffer, buffer.count)
        guard count > 0 else { return "" }
        return String(decoding: buffer.prefix(count).filter { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
    }()

    /// Whether the kernel's clock is synchronized; `nil` when the process may not query it.
    package static func isSynchronized() -> Bool? {
        var state = timex()
        switch adjtimex(&state) {
        case TIME_ERROR: return false
        case 0...: return true
        default: return nil
        }
    }

    private static func time(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
