import Foundation
import Testing

@testable import BlekeepReadings

@Suite struct UTCTimeTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (1_795_231_080_123, "2026-11-21T03:18:00.123Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (253_402_300_800_000, "+10000-01-01T00:00:00.000Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"), (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z"),
        (Int64.max, "+292278994-08-17T07:12:55.807Z"), (Int64.min, "-292275055-05-16T16:47:04.192Z"),
    ])
    func writesEveryTime(milliseconds: Int64, text: String) {
        #expect(UTCTime(milliseconds: milliseconds).iso == text)
    }

    @Test func agreesWithFoundationOverTheCenturies() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        for milliseconds in stride(from: Int64(-3_000_000_000_000), to: 9_000_000_000_000, by: 7_654_321_987) {
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            let fields = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
            let time = UTCTime(milliseconds: milliseconds)
            #expect(fields.year == time.year && fields.month == time.month && fields.day == time.day)
            #expect(fields.hour == time.hour && fields.minute == time.minute && fields.second == time.second)
        }
    }

    @Test func countsTheDaysOfEveryDate() {
        for day: Int64 in stride(from: -800_000, through: 3_000_000, by: 97) {
            let date = UTCTime(milliseconds: day * UTCTime.perDay + 5)
            #expect(UTCTime.days(year: Int64(date.year), month: Int64(date.month), day: Int64(date.day)) == day)
        }
        #expect(UTCTime.days(milliseconds: -1) == -1 && UTCTime.days(milliseconds: .min) == -106_751_991_168)
    }

    /// Berlin sets its clock back at 2026-10-25T01:00Z, and Havana forward at midnight, at 2026-03-08T05:00Z.
    @Test(arguments: [
        ("2026-10-25T01:59:59.999Z", "2026-10-24T23:59:59.999Z", "2026-10-24T23:59:59.999Z"),
        ("2026-10-25T02:00:00.000Z", "2026-10-25T00:00:00.000Z", "2026-10-25T01:00:00.000Z"),
        ("2026-10-25T02:59:59.999Z", "2026-10-25T00:59:59.999Z", "2026-10-25T01:59:59.999Z"),
        ("2026-10-25T03:00:00.000Z", "2026-10-25T02:00:00.000Z", "2026-10-25T02:00:00.000Z"),
    ])
    func knowsTimesThatAClockShowsTwice(local: String, first: String, last: String) throws {
        let found = UTCTime.universal(try Self.time(local)) { $0 < 1_792_890_000_000 ? 7200 : 3600 }
        #expect(try found == Self.time(first)...Self.time(last))
    }

    @Test(arguments: [
        ("2026-03-07T23:59:59.999Z", "2026-03-08T04:59:59.999Z"),
        ("2026-03-08T00:00:00.000Z", "2026-03-08T05:00:00.000Z"),
        ("2026-03-08T00:59:59.999Z", "2026-03-08T05:00:00.000Z"),
        ("2026-03-08T01:00:00.000Z", "2026-03-08T05:00:00.000Z"),
        ("2026-03-08T01:00:00.001Z", "2026-03-08T05:00:00.001Z"),
    ])
    func takesTimesThatAClockSkipsForTheirEnd(local: String, time: String) throws {
        let found = UTCTime.universal(try Self.time(local)) { $0 < 1_772_946_000_000 ? -18_000 : -14_400 }
        #expect(try found == Self.time(time)...Self.time(time))
    }

    private static func time(_ iso: String) throws -> Int64 {
        let date = try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(iso)
        return Int64((date.timeIntervalSince1970 * 1000).rounded())
    }

    @Test(arguments: [
        (1_795_231_080_123, "04:18:00"), (1_795_215_600_000, "00:00:00"), (1_795_215_599_999, "2026-11-20 23:59:59"),
        (1_795_302_000_000, "2026-11-22 00:00:00"),
    ])
    func showsTheDateOfAnotherLocalDay(milliseconds: Int64, text: String) {
        let now = UTCTime(milliseconds: 1_795_231_080_123) { _ in 3600 }
        let time = UTCTime(milliseconds: milliseconds) { _ in 3600 }
        #expect(time.clock(now: now) == text)
        #expect(time.dateAndMinute.hasPrefix(time.date) && time.iso.hasPrefix(time.date))
    }
}
