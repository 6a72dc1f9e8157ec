import BlekeepOutputs
import BlekeepRecords
import Testing

@testable import BlekeepConfiguration

@Suite struct HistoryConfigurationTests {
    private func history(_ text: String) -> HistoryConfiguration {
        ConfigurationMerge([ConfigurationPart(text, file: "f", names: names)]).configuration.history
    }

    @Test func aPathAloneLeavesTheSizesAsTheyAre() {
        #expect(history("history: /x/y") == HistoryConfiguration(path: "/x/y"))
        #expect(history("") == HistoryConfiguration())
    }

    @Test func readsSizes() {
        let text = "history: {path: /x, size: 1GiB, rollups: 10MB, reserve: 0}"
        #expect(problems(in: text) == [])
        #expect(history(text) == HistoryConfiguration(path: "/x", size: 1 << 30, rollups: 10_000_000, reserve: 0))
        #expect(history("history: {size: 2MiB}") == HistoryConfiguration(size: 2 << 20))
    }

    @Test(
        arguments: [
            ("512KiB", 524_288), ("256MiB", 268_435_456), ("1GiB", 1_073_741_824), ("2TiB", 2_199_023_255_552),
            ("10MB", 10_000_000), ("3kB", 3000), ("1GB", 1_000_000_000), ("0", 0), ("1023", 1023),
        ] as [(String, Int64)])
    func writesASizeAsItWasRead(text: String, bytes: Int64) throws {
        #expect(try SizeText.parse(text) == bytes)
        #expect(SizeText.text(bytes) == text)
    }

    @Test func readsOtherSpellings() throws {
        #expect(try SizeText.parse("10KB") == 10_000)
        #expect(try SizeText.parse("10B") == 10)
        #expect(SizeText.text(1024 * 1000) == "1000KiB" || SizeText.text(1024 * 1000) == "1024kB")
    }

    @Test(arguments: [
        "", "MiB", "256mib", "1 GiB", "-1", "+1", "0x10", "1e6", "٣", "1.5GiB", "9223372036854775808", "9PB",
    ])
    func refusesWhatIsNoSize(text: String) {
        #expect(throws: UserError.self) { try SizeText.parse(text) }
    }
}
