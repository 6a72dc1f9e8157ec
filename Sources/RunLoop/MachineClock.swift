internal import CLinux
internal import Glibc

/// The time of day. It only labels readings, and measures nothing. An `Int64` that is called `time` or `now` is in
/// milliseconds since 1970, UTC, wherever nothing else is said.
package enum WallClock {
    package static func milliseconds() -> Int64 { MachineClock.nanoseconds(CLOCK_REALTIME) / 1_000_000 }
}

/// The machine's clocks, and the identity of its boot.
package enum MachineClock {
    /// The time since boot, with sleep.
    package static func sinceBoot() -> Duration { .nanoseconds(sinceBootNanoseconds()) }

    /// The time since boot, without sleep. It measures short spans.
    package static func awake() -> Duration { .nanoseconds(nanoseconds(CLOCK_MONOTONIC)) }

    /// The processor time of the calling thread.
    package static func thread() -> Duration { .nanoseconds(nanoseconds(CLOCK_THREAD_CPUTIME_ID)) }

    /// `sinceBoot` in nanoseconds. A signal handler may call it.
    package static func sinceBootNanoseconds() -> Int64 { nanoseconds(CLOCK_BOOTTIME) }

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

    /// Returns the time of a clock. The kernel sets none beyond the year 2232, which 64 bits hold.
    fileprivate static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
