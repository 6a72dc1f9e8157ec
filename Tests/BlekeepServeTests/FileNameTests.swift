import SampleReadings
import Testing

@testable import BlekeepServe

/// Names of files that a browser saves.
@Suite struct FileNameTests {
    @Test(arguments: [
        ("Living Room-24h.csv", "Living-Room-24h.csv", "Living-Room-24h.csv"),
        ("../../etc/passwd", "etc-passwd", "etc-passwd"), ("...", "readings", "readings"),
        ("Küche-1h.csv", "K-che-1h.csv", "K%c3%bcche-1h.csv"),
        ("a\"; x=\"b\r\nSet-Cookie: c", "a---x--b--Set-Cookie--c", "a---x--b--Set-Cookie--c"),
    ])
    func keepLettersAndDigits(text: String, ascii: String, encoded: String) {
        #expect(
            FileName(text).disposition == "attachment; filename=\"\(ascii)\"; filename*=UTF-8''\(encoded)")
    }

    @Test(arguments: hostileTexts) func harmNoHeader(text: String) {
        let disposition = FileName(text + "-24h.csv").disposition
        #expect(disposition.utf8.allSatisfy { 0x20..<0x7F ~= $0 } && disposition.utf8.count < 2000)
        #expect(disposition.split(separator: "\"", omittingEmptySubsequences: false).count == 3)
        #expect(disposition.hasSuffix("24h.csv"))
    }
}
