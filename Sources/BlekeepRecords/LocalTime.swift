internal import Glibc

/// The machine's time zone.
package enum LocalTime {
    /// Returns the seconds that local time is ahead of UTC at a time; 0 for times that the system can't convert.
    ///
    /// - Parameter milliseconds: since 1970-01-01T00:00:00Z.
    @Sendable package static func offset(at milliseconds: Int64) -> Int {
        var seconds = time_t(milliseconds / 1000)
        var fields = tm()
        guard localtime_r(&seconds, &fields) != nil else { return 0 }
        return fields.tm_gmtoff
    }

    /// Returns the short name of the zone at a time, such as `CET`; an empty text when the system has none.
    package static func zoneName(at milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1000)
        var fields = tm()
        guard localtime_r(&seconds, &fields) != nil, let name = fields.tm_zone else { return "" }
        return String(cString: name)
    }
}
