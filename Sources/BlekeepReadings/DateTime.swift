/// A date and a time of day without a time zone, in seven bytes: year (two bytes), month, day, hour, minute, second.
struct DateTime: Sendable, Hashable {
    var year, month, day: UInt64
    var hour, minute, second: UInt64

    init(_ reader: inout ByteReader) throws(DecodeError) {
        year = try reader.unsigned(bits: 16)
        month = try reader.unsigned(bits: 8)
        day = try reader.unsigned(bits: 8)
        hour = try reader.unsigned(bits: 8)
        minute = try reader.unsigned(bits: 8)
        second = try reader.unsigned(bits: 8)
    }

    /// `2024-02-29T12:00:00`; the state `unknown` without a year, month or day, and `prohibited` for an impossible date.
    var value: FieldValue {
        if year == 0 || month == 0 || day == 0 { return .state("unknown") }
        guard isPossible else { return .state("prohibited") }
        let date = "\(year)-\(Self.two(month))-\(Self.two(day))"
        return .value(.text("\(date)T\(Self.two(hour)):\(Self.two(minute)):\(Self.two(second))"))
    }

    /// Years go from 1582, when the Gregorian calendar began, to 9999.
    private var isPossible: Bool {
        1582...9999 ~= year && 1...12 ~= month && 1...daysInMonth ~= day && hour < 24 && minute < 60 && second < 60
    }

    private var daysInMonth: UInt64 {
        let (year, month) = (Int64(year), Int64(month))
        let next = UTCTime.days(year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, day: 1)
        return UInt64(next - UTCTime.days(year: year, month: month, day: 1))
    }

    private static func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
