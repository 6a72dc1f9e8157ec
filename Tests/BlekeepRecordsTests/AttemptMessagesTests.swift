import Testing

@testable import BlekeepRecords

@Suite struct AttemptMessagesTests {
    @Test func everyPhaseAndRemedyHasWordsOfItsOwn() {
        var sentences: Set<String> = []
        // The message of a repair is complete by itself.
        let phases = Attempt.Phase.allCases.filter { $0 != .recovery }
        for phase in phases {
            for remedy in Remedy.allCases {
                let attempt = Attempt(
                    phase: phase, failure: ReadingFailure(code: .other("x"), message: "broken"), remedy: remedy,
                    pause: .seconds(4))
                let text = AttemptMessages.sentence(attempt)
                #expect(text.contains(" failed: broken; "), "\(text)")
                sentences.insert(text)
            }
        }
        #expect(sentences.count == phases.count * Remedy.allCases.count)
    }

    @Test(arguments: [
        (Attempt(phase: .read), "was read"),
        (Attempt(phase: .bluez), "bluetoothd went well"),
        (
            Attempt(
                phase: .recovery, failure: ReadingFailure(code: .other("x"), message: "hci0 was switched off and on")),
            "hci0 was switched off and on"
        ),
        (
            Attempt(
                phase: .connect, failure: ReadingFailure(.connect, ""), remedy: .retry,
                pause: .milliseconds(250)), "connecting failed: connect; next attempt in 250ms"
        ),
        (
            Attempt(phase: .read, failure: ReadingFailure(.noPoint, "no such value")),
            "reading failed: no such value; other values were read"
        ),
    ]) func sentences(attempt: Attempt, text: String) {
        #expect(AttemptMessages.sentence(attempt) == text)
    }

    @Test(
        arguments: [
            (0, 999, "0s"), (0, 61_000, "1m1s"), (0, 3_661_000, "1h1m"), (0, 90_061_000, "1d1h"), (5, 0, "?"),
        ] as [(Int64, Int64, String)]) func spans(start: Int64, end: Int64, text: String)
    {
        #expect(AttemptMessages.span(from: start, to: end) == text)
    }

    /// A later version has codes, remedies and phases that this one lacks.
    @Test func namesThatItLacksHaveWordsToo() {
        let entry = LedgerEntry(
            device: nil, number: 1, phase: OpenEnum(rawValue: "dance"),
            failure: ReadingFailure(code: OpenEnum(rawValue: "shy"), message: ""), remedy: OpenEnum(rawValue: "music"),
            first: 0, last: 0, pause: .seconds(2))
        #expect(AttemptMessages.sentence(entry) == "dance failed: shy; next attempt in 2s")
    }
}
