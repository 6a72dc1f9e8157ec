import Testing

@testable import BlekeepCLI

struct ScrollTests {
    private let picture = Picture(
        head: ["title"], table: ["HEADINGS"] + (1...9).map { "row \($0)" }, foot: ["", "note"])

    private func lines(_ keys: [KeyPress], columns: Int = 60, height: Int = 8, hint: String = "") -> [String] {
        var scroll = Scroll()
        // The first picture comes before the first key.
        _ = scroll.lines(of: picture, columns: columns, height: height)
        for key in keys { scroll.move(key) }
        return scroll.lines(of: picture, columns: columns, height: height, hint: hint)
    }

    @Test func aPictureThatFitsDoesntScroll() {
        #expect(picture.fits(13))
        #expect(lines([.down, .end], height: 13) == picture.head + picture.rows + picture.foot)
    }

    @Test func theNumberOfRowsBelowIsShown() {
        #expect(
            lines([]) == ["title", "HEADINGS", "row 1", "row 2", "row 3", "… and 6 more devices", "", "note"])
    }

    @Test(
        arguments: [
            ([.down], "row 2", "… 1 device above, 5 below"), ([.down, .up, .up], "row 1", "… and 6 more devices"),
            ([.pageDown], "row 3", "… 2 devices above, 4 below"), ([.end], "row 7", "… 6 devices above"),
            ([.end, .pageUp], "row 5", "… 4 devices above, 2 below"), ([.end, .home], "row 1", "… and 6 more devices"),
            (Array(repeating: .down, count: 100), "row 7", "… 6 devices above"),
        ] as [([KeyPress], String, String)])
    func keysScroll(_ keys: [KeyPress], _ first: String, _ rest: String) {
        let lines = lines(keys)
        #expect(lines[2] == first)
        #expect(lines[5] == rest)
        #expect(lines.suffix(2) == ["", "note"])
    }

    @Test func theHintNeedsRoom() {
        #expect(lines([], hint: "arrows scroll")[5] == "… and 6 more devices (arrows scroll)")
        #expect(lines([], columns: 30, hint: "arrows scroll")[5] == "… and 6 more devices")
        #expect(lines([], columns: 10)[5] == "… and 6 m…")
    }

    @Test(arguments: 0...5) func aWindowWithoutRoomShowsWhatFits(height: Int) {
        #expect(lines([.down, .pageDown, .end], height: height).count == height)
    }
}
