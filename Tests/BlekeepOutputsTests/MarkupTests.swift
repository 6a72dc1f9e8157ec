import BlekeepOutputs
import SampleReadings
import Testing

/// Text can't become markup.
@Suite struct MarkupTests {
    @Test func literalsAreMarkupAndWhatTheyInterpolateIsText() {
        let name = "<b id=\"x\">Tom & 'Jerry'</b>"
        let escaped = "&lt;b id=&quot;x&quot;&gt;Tom &amp; &#39;Jerry&#39;&lt;/b&gt;"
        let markup: Markup = "<p title=\"\(name)\">\(name)</p>"
        #expect(markup.text == "<p title=\"\(escaped)\">\(escaped)</p>")
    }

    @Test func markupInMarkupStaysAsItIs() {
        let inner: Markup = "<b>\("&")</b>"
        let none: Markup? = nil
        let outer: Markup = "<p>\(inner)\(none)\([inner, inner])\(17)</p>"
        #expect(outer.text == "<p><b>&amp;</b><b>&amp;</b><b>&amp;</b>17</p>")
        #expect(Markup(joining: ["a", inner, "c"] as [Markup], ", ").text == "a, <b>&amp;</b>, c")
        #expect(Markup(joining: [], ", ").isEmpty)
    }

    @Test(arguments: hostileTexts) func noTextLeavesItsPlace(text: String) {
        let markup: Markup = "\(text)"
        #expect(!markup.text.unicodeScalars.contains { "<>\"'".unicodeScalars.contains($0) || $0.doesHarm })
        #expect(markup.text.unicodeScalars.count <= 8 * (Markup.longestText + 1))
    }
}
