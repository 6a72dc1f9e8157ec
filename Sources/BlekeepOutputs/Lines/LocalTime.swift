import Glibc

/// The machine's time zone.
package enum LocalTime {
    /// The seconds that its clock is ahead of UTC at a moment; 0 for moments that the system cannot tell.
    ///
    /// - Parameter milliseconds: since 1970-01-01T00:00:00Z.
    @Sendable package static func offset(at milliseconds: Int64) -> Int {
        var seconds = time_t(milliseconds / 1000)
        var fields = tm()
        guard localtime_r(&seconds, &fields) != nil else { return 0 }
        return fields.tm_gmtoff
    }
}
