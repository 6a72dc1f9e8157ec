import RunLoop
import Testing

@testable import BlekeepRecords

/// Which connections a crash would leave to blekeep, as the ledger holds them.
@Suite final class LedgerClaimsTests {
    private var book = LedgerBook(
        PollConfiguration(devices: (1...3).map { DeviceConfiguration(alias: "\($0)", address: .init(bits: $0)) }),
        hasLedger: true, pid: 1, at: 0)

    init() {
        for id in 0..<3 { take(id, .released, nextTick: .never) }
        _ = commit(at: 0)
    }

    private func take(
        _ id: Int, _ link: DeviceStatus.Link, hasTick: Bool = false, nextTick: Uptime, at second: Int = 0
    ) {
        _ = book.apply(
            DeviceSnapshot(link: link, hasTick: hasTick, nextTick: nextTick), rssi: nil, of: DeviceNumber(id),
            at: .start + .seconds(second))
    }

    private func claim(_ id: Int, at second: Int) -> Bool {
        book.claim(DeviceNumber(id), at: .start + .seconds(second))
    }

    /// - Returns: the connections that this commit writes down, by device.
    private func commit(at second: Int) -> [String: DeviceStatus.Link] {
        let now = Uptime.start + .seconds(second)
        let clocks = ClockReading(
            boot: "this", sinceBoot: now.sinceStart, awake: now.sinceStart, time: 0, isSynchronized: true)
        let changes = book.changes(.news, clocks, time: 0, at: now)
        book.committed(at: now)
        return Dictionary(uniqueKeysWithValues: changes.statuses.map { ($0.name, $0.link) })
    }

    @Test func oneCommitWritesDownTheConnectionsOfTheNextSeconds() {
        take(0, .connecting, hasTick: true, nextTick: .start + .seconds(30))
        take(1, .released, hasTick: true, nextTick: .start + .seconds(30))
        take(2, .released, nextTick: .start + .seconds(9))
        #expect(claim(0, at: 0))
        #expect(commit(at: 0) == ["1": .connecting, "2": .connecting])
        take(1, .connecting, hasTick: true, nextTick: .start + .seconds(30), at: 2)
        #expect(!claim(1, at: 2))
        take(2, .connecting, hasTick: true, nextTick: .start + .seconds(30), at: 9)
        #expect(claim(2, at: 9))
    }

    @Test func aConnectionThatIsNeverMadeIsBlekeepsForTenSeconds() {
        take(0, .connecting, hasTick: true, nextTick: .start + .seconds(30))
        take(1, .released, hasTick: true, nextTick: .start + .seconds(30))
        _ = claim(0, at: 0)
        _ = commit(at: 0)
        #expect(book.due == .start + .seconds(10))
        #expect(commit(at: 9) == [:])
        #expect(commit(at: 10) == ["2": .released])
        #expect(book.due > .start + .seconds(10))
    }

    @Test func aConnectionThatIsClaimedAgainAndAgainIsDueOnlyLater() {
        for second in stride(from: 0, to: 40, by: 8) {
            take(0, .connecting, hasTick: true, nextTick: .start + .seconds(90), at: second)
            take(1, .released, hasTick: true, nextTick: .start + .seconds(90), at: second)
            _ = claim(0, at: second)
            _ = commit(at: second)
            #expect(book.due > .start + .seconds(second))
            take(0, .released, nextTick: .start + .seconds(90), at: second)
        }
    }

    @Test func connectionsThatHaveEndedAreWrittenDownTogether() {
        for id in 0..<2 { take(id, .held, nextTick: .start + .seconds(30)) }
        #expect(commit(at: 1) == ["1": .held, "2": .held])
        take(0, .released, nextTick: .start + .seconds(30), at: 2)
        take(1, .released, nextTick: .start + .seconds(30), at: 5)
        #expect(commit(at: 6) == [:])
        #expect(book.due == .start + .seconds(12))
        #expect(commit(at: 12) == ["1": .released, "2": .released])
    }

    @Test func aConnectionOfAnotherProgramIsWrittenDownAtOnce() {
        take(0, .held, nextTick: .never)
        _ = commit(at: 1)
        take(0, .foreign, nextTick: .never, at: 2)
        #expect(book.due <= .start + .seconds(2))
        #expect(commit(at: 2) == ["1": .foreign])
    }
}
