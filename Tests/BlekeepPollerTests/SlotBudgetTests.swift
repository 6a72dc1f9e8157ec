import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

@Suite struct SlotBudgetTests {
    private let now = Uptime.start + .seconds(100)

    @Test func threeRefusalsAtOneCountAreALimit() {
        var slots = SlotBudget(7)
        let learned = (1...3).map { _ in slots.refused(with: 4, at: now) }
        #expect(learned == [false, false, true])
        #expect(slots.limit(at: now) == 4)
        #expect(slots.limit(at: now + SlotBudget.memory) == 7)
    }

    @Test func aNewConnectionResetsTheCount() {
        var slots = SlotBudget(7)
        _ = slots.refused(with: 4, at: now)
        _ = slots.refused(with: 4, at: now)
        slots.succeeded(with: 4)
        let isLearned = slots.refused(with: 4, at: now)
        #expect(!isLearned)
        #expect(slots.limit(at: now) == 7)
    }

    @Test func learnsNothingFromFewOrAllConnections() {
        var slots = SlotBudget(3)
        for _ in 1...9 {
            _ = slots.refused(with: 1, at: now)
            _ = slots.refused(with: 3, at: now)
        }
        #expect(slots.limit(at: now) == 3)
    }

    @Test func oneRefusalConfirmsALearnedLimit() {
        var slots = SlotBudget(7)
        for _ in 1...3 { _ = slots.refused(with: 4, at: now) }
        let later = now + SlotBudget.memory + .seconds(60)
        #expect(!slots.isFull(with: 4, own: 4, at: later))
        _ = slots.refused(with: 4, at: later)
        #expect(slots.isFull(with: 4, own: 4, at: later))
        // After a successful connection, one refusal doesn't restore the limit.
        let muchLater = later + SlotBudget.memory
        slots.succeeded(with: 4)
        _ = slots.refused(with: 4, at: muchLater)
        #expect(!slots.isFull(with: 4, own: 4, at: muchLater))
    }

    @Test func theConfiguredLimitCountsOwnConnectionsAndTheLearnedOneAll() {
        var slots = SlotBudget(3)
        #expect(slots.isFull(with: 3, own: 1, at: now))
        #expect(!slots.isFull(with: 3, own: 0, at: now))
        for _ in 1...3 { _ = slots.refused(with: 3, at: now) }
        #expect(slots.isFull(with: 3, own: 0, at: now))
        // More connections are up, so the adapter holds that many.
        slots.holds(5)
        #expect(!slots.isFull(with: 4, own: 0, at: now))
    }

    @Test func aFullRadioSaysSoAtOnce() {
        var slots = SlotBudget(7)
        let isLearned = slots.full(with: 5, at: now)
        #expect(isLearned)
        #expect(slots.limit(at: now) == 5)
        // The limit stays high enough for other devices, even if reports say that no connection fits.
        _ = slots.full(with: 0, at: now)
        #expect(slots.limit(at: now) == SlotBudget.fewest)
    }

    @Test func remembersALimitLongerThatCostAConnection() {
        var slots = SlotBudget(7)
        let learned = (1...3).map { _ in slots.crowded(with: 5, at: now) }
        #expect(learned == [false, false, true])
        #expect(slots.limit(at: now + SlotBudget.memory) == 5)
        #expect(slots.limit(at: now + SlotBudget.longMemory) == 7)
    }

    @Test func aLinkThatCostNoOtherProvesThatThereIsRoom() {
        var slots = SlotBudget(7)
        _ = slots.crowded(with: 5, at: now)
        _ = slots.crowded(with: 5, at: now)
        slots.fitted(6)
        let isLearned = slots.crowded(with: 5, at: now)
        #expect(!isLearned)
        #expect(slots.limit(at: now) == 7)
    }
}
