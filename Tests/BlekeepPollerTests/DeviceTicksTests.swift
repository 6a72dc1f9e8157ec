import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

/// A device's ticks, one after another.
@Suite final class DeviceTicksTests {
    private var ticks: DeviceTicks

    init() { ticks = Self.make() }

    private static func make(_ intervals: Set<Duration> = [.seconds(30)], count: Int? = nil) -> DeviceTicks {
        DeviceTicks(
            DevicePlan(
                name: "attic", address: BluetoothAddress(bits: 1), adapter: nil, mode: .auto, intervals: intervals,
                subscribes: false, count: count), at: .start)
    }

    private func moment(_ seconds: Int) -> Uptime { .start + .seconds(seconds) }

    private func begin(at seconds: Int) -> DueTick? {
        let tick = ticks.takeDue(at: moment(seconds))
        if let tick { ticks.begin(tick) }
        return tick
    }

    @Test func theFirstComesAtOnceTheOthersAnIntervalApart() throws {
        #expect(ticks.next == .start)
        let first = try #require(begin(at: 0))
        #expect(first.number == 1 && first.reason == .start && first.budget == maxBudget)
        #expect(ticks.current?.number == 1 && ticks.next == moment(30))
        #expect(begin(at: 29) == nil)
        #expect(begin(at: 30)?.reason == .timer)
        #expect(ticks.timer.taken == 2 && ticks.finished == 0)
        ticks.end()
        #expect(ticks.current == nil && ticks.finished == 1)
    }

    @Test func oneIsLateOnceHoweverOftenItsReadsBegin() {
        #expect(ticks.polls(at: .start) == nil)
        _ = begin(at: 0)
        #expect(ticks.polls(at: moment(2)) == .seconds(2))
        #expect(ticks.polls(at: moment(5)) == nil)
        ticks.end()
        _ = begin(at: 30)
        #expect(ticks.polls(at: moment(30)) == .zero)
    }

    @Test func whatPassedUnusedIsCounted() throws {
        _ = begin(at: 0)
        #expect(begin(at: 95)?.skipped == 2)
        #expect(ticks.missed == 2 && ticks.next == moment(120))
    }

    @Test func aTickThatTheMachinesSleepCameBetweenDoesntCount() throws {
        _ = begin(at: 0)
        ticks.drop()
        #expect(ticks.timer.taken == 0 && ticks.current == nil)
        ticks.timer.resume(at: moment(7))
        let next = try #require(begin(at: 7))
        #expect(next.number == 1)
        ticks.end()
        ticks.timer.resume(at: moment(100))
        #expect(begin(at: 100)?.reason == .resume)
    }

    @Test func thereAreNoMoreThanWereAskedFor() {
        ticks = Self.make(count: 1)
        #expect(begin(at: 0) != nil)
        #expect(begin(at: 30) == nil && !ticks.isFinished)
        ticks.end()
        #expect(ticks.isFinished && ticks.next == .never)
    }

    @Test func eachKnowsWhichIntervalsAreDue() {
        ticks = Self.make([.seconds(20), .seconds(60)])
        #expect(ticks.interval == .seconds(20))
        #expect(begin(at: 0)?.intervals == [.seconds(20), .seconds(60)])
        #expect(begin(at: 20)?.intervals == [.seconds(20)])
    }

    @Test func oneThatIsDueSoonComesAlongWithAnotherDevices() {
        _ = begin(at: 0)
        let early = ticks.takeDue(at: moment(25), isCoalescing: true)
        #expect(early == nil)
        ticks.end()
        let next = ticks.takeDue(at: moment(25), isCoalescing: true)
        #expect(next?.number == 2)
        #expect(ticks.next == moment(60))
    }

    @Test func aConnectionIsMadeAnewOnceForEach() {
        _ = begin(at: 0)
        let relinks = [ticks.relink(), ticks.relink()]
        #expect(relinks == [true, false])
        _ = begin(at: 30)
        let isAllowedAnew = ticks.relink()
        #expect(isAllowedAnew)
    }

    @Test func aPowerModeChangesTheInterval() {
        _ = begin(at: 0)
        ticks.timer.pace(for: .low, at: moment(1))
        #expect(ticks.interval.map { $0 > .seconds(30) } == true)
        ticks.timer.pace(for: .normal, at: moment(2))
        #expect(ticks.interval == .seconds(30) && ticks.next == moment(30))
    }
}
