import BlekeepOutputs
import BlekeepRecords
import SampleReadings
import Testing

@testable import BlekeepHistory

@Suite struct TimeTextTests {
    /// 2026-11-21T03:18:00.123Z
    private static let now: Int64 = 1_795_231_080_123

    private static func parse(_ text: String, offset: @escaping (Int64) -> Int = { _ in 0 }) throws -> String {
        UTCTime(milliseconds: try TimeText.parse(text, now: now, offset: offset)).iso
    }

    @Test(arguments: [
        ("1h", "2026-11-21T02:18:00.123Z"), ("7d", "2026-11-14T03:18:00.123Z"), ("90", "2026-11-21T03:16:30.123Z"),
        ("1y", "2025-11-21T03:18:00.123Z"), ("2y1d", "2024-11-20T03:18:00.123Z"),
        ("1h30m", "2026-11-21T01:48:00.123Z"), ("today", "2026-11-21T00:00:00.000Z"),
        ("yesterday 22:00", "2026-11-20T22:00:00.000Z"), ("today 02:30", "2026-11-21T02:30:00.000Z"),
        ("yesterday 22:00+01:00", "2026-11-20T21:00:00.000Z"),
        ("yesterday", "2026-11-20T00:00:00.000Z"), ("2026-11-01", "2026-11-01T00:00:00.000Z"),
        ("2026-11-01T10:00", "2026-11-01T10:00:00.000Z"), ("2024-02-29T23:59:58", "2024-02-29T23:59:58.000Z"),
        ("2026-11-21T03:18:00.123Z", "2026-11-21T03:18:00.123Z"), ("2026-11-01T10:00:00.5", "2026-11-01T10:00:00.500Z"),
        ("1969-12-31", "1969-12-31T00:00:00.000Z"), ("2026-11-01 10:00", "2026-11-01T10:00:00.000Z"),
        ("03:18", "2026-11-21T03:18:00.000Z"), ("03:19", "2026-11-20T03:19:00.000Z"),
        ("00:00:30", "2026-11-21T00:00:30.000Z"), ("2026-11-01T10:00+01:00", "2026-11-01T09:00:00.000Z"),
        ("2026-11-01T10:00:00-0530", "2026-11-01T15:30:00.000Z"), ("2026-11-01 10:00+09", "2026-11-01T01:00:00.000Z"),
    ])
    func readsTimes(text: String, time: String) throws {
        #expect(try Self.parse(text) == time)
    }

    @Test func takesDatesForLocalOnes() throws {
        let east: (Int64) -> Int = { _ in 9 * 3600 }
        #expect(try Self.parse("2026-11-01", offset: east) == "2026-10-31T15:00:00.000Z")
        #expect(try Self.parse("2026-11-01T10:00Z", offset: east) == "2026-11-01T10:00:00.000Z")
        #expect(try Self.parse("2026-11-01T10:00+01:00", offset: east) == "2026-11-01T09:00:00.000Z")
        // It's 12:18 there.
        #expect(try Self.parse("12:18", offset: east) == "2026-11-21T03:18:00.000Z")
        #expect(try Self.parse("12:19", offset: east) == "2026-11-20T03:19:00.000Z")
        #expect(try Self.parse("today", offset: east) == "2026-11-20T15:00:00.000Z")
        // It is yesterday there.
        #expect(try Self.parse("today", offset: { _ in -5 * 3600 }) == "2026-11-20T05:00:00.000Z")
    }

    /// An hour ahead until 2026-10-25T01:00Z, as in London.
    @Test func followsDaylightSavingTime() throws {
        let london: (Int64) -> Int = { $0 < 1_792_890_000_000 ? 3600 : 0 }
        #expect(try Self.parse("2026-10-25", offset: london) == "2026-10-24T23:00:00.000Z")
        #expect(try Self.parse("2026-10-25T12:00", offset: london) == "2026-10-25T12:00:00.000Z")
        #expect(try Self.parse("2026-10-24T12:00", offset: london) == "2026-10-24T11:00:00.000Z")
    }

    /// Clocks in Havana skip the midnight of 2026-03-08.
    @Test func aDayBeginsAfterAMidnightThatIsSkipped() throws {
        #expect(try Self.parse("2026-03-08", offset: SampleZone.havana.offset) == "2026-03-08T05:00:00.000Z")
    }

    /// The clock shows 02:30 twice, at 00:30Z and at 01:30Z.
    @Test(arguments: [
        (1_792_888_199_999, "2026-10-24T00:30:00.000Z"), (1_792_888_200_000, "2026-10-25T00:30:00.000Z"),
        (1_792_891_799_999, "2026-10-25T00:30:00.000Z"), (1_792_891_800_000, "2026-10-25T01:30:00.000Z"),
    ])
    func aTimeIsTheLatestOneThatTheClockShowed(now: Int64, time: String) throws {
        let found = try TimeText.parse("02:30", now: now, offset: SampleZone.berlin.offset)
        #expect(UTCTime(milliseconds: found).iso == time)
    }

    @Test func ofADateATimeIsTheFirstOne() throws {
        let berlin = SampleZone.berlin.offset
        #expect(try Self.parse("2026-10-25 02:30", offset: berlin) == "2026-10-25T00:30:00.000Z")
    }

    @Test(arguments: [
        "", " ", "soon", "y", "1yy", "1y5", "y1d", "-1h", "1w", "2026-1-1", "2026-13-01", "2026-00-01",
        "2026-02-29", "2026-11-31", "2026-11-00", "2026-11-01T", "2026-11-01T1:00", "2026-11-01T24:00",
        "2026-11-01T10:60", "2026-11-01T10:00:60", "2026-11-01  10:00", "24:00", "6:30",
        "06:30Z", "2026-11-01T10:00Z1", "2026-11-01T10:00+1", "2026-11-01T10:00+24:00", "2026-11-01T10:00+01:60",
        "2026-11-01T10:00+", "2026-11-01T+01:00", "2026-11-01T10:00+01:00:00", "2026-11-01T10:00:00.", "2026-11-01T10",
        "Today", "٢٠٢٦-11-01", "9999999999999999999d", "1y9223372036854775s", "\u{1B}[2J",
    ])
    func refusesWhatIsNoTime(text: String) {
        let error = #expect(throws: HistoryQueryError.self) { try TimeText.parse(text, now: Self.now) { _ in 0 } }
        #expect(error?.code == .notATime && error?.message.unicodeScalars.contains { $0.isInvisible } == false)
    }
}
