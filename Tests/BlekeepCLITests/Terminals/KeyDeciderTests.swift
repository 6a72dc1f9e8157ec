import Testing

@testable import BlekeepCLI

struct KeyDeciderTests {
    private func keys(_ pieces: String...) -> [KeyPress] {
        var decider = KeyDecider()
        return pieces.flatMap { decider.keys(in: $0.utf8) }
    }

    @Test(
        arguments: [
            ("\u{1B}[A", KeyPress.up), ("\u{1B}OA", .up), ("\u{1B}[B", .down), ("\u{1B}[5~", .pageUp),
            ("\u{1B}[6~", .pageDown),
            ("\u{1B}[H", .home), ("\u{1B}OH", .home), ("\u{1B}[1~", .home), ("\u{1B}[7~", .home), ("\u{1B}[F", .end),
            ("\u{1B}[4~", .end), ("\u{1B}[8~", .end), ("q", .quit),
        ])
    func sequencesAreKeys(_ sequence: String, _ key: KeyPress) {
        #expect(keys(sequence) == [key])
        #expect(keys(sequence + sequence) == [key, key])
    }

    @Test func piecesOfASequenceAreAKey() {
        #expect(keys("\u{1B}", "[", "5", "~q") == [.pageUp, .quit])
    }

    @Test func modifiersChangeNothing() {
        #expect(keys("\u{1B}[1;5A\u{1B}[6;2~") == [.up, .pageDown])
    }

    @Test func otherTextIsNoKey() {
        #expect(keys("hello ü\n\u{1B}[3~\u{1B}[200~\u{1B}x\u{1B}[M\u{1B}OP") == [])
    }

    @Test func aKeyAfterAnUnfinishedSequenceCounts() {
        #expect(keys("\u{1B}q") == [.quit])
        #expect(keys("\u{1B}\u{1B}[A") == [.up])
        #expect(keys("\u{1B}[\nq") == [.quit])
    }

    @Test func anEndlessSequenceEnds() {
        #expect(keys("\u{1B}[" + String(repeating: "1", count: 1000) + "~q") == [.quit])
    }
}
