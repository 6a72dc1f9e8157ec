/// Text that a peripheral might send to do harm.
package let hostileTexts: [String] = {
    let controls = (0..<0xA0 as Range<UInt32>).compactMap { Unicode.Scalar($0) }.map { "a\($0)b" }
    let invisible: [UInt32] = [
        0x061C, 0x200B, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2060, 0x2066, 0x2069, 0xFEFF, 0xFFFE,
    ]
    let words = [
        "", "=1+1", "+1", "-1", "@cmd", "'", "\"", "\"\"", "a,b", "a=b c", "\\", "a\\", "\\\"", "\r\n", "\t=1",
        "\u{1B}[2J\u{1B}]0;pwned\u{7}", "\u{202E}gnp.exe", "e\u{301}\u{301}", "👩‍👩‍👧‍👦", "🇩🇪", "\u{10FFFF}",
        String(repeating: "Z\u{335}\u{321}", count: 200), String(repeating: "x", count: 10_000), "null", "NaN", "{}",
    ]
    return controls + invisible.compactMap { Unicode.Scalar($0) }.map { "\($0)x\($0)" } + words
}()

extension Unicode.Scalar {
    /// What no line may hold.
    package var doesHarm: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
