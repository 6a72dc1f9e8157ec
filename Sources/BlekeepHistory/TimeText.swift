import BlekeepOutputs
import BlekeepRecords

/// Times as users write them: ages such as `7d` and `1y`, `today`, `yesterday`, `10:00`, `2026-11-01`,
/// `2026-11-01 10:00`, `yesterday 22:00`, and ISO 8601. Times are local, unless they end with `Z` or an offset such as `+01:00`. A time
/// without a date is the latest one that isn't in the future.
package enum TimeText {
    private static let day = UTCTime.perDay

    /// - Parameters:
    ///   - now: milliseconds since 1970, as the result.
    ///   - offset: the seconds that the local clock is ahead of UTC then.
    package static func parse(_ text: String, now: Int64, offset: (Int64) -> Int) throws(HistoryQueryError) -> Int64 {
        if let span = span(text), case let (moment, overflow) = now.subtractingReportingOverflow(span), !overflow {
            return moment
        }
        if let moment = date(text, now: now, offset: offset) ?? latest(text, now: now, offset: offset) { return moment }
        throw HistoryQueryError(
            .notATime,
            "'\(Untrusted(text))' isn't a time; write an age, such as 7d or 1y, or a time, such as 10:00, 2026-11-01, "
                + "'2026-11-01 10:00', 'yesterday 22:00' or today")
    }

    /// Returns the length of an age. Years have 365 days.
    private static func span(_ text: String) -> Int64? {
        let parts = text.split(separator: "y", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = parts.last.map { parts.count == 2 && $0.isEmpty ? "0" : $0 }
        guard let rest, let duration = try? DurationText.parse(rest) else { return nil }
        guard parts.count == 2 else { return duration.wholeMilliseconds }
        guard let years = number(parts[0], digits: 1...3), !rest.allSatisfy(\.isNumber) || rest == "0" else {
            return nil
        }
        let (sum, overflow) = (years * 365 * day).addingReportingOverflow(duration.wholeMilliseconds)
        return overflow ? nil : sum
    }

    /// Returns the local date. Rounds towards the past, also before 1970.
    private static func daysSince1970(_ now: Int64, offset: (Int64) -> Int) -> Int64 {
        UTCTime.days(milliseconds: UTCTime.local(now, offset: offset))
    }

    /// Converts a local time to UTC: the first one, if the clock shows it twice.
    private static func universal(_ local: Int64, offset: (Int64) -> Int) -> Int64 {
        UTCTime.universal(local, offset: offset).lowerBound
    }

    private static func date(_ text: String, now: Int64, offset: (Int64) -> Int) -> Int64? {
        let halves = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
        let days: Int64? =
            switch halves.first {
            case "today"?: daysSince1970(now, offset: offset)
            case "yesterday"?: daysSince1970(now, offset: offset) - 1
            case let first: first.flatMap(Self.days)
            }
        guard let days else { return nil }
        guard halves.count == 2 else { return universal(days * day, offset: offset) }
        let mark = halves[1].firstIndex { "Z+-".contains($0) } ?? halves[1].endIndex
        guard let time = time(halves[1][..<mark]) else { return nil }
        let local = days * day + time
        guard mark < halves[1].endIndex else { return universal(local, offset: offset) }
        return zone(halves[1][mark...]).map { local - $0 }
    }

    /// Returns how far a zone is ahead of UTC: `Z`, `+01:00`, `-0800` or `+01`.
    private static func zone(_ text: Substring) -> Int64? {
        guard text != "Z" else { return 0 }
        let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        let digits = parts.count == 1 && parts[0].utf8.count == 4 ? [parts[0].prefix(2), parts[0].dropFirst(2)] : parts
        guard text.first != "Z", (1...2).contains(digits.count), let hours = number(digits[0], digits: 2...2),
            hours < 24,
            let minutes = digits.count == 1 ? 0 : number(digits[1], digits: 2...2), minutes < 60
        else { return nil }
        return (text.first == "-" ? -1 : 1) * (hours * 60 + minutes) * 60_000
    }

    /// Returns the latest moment, not after now, at which local clocks show this time.
    private static func latest(_ text: String, now: Int64, offset: (Int64) -> Int) -> Int64? {
        guard let time = time(text[...]) else { return nil }
        let days = daysSince1970(now, offset: offset)
        let today = UTCTime.universal(days * day + time, offset: offset)
        if today.upperBound <= now { return today.upperBound }
        return today.lowerBound <= now
            ? today.lowerBound : UTCTime.universal((days - 1) * day + time, offset: offset).upperBound
    }

    /// Returns the days since 1970.
    private static func days(_ text: Substring) -> Int64? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let year = number(parts[0], digits: 4...4), let month = number(parts[1], digits: 2...2),
            let dayOfMonth = number(parts[2], digits: 2...2), (1...12).contains(month)
        else { return nil }
        let days = UTCTime.days(year: year, month: month, day: dayOfMonth)
        let made = UTCTime(milliseconds: days * day)
        return Int64(made.month) == month && Int64(made.day) == dayOfMonth ? days : nil
    }

    /// Returns the milliseconds since midnight.
    private static func time(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let hour = number(parts[0], digits: 2...2), hour < 24,
            let minute = number(parts[1], digits: 2...2), minute < 60
        else { return nil }
        guard parts.count == 3 else { return (hour * 60 + minute) * 60_000 }
        let seconds = parts[2].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let second = seconds.first.flatMap({ number($0, digits: 2...2) }), second < 60 else { return nil }
        var milliseconds: Int64 = 0
        if seconds.count == 2 {
            guard number(seconds[1], digits: 1...9) != nil, let fraction = number(seconds[1].prefix(3), digits: 1...3)
            else { return nil }
            milliseconds = fraction * [100, 10, 1][min(seconds[1].count, 3) - 1]
        }
        return ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds
    }

    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int64? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int64(text)
    }
}
