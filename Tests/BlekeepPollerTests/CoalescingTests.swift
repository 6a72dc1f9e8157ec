import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepRecords

/// How often the poller wakes for time alone.
@Suite struct CoalescingTests {
    private let adapter: ObjectPath = "/org/bluez/hci0"

    private func plan(_ id: Int, _ interval: Duration, adaptive: Bool = false) -> DevicePlan {
        var plan = DevicePlan(
            name: "\(id)", address: BluetoothAddress(bits: UInt64(id) * 7919), mode: .hold, intervals: [interval],
            subscribes: false)
        plan.adaptive = adaptive ? .seconds(5) ... .seconds(86_400) : nil
        return plan
    }

    /// Keeps devices that are always there and answer in 200 ms; half of the answers are new.
    ///
    /// - Returns: how often nothing but time woke it, and when each device was read.
    private func keep(_ plans: [DevicePlan], for length: Duration) -> (wakes: Int, polls: [DeviceNumber: [Uptime]]) {
        var state = PollerState(plans: plans, adapter: nil, maxLinks: plans.count, at: .start)
        let facts = plans.indices.map { id in
            let path = ObjectPath(unchecked: "\(adapter)/dev_\(id)")
            return (DeviceNumber(id), DeviceFacts(path: path, adapter: adapter, isConnected: true, isResolved: true))
        }
        var random = SplitMix64(seed: 11)
        var polls: [DeviceNumber: [Uptime]] = [:]
        var answers: [(moment: Uptime, id: DeviceNumber, link: Int)] = []
        var wakes = 0
        var now = Uptime.start
        func perform(_ effects: [Effect]) {
            for case .poll(let id, let link, _, _, _) in effects {
                polls[id, default: []].append(now)
                answers.append((now + .milliseconds(200), id, link))
            }
        }
        let powered = AdapterFacts(path: adapter, address: nil, isPowered: true)
        perform(state.step(.bluez([powered], Dictionary(uniqueKeysWithValues: facts.map { ($0, [$1]) })), at: now))
        while now < .start + length {
            if let answer = answers.first {
                answers.removeFirst()
                now = max(now, answer.moment)
                let result = PollResult(values: 1, isNew: random.next() % 2 == 0)
                perform(state.step(.device(answer.id, .polled(link: answer.link, result)), at: now))
            } else {
                now = state.wake
                wakes += 1
                perform(state.step(.time, at: now))
            }
        }
        return (wakes, polls)
    }

    @Test func tenDevicesWakeFourTimesATickAtMostHoweverTheirRhythmsWander() {
        let (wakes, polls) = keep((0..<10).map { plan($0, .seconds(30), adaptive: true) }, for: .seconds(6 * 3600))
        #expect(wakes <= 4 * 6 * 120)
        #expect(polls.values.allSatisfy { $0.count > 6 * 120 / 4 })
    }

    @Test func oneRhythmForAllWakesOnceATick() {
        let (wakes, polls) = keep((0..<10).map { plan($0, .seconds(30)) }, for: .seconds(3600))
        // And once when what is wrong with bluetoothd since the start would be reported.
        #expect(wakes == 120 + 1)
        #expect(polls.values.allSatisfy { $0.count == 121 })
    }

    @Test func companyMakesNoDeviceQuickerThanItsInterval() {
        let intervals = [30, 31, 35, 37, 45, 60, 70, 90, 100, 300]
        let (wakes, polls) = keep(
            intervals.enumerated().map { plan($0.offset, .seconds($0.element)) }, for: .seconds(7200))
        for (id, seconds) in intervals.enumerated() {
            let moments = polls[DeviceNumber(id)] ?? []
            #expect((7200 / seconds...7200 / seconds + 2).contains(moments.count))
            for (number, moment) in moments.enumerated() {
                let deadline = Uptime.start + .seconds(seconds * number)
                let window = min(Duration.seconds(seconds) / 4, .seconds(30))
                #expect(moment <= deadline + .seconds(3))
                #expect(deadline - moment <= window)
            }
        }
        #expect(wakes < polls.values.map(\.count).reduce(0, +) * 2 / 3)
    }

    @Test func anEarlyTickMovesNoDeadline() {
        var schedule = TickSchedule(every: .seconds(40), from: .start)
        _ = schedule.takeDue(at: .start)
        #expect(schedule.takeDue(at: .start + .seconds(29), isCoalescing: true) == nil)
        #expect(schedule.takeDue(at: .start + .seconds(30)) == nil)
        let early = schedule.takeDue(at: .start + .seconds(30), isCoalescing: true)
        #expect(early?.deadline == .start + .seconds(40))
        #expect(early?.skipped == 0)
        #expect(schedule.next == .start + .seconds(80))
        #expect(schedule.takeDue(at: .start + .seconds(45), isCoalescing: true) == nil)
    }
}
