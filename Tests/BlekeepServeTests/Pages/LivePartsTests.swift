import BlekeepOutputs
import Testing

@testable import BlekeepServe

/// A browser gets the parts of a page that changed since its last look.
@Suite struct LivePartsTests {
    private let a: (identifier: String, html: Markup) = ("a", "<p>1</p>")
    private let b: (identifier: String, html: Markup) = ("b", "<p>2</p>")

    @Test func onlyWhatChangedIsSent() {
        var parts = LiveParts(edition: 100)
        parts.update([a, b])
        #expect(parts.edition == 101)
        #expect(parts.html("a", after: 0) == a.html && parts.html("b", after: 100) == b.html)
        parts.update([a, ("b", "<p>3</p>")])
        #expect(parts.edition == 102)
        #expect(parts.html("a", after: 101).text == "<i id=\"a\" data-same></i>")
        #expect(parts.html("b", after: 101).text == "<p>3</p>")
        #expect(parts.html("b", after: 102).text == "<i id=\"b\" data-same></i>")
    }

    @Test func anUnchangedPageKeepsItsEdition() {
        var parts = LiveParts(edition: 100)
        parts.update([a, b])
        parts.update([b, a])
        #expect(parts.edition == 101)
        // A part that went and came back is new.
        parts.update([a])
        parts.update([a, b])
        #expect(parts.edition == 102 && parts.html("b", after: 101) == b.html)
    }

    @Test func partsOfAnEarlierServerAreOlder() {
        var parts = LiveParts(edition: 1_000_000)
        parts.update([a])
        #expect(parts.html("a", after: 999_999) == a.html)
    }
}
