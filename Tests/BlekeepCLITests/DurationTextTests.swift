import Blekeep
import Testing

@testable import BlekeepCLI

@Suite struct DurationTextTests {
    @Test(
        arguments: [
            ("30s", .seconds(30)), ("5m", .seconds(300)), ("1h30m", .seconds(5400)), ("500ms", .milliseconds(500)),
            ("1d", .seconds(86_400)), ("2d", .seconds(172_800)), ("0s", .zero),
            ("1d2h3m4s5ms", .milliseconds(93_784_005)),
            ("106751991167d7h12m55s807ms", .milliseconds(Int64.max)),
        ] as [(String, Duration)])
    func readsAndWrites(text: String, duration: Duration) throws {
        #expect(try DurationText.parse(text) == duration)
        #expect(DurationText.text(duration) == text)
    }

    @Test func aBareNumberIsSeconds() throws {
        #expect(try DurationText.parse("6") == .seconds(6))
        #expect(try DurationText.parse("007") == .seconds(7))
        #expect(try DurationArgument(parsing: "6").duration == .seconds(6))
    }

    @Test func writesCompactly() throws {
        #expect(try DurationText.text(DurationText.parse("24h")) == "1d")
        #expect(try DurationText.text(DurationText.parse("90s")) == "1m30s")
        #expect(DurationText.text(.milliseconds(-1500)) == "-1s500ms")
        #expect(DurationText.text(.microseconds(10)) == "0s")
        #expect(DurationText.text(.seconds(Int64.max)) == "9223372036854775807s")
        #expect(DurationText.text(.seconds(Int64.min)) == "-9223372036854775808s")
    }

    @Test(arguments: [
        ("", "say a duration, such as 30s"),
        ("s", "say a whole number and a unit, such as 30s"), ("-5s", "say a whole number and a unit, such as 30s"),
        (".nan", "say a whole number and a unit, such as 30s"), ("5min", units), ("1.5h", units), ("30 s", units),
        ("30S", units), ("1h30", "say a unit, such as 30s"), ("30m1h", order), ("1h1h", order),
        ("99999999999999999999s", tooLong), ("99999999999999999999", tooLong), ("9223372036854776", tooLong),
        ("9223372036854775807d", tooLong),
        ("٣s", "say a whole number and a unit, such as 30s"),
        ("1\u{301}s", "say a whole number and a unit, such as 30s"), ("106751991167d7h12m55s808ms", tooLong),
    ])
    func saysHowToWriteIt(text: String, sentence: String) {
        let error = #expect(throws: UserError.self) { try DurationText.parse(text) }
        #expect(error?.description == sentence)
    }

    private static let units = "write whole numbers with the units d, h, m, s or ms, such as 1h30m"
    private static let order = "write each unit once, the greater ones first, such as 1h30m"
    private static let tooLong = "that is too long a time; say less"

    @Test(arguments: [
        (Duration.milliseconds(-1500), "-1s", "0s"), (.milliseconds(59_999), "59s", "59s"),
        (.milliseconds(599_999), "9m59s", "9m59s"), (.seconds(600), "10m", "10m"), (.seconds(659), "10m59s", "10m"),
        (.seconds(90_061), "1d1h1m1s", "1d1h1m"),
    ])
    func roundsDownForPeople(duration: Duration, seconds: String, rounded: String) {
        #expect(DurationText.seconds(duration) == seconds)
        #expect(DurationText.rounded(duration) == rounded)
    }
}
