import RunLoop
import Testing

@testable import Blekeep

@Suite struct SinkTroubleTests {
    private struct Failure: Error, CustomStringConvertible { let description: String }

    @Test func `doubles the pause up to a minute and reports only another failure as new`() {
        var trouble = SinkTrouble()
        #expect(!trouble.isThere)
        let full = (0..<8).map { _ in trouble.take(Failure(description: "full"), at: .start) }
        #expect(full == [true] + Array(repeating: false, count: 7))
        #expect(trouble.nextTry == .start + .seconds(60))
        let isOtherNew = trouble.take(Failure(description: "gone"), at: .start)
        #expect(isOtherNew && trouble.text == "gone" && trouble.isThere)
    }

    @Test func `tries again after 1, 2 and 4 seconds`() {
        var trouble = SinkTrouble()
        let tries = (0..<3).map { _ in
            _ = trouble.take(Failure(description: "full"), at: .start)
            return trouble.nextTry
        }
        #expect(tries == [1, 2, 4].map { .start + .seconds($0) })
    }
}
