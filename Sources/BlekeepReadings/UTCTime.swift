/// A time as the fields of a calendar and a clock, in UTC or in a local zone. All of blekeep's calendar arithmetic is here.
package struct UTCTime: Sendable, Hashable {
    package let year: Int
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    package let millisecond: Int

    package static let perDay: Int64 = 86_400_000

    /// The fields in UTC.
    ///
    /// - Parameter milliseconds: since 1970-01-01T00:00:00Z; any number.
    package init(milliseconds: Int64) {
        let days = Self.days(milliseconds: milliseconds)
        let rest = milliseconds &- days &* Self.perDay
        // Howard Hinnant's civil_from_days: eras of 400 years that start on the first of March.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
        hour = Int(rest / 3_600_000)
        minute = Int(rest / 60_000 % 60)
        second = Int(rest / 1000 % 60)
        millisecond = Int(rest % 1000)
    }

    /// The fields in a local zone.
    ///
    /// - Parameters:
    ///   - milliseconds: since 1970-01-01T00:00:00Z; any number.
    ///   - offset: returns the seconds that the local clock is ahead of UTC at such a time.
    package init(milliseconds: Int64, offset: (Int64) -> Int) {
        self.init(milliseconds: Self.local(milliseconds, offset: offset))
    }

    /// Returns a time in milliseconds as a local clock counts them since 1970, which is the time plus the offset.
    package static func local(_ milliseconds: Int64, offset: (Int64) -> Int) -> Int64 {
        milliseconds &+ Int64(offset(milliseconds)) &* 1000
    }

    /// Returns the first and the last time at which a local clock shows what it counts since 1970. They differ where the
    /// clock is set back. For a time that the clock skips, both are when it is set forward.
    package static func universal(_ local: Int64, offset: (Int64) -> Int) -> ClosedRange<Int64> {
        // No zone changes its offset twice within two days.
        let before = local &- Int64(offset(local &- perDay)) &* 1000
        let after = local &- Int64(offset(local &+ perDay)) &* 1000
        guard before != after else { return before...before }
        switch (Self.local(before, offset: offset) == local, Self.local(after, offset: offset) == local) {
        case (true, true): return min(before, after)...max(before, after)
        case (true, false): return before...before
        case (false, true): return after...after
        case (false, false):
            var (first, last) = (after, before)
            while first < last {
                let middle = first + (last - first) / 2
                if Self.local(middle, offset: offset) < local { first = middle + 1 } else { last = middle }
            }
            return first...first
        }
    }

    /// Returns the whole days since 1970-01-01, rounded towards the past.
    package static func days(milliseconds: Int64) -> Int64 { milliseconds.quotient(roundedDownBy: perDay) }

    /// Returns the days from 1970-01-01 to a date.
    ///
    /// - Parameters:
    ///   - month: 1 to 12.
    ///   - day: 1 is the first of the month; other numbers count on into other months.
    package static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        // Howard Hinnant's days_from_civil, with years that begin on March 1.
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// `2026-11-21T03:18:00.123Z`. Years outside 0–9999 have a sign and as many digits as they need.
    package var iso: String { Self.text(appendISO) }

    /// `03:18:00`
    package var clock: String { Self.text(appendClock) }

    /// `2026-11-21`
    package var date: String { Self.text(appendDate) }

    /// `2026-11-21 03:18`
    package var dateAndMinute: String { "\(date) \(clock.prefix(5))" }

    /// `03:18:00`, or `2026-11-21 03:18:00` if that isn't the day of `now`.
    package func clock(now: UTCTime) -> String {
        (year, month, day) == (now.year, now.month, now.day) ? clock : "\(date) \(clock)"
    }

    private static func text(_ append: (inout [UInt8]) -> Void) -> String {
        var bytes: [UInt8] = []
        append(&bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    package func appendISO(to bytes: inout [UInt8]) {
        appendDate(to: &bytes)
        bytes.append(UInt8(ascii: "T"))
        appendClock(to: &bytes)
        bytes.append(UInt8(ascii: "."))
        bytes.append(decimal: millisecond.magnitude, width: 3)
        bytes.append(UInt8(ascii: "Z"))
    }

    private func appendDate(to bytes: inout [UInt8]) {
        if !(0...9999).contains(year) { bytes.append(UInt8(ascii: year < 0 ? "-" : "+")) }
        bytes.append(decimal: year.magnitude, width: 4)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(decimal: month.magnitude, width: 2)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(decimal: day.magnitude, width: 2)
    }

    private func appendClock(to bytes: inout [UInt8]) {
        bytes.append(decimal: hour.magnitude, width: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(decimal: minute.magnitude, width: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(decimal: second.magnitude, width: 2)
    }
}

extension Int64 {
    /// Returns the quotient rounded towards the past, also for times before 1970.
    package func quotient(roundedDownBy divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : (self + 1) / divisor - 1
    }
}
