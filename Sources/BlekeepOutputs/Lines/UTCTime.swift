/// A time as the fields of a clock in UTC, or in another zone if the offset was added before.
package struct UTCTime: Sendable, Hashable {
    package let year: Int
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    package let millisecond: Int

    /// - Parameter milliseconds: since 1970-01-01T00:00:00Z; any number.
    package init(milliseconds: Int64) {
        let perDay: Int64 = 86_400_000
        var days = milliseconds / perDay
        var rest = milliseconds % perDay
        if rest < 0 {
            rest += perDay
            days -= 1
        }
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

    /// `2026-11-21T03:18:00.123Z`. Years outside 0–9999 have a sign and as many digits as they need.
    package var iso: String {
        var bytes: [UInt8] = []
        appendISO(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `03:18:00`
    package var clock: String {
        var bytes: [UInt8] = []
        appendClock(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    package func appendISO(to bytes: inout [UInt8]) {
        if !(0...9999).contains(year) { bytes.append(UInt8(ascii: year < 0 ? "-" : "+")) }
        bytes.append(decimal: year.magnitude, width: 4)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(decimal: month.magnitude, width: 2)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(decimal: day.magnitude, width: 2)
        bytes.append(UInt8(ascii: "T"))
        appendClock(to: &bytes)
        bytes.append(UInt8(ascii: "."))
        bytes.append(decimal: millisecond.magnitude, width: 3)
        bytes.append(UInt8(ascii: "Z"))
    }

    private func appendClock(to bytes: inout [UInt8]) {
        bytes.append(decimal: hour.magnitude, width: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(decimal: minute.magnitude, width: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(decimal: second.magnitude, width: 2)
    }
}
