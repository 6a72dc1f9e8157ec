import Testing

@testable import Blekeep

@Suite struct AttemptWordsTests {
    @Test func everyPhaseAndRemedyHasWordsOfItsOwn() {
        let remedies: [Remedy] = [.retry, .backOff, .wait, .rediscover, .adopt, .relink, .point, .pairing]
        var sentences: Set<String> = []
        // What was done to a radio says all of it itself.
        let phases = Attempt.Phase.allCases.filter { $0 != .recovery }
        for phase in phases {
            for remedy in remedies {
                let attempt = Attempt(
                    phase: phase, failure: ReadingFailure(code: "x", message: "broken"), remedy: remedy,
                    pause: .seconds(4))
                let text = AttemptWords.sentence(attempt)
                #expect(text.contains(" failed: broken; "), "\(text)")
                #expect(!text.contains("%"), "\(text)")
                sentences.insert(text)
            }
        }
        #expect(sentences.count == phases.count * remedies.count)
    }

    @Test(arguments: [
        (Attempt(phase: .read), "was read"),
        (Attempt(phase: .bluez), "bluetoothd went well"),
        (
            Attempt(phase: .recovery, failure: ReadingFailure(code: "x", message: "hci0 was switched off and on")),
            "hci0 was switched off and on"
        ),
        (
            Attempt(
                phase: .connect, failure: ReadingFailure(code: "connect", message: ""), remedy: .retry,
                pause: .milliseconds(250)), "connecting failed: connect; it is tried again in 250ms"
        ),
        (
            Attempt(phase: .read, failure: ReadingFailure(code: "no-point", message: "no such value")),
            "reading failed: no such value; other values were read"
        ),
    ]) func sentences(attempt: Attempt, text: String) {
        #expect(AttemptWords.sentence(attempt) == text)
    }

    @Test(
        arguments: [
            (0, 999, "0s"), (0, 61_000, "1m1s"), (0, 3_661_000, "1h1m"), (0, 90_061_000, "1d1h"), (5, 0, "?"),
        ] as [(Int64, Int64, String)]) func spans(start: Int64, end: Int64, text: String)
    {
        #expect(AttemptWords.span(from: start, to: end) == text)
    }

    @Test func adviceNamesTheDeviceAndNeverPromisesInVain() {
        let lost = ReadingFailure(code: "services", message: "")
        #expect(Advice.sentence(lost, remedy: "retry", of: "attic").contains("blekeep gatt attic"))
        let pairing = ReadingFailure(code: "needs_user", message: "this needs pairing: run 'blekeep pair X'")
        #expect(Advice.sentence(pairing, remedy: nil, of: "attic") == "This needs pairing: run 'blekeep pair X'.")
        #expect(Advice.sentence(nil, remedy: nil, of: "attic") == "There is nothing to do.")
        #expect(
            Advice.sentence(ReadingFailure(code: "new", message: ""), remedy: nil, of: "attic").contains("by itself"))
    }
}
