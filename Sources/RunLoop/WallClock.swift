internal import Glibc

/// The time of day. It only labels readings, and measures nothing.
package enum WallClock {
    /// The time in milliseconds since 1970, UTC.
    package static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
    }
}
