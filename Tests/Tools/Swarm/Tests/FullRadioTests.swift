import DBus
import RunLoop
import Testing

@testable import Swarming

/// The checker of attempts on an adapter full of other programs' connections.
@Suite struct FullRadioTests {
    private static let adapter: ObjectPath = "/org/bluez/hci0"

    /// Returns the number of reported attempts, of `count` with this pause in between.
    private func flaws(_ count: Int, every pause: Duration, isFull: (Int) -> Bool = { _ in true }) -> Int {
        var rule = FullRadio()
        return (0..<count).count { rule.attempt(Self.adapter, isFull: isFull($0), at: .start + pause * $0) != nil }
    }

    @Test func fewAttemptsAreAllowed() {
        #expect(flaws(FullRadio.most, every: .seconds(1)) == 0)
        #expect(flaws(1000, every: .seconds(60)) == 0)
    }

    @Test func manyAttemptsAreReported() {
        #expect(flaws(FullRadio.most + 1, every: .seconds(1)) == 1)
        #expect(flaws(200, every: .seconds(20)) > 0)
    }

    @Test func aFreeSlotResetsTheCount() {
        #expect(flaws(1000, every: .seconds(1)) { !$0.isMultiple(of: 20) } == 0)
        var rule = FullRadio()
        for _ in 1...FullRadio.most { _ = rule.attempt(Self.adapter, isFull: true, at: .start) }
        rule.forget()
        #expect(rule.attempt(Self.adapter, isFull: true, at: .start) == nil)
    }
}
