import Testing

@testable import BlekeepRecords

@Suite struct StoreHealthTests {
    @Test func `attempts to write are 1 s apart, then twice as far, and a minute at most`() {
        var health = StoreHealth()
        let delays = (0..<8).map { _ in health.failed() }
        #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    }

    @Test func `the first success after a failure says what was dropped, once`() {
        var health = StoreHealth()
        let before = health.succeeded()
        _ = health.failed()
        health.dropped(3)
        #expect(health.isFailing && health.lost == 3)
        let first = health.succeeded()
        #expect(!health.isFailing && health.lost == 0)
        let second = health.succeeded()
        #expect(before == nil)
        #expect(first == "writing to the history again; the oldest 3 were dropped")
        #expect(second == nil)
    }
}
