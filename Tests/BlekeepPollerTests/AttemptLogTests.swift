import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

@Suite struct AttemptLogTests {
    /// The attempts of two devices, with each one's `Health`.
    private struct Watch {
        var log = AttemptLog(hasLedger: true)
        var devices = [("attic", 1), ("cellar", 2)].map { alias, bits in
            DeviceAttempts(DeviceConfiguration(alias: alias, address: BluetoothAddress(bits: bits)), at: 1000)
        }
        var health = [Health(), Health()]

        mutating func take(_ id: Int, _ attempt: Attempt, at time: Int64) -> [DeviceAttempts.Line] {
            health[id].record(attempt, at: .start)
            return devices[id].record(attempt, condition: health[id].condition, in: &log, at: time)
        }

        mutating func resume(_ statuses: [DeviceStatus], _ entries: [LedgerEntry]) {
            log.resume(entries)
            for id in devices.indices { devices[id].resume(statuses, entries: entries, in: &log) }
            for (id, status) in statuses.enumerated() {
                health[id].resume(status.condition)
            }
        }

        var statuses: [DeviceStatus] { devices.map(\.status) }
        var changedEntries: [LedgerEntry] { log.pending }
    }

    private func failure(_ code: String = "connect", pause: Duration? = .seconds(1)) -> Attempt {
        Attempt(
            phase: .connect, failure: ReadingFailure(code: OpenEnum(rawValue: code), message: "no answer"),
            remedy: .retry, pause: pause)
    }

    private let good = Attempt(phase: .read)

    @Test func attemptsThatEndAlikeAreOneEntryWithACount() throws {
        var watch = Watch()
        for time in 1...5 { _ = watch.take(0, failure(), at: Int64(time) * 1000) }
        _ = watch.take(0, failure("not_found"), at: 9000)
        let entries = watch.changedEntries
        #expect(entries.map(\.count) == [5, 1])
        #expect(entries.map(\.number) == [1, 2])
        #expect(entries.map(\.first) == [1000, 9000])
        #expect(entries.map(\.last) == [5000, 9000])
        #expect(entries.first?.next == 6000)
        #expect(entries.first?.device == DeviceID(BluetoothAddress(bits: 1)))
    }

    @Test func nothingIsKeptForALedgerThatIsNotThere() {
        var watch = Watch()
        watch.log = AttemptLog(hasLedger: false)
        #expect(watch.take(0, failure(), at: 1000).count == 1)
        #expect(watch.changedEntries.isEmpty)
        #expect(watch.statuses.first?.condition.failedInARow == 1)
    }

    /// The store can't be read at the start. Later events follow its contents.
    @Test func goesOnFromALedgerAlsoLate() {
        var earlier = Watch()
        for code in ["a", "b", "c", "d", "e"] { _ = earlier.take(0, failure(code), at: 2000) }
        earlier.log.record(failure("no_bus"), at: 3000)
        let entries = earlier.changedEntries
        var late = Watch()
        for code in ["f", "g", "h", "i"] { _ = late.take(0, failure(code), at: 9000) }
        late.log.record(failure("no_bluez"), at: 9000)
        late.resume(earlier.statuses, [entries[4], entries[5]])
        _ = late.take(0, failure("j"), at: 10_000)
        #expect(late.changedEntries.filter { $0.device != nil }.map(\.number) == [6, 7, 8, 9, 10])
        #expect(late.changedEntries.filter { $0.device == nil }.map(\.number) == [2])
        #expect(late.statuses[0].entries == 10)
        #expect(late.statuses[0].condition.failedInARow == 10)
        #expect(late.statuses[0].since == earlier.statuses[0].since)
        #expect(late.statuses[1] == earlier.statuses[1])
    }

    /// The earlier run may have been killed.
    @Test func whatAnEarlierRunWasAboutToDoIsNoPlanOfThisOne() {
        var earlier = Watch()
        _ = earlier.take(0, failure(), at: 2000)
        var statuses = earlier.statuses
        (statuses[0].next, statuses[0].rssi, statuses[0].link) = (9000, -60, .held)
        var watch = Watch()
        watch.resume(statuses, earlier.changedEntries)
        let status = watch.statuses[0]
        #expect(status.next == nil && status.rssi == nil && status.link == .released)
        #expect(status.condition == statuses[0].condition)
    }

    /// Its attempts follow those of the sensor that it replaces; its state doesn't.
    @Test(arguments: [false, true]) func aSuccessorHasAStateOfItsOwn(late: Bool) {
        var earlier = Watch()
        for code in ["a", "b", "c"] { _ = earlier.take(0, failure(code), at: 2000) }
        var statuses = earlier.statuses
        statuses[0].address = BluetoothAddress(bits: 99)
        statuses[0].lastValue = 1000
        var watch = Watch()
        if late { _ = watch.take(0, failure("d"), at: 9000) }
        for id in watch.devices.indices {
            watch.devices[id].resume(statuses, entries: [earlier.changedEntries[2]], in: &watch.log)
        }
        if !late { _ = watch.take(0, failure("c"), at: 9000) }
        #expect(watch.changedEntries.filter { $0.device != nil }.map(\.number) == [4])
        let status = watch.statuses[0]
        #expect(status.entries == 4 && status.lastValue == nil && status.condition.failedInARow == 1)
        #expect(status.since == watch.statuses[1].since || status.since == 9000)
    }

    /// The store refuses writes meanwhile, so it doesn't hold the device's last attempts.
    @Test func aDeviceThatComesBackGoesOnAfterItsUnstoredAttempts() {
        var watch = Watch()
        for code in ["a", "b"] { _ = watch.take(0, failure(code), at: 2000) }
        let stored = EarlierRun.Legacy(statuses: watch.statuses, entries: Array(watch.changedEntries.suffix(1)))
        _ = watch.log.offer()
        watch.log.committed()
        _ = watch.take(0, failure("c"), at: 3000)
        let device = DeviceConfiguration(alias: "attic", address: BluetoothAddress(bits: 1))
        watch.devices[0] = DeviceAttempts(device, after: stored, in: watch.log, at: 4000)
        _ = watch.take(0, failure("d"), at: 5000)
        #expect(watch.changedEntries.map(\.number) == [3, 4])
        #expect(watch.statuses[0].entries == 4)
    }

    @Test func reportsEachTransitionOnce() {
        var watch = Watch()
        var lines: [DeviceAttempts.Line] = []
        func take(_ attempt: Attempt, _ time: Int64) {
            lines += watch.take(0, attempt, at: time * 1000).filter { $0.level != .info }
        }
        take(good, 1)
        for time in 2...6 { take(failure(), Int64(time)) }
        take(good, 7)
        take(good, 8)
        let parked = Attempt(
            phase: .read, failure: ReadingFailure(.needsPairing, "the device must be paired"),
            remedy: .pairing, pause: .seconds(900))
        take(parked, 9)
        take(parked, 909)
        take(good, 910)
        #expect(lines.map(\.level) == [.warning, .notice, .warning, .notice])
        #expect(lines.map(\.event) == [.deviceLost, .deviceBack, .deviceNeedsUser, .deviceBack])
        #expect(lines.map(\.code) == [.known(.connect), nil, .known(.needsPairing), nil])
        #expect(
            lines.map(\.text) == [
                "attic: connecting failed (4 times): no answer; next attempt in 1s",
                "attic: reads again, after 5s and 5 failed attempts",
                "attic: reading failed: the device must be paired; blekeep waits until it is paired",
                "attic: reads again, after 15m1s and 2 failed attempts",
            ])
    }

    @Test func reportsRepeatsAtPowersOfTwo() {
        var watch = Watch()
        var lines = 0
        for time in 0..<36_000_000 / 1000 { lines += watch.take(0, failure(), at: Int64(time)).count }
        #expect(lines <= 20)
        #expect(watch.statuses[0].condition.failedInARow == 36_000)
    }

    @Test func aDeviceThatIsNeverStoredTakesBoundedMemory() {
        var watch = Watch()
        for time in 0..<10_000 {
            _ = watch.take(0, failure("code \(time)"), at: Int64(time))
            _ = watch.take(1, time.isMultiple(of: 2) ? good : failure(), at: Int64(time))
        }
        #expect(watch.changedEntries.count == 200)
        #expect(watch.changedEntries.last?.number == 10_000)
    }

    @Test func anOutageIsNoDevicesFault() {
        var watch = Watch()
        let outage = Attempt(phase: .bluez, failure: ReadingFailure(.noBluez, "gone"), remedy: .wait)
        watch.log.record(outage, at: 1)
        #expect(watch.statuses.map(\.state) == [.new, .new])
        #expect(watch.changedEntries.map(\.device) == [nil])
    }

    @Test func itGoesOnWhereAnEarlierRunEnded() throws {
        var first = Watch()
        for time in 1...4 { _ = first.take(0, failure(), at: Int64(time) * 1000) }
        for time in 1...4 { _ = first.take(1, good, at: Int64(time) * 1000) }
        let entries = first.changedEntries
        // A success is written once. The status has its count.
        #expect(entries.map(\.count) == [4, 1])
        var second = Watch()
        second.resume(first.statuses, entries.map { entry in entry.continued(by: first.statuses[1]) })
        let lines = second.take(0, good, at: 10_000)
        #expect(lines.map(\.text) == ["attic: reads again, after 6s and 4 failed attempts"])
        _ = second.take(1, failure(), at: 11_000)
        let cellar = second.changedEntries.filter { $0.device == DeviceID(BluetoothAddress(bits: 2)) }
        #expect(cellar.map(\.count) == [4, 1])
        #expect(cellar.map(\.last) == [4000, 11_000])
    }

    @Test(arguments: [DeviceCondition.State.good, .trying, .lost])
    func numbersFromAFileDoNotOverflow(state: DeviceCondition.State) {
        var status = DeviceStatus(
            address: BluetoothAddress(bits: 1), name: "attic",
            condition: DeviceCondition(state, inARow: .max, failure: ReadingFailure(.connect, "")), since: .min)
        (status.entries, status.lastCount) = (.max, .max)
        let entry = LedgerEntry(
            device: DeviceID(BluetoothAddress(bits: 1)), number: .max, phase: .known(.connect),
            failure: ReadingFailure(.connect, ""), remedy: .known(.retry), first: .min, last: .max,
            count: .max, pause: .milliseconds(Int64.max))
        var watch = Watch()
        watch.resume([status], [entry])
        _ = watch.take(0, failure(), at: .max)
        _ = watch.take(0, good, at: .min)
        #expect(AttemptMessages.span(from: .min, to: .max) == "?")
        #expect(entry.next != nil)
    }
}
