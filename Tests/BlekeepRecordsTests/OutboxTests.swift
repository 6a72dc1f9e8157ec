import Testing

@testable import BlekeepRecords

/// The readings that a remote sink lacks, was sent, and has confirmed.
@Suite struct OutboxTests {
    private func kept(_ position: Int64, _ confirmed: [ClosedRange<Int64>] = []) -> SinkStatus {
        var status = SinkStatus(name: "x")
        status.position = position
        status.confirmed = confirmed
        return status
    }

    @Test func aNewSinkBeginsWithWhatComesNow() {
        var outbox = Outbox(nil, newest: 10)
        #expect(outbox.backlog == 0)
        #expect(outbox.position == 10)
        outbox.stored(upTo: 12)
        #expect(outbox.nextBacklog == 11..<13)
    }

    @Test func aReadingIsDoneWhenItIsConfirmed() {
        var outbox = Outbox(nil, newest: 10)
        outbox.stored(upTo: 12)
        let key = outbox.sent(11..<13, isLive: true)
        #expect(outbox.position == 10)
        #expect(outbox.nextBacklog == nil)
        #expect(outbox.confirm(key) == false)
        #expect(outbox.position == 12)
        #expect(outbox.confirm(key) == nil)
    }

    @Test func newReadingsPassTheBacklog() {
        var outbox = Outbox(kept(10), newest: 100)
        outbox.stored(upTo: 105)
        let live = outbox.sent(101..<106, isLive: true)
        let page = outbox.sent(11..<61, isLive: false)
        #expect(outbox.confirm(live) == false)
        #expect(outbox.position == 10)
        #expect(outbox.confirmed == [101...105])
        #expect(outbox.confirm(page) == true)
        #expect(outbox.nextBacklog == 61..<101)
        #expect(outbox.backlog == 40)
    }

    /// If it is sent again later, it must not come after newer readings.
    @Test func theBacklogNeverPassesWhatIsInFlight() {
        var outbox = Outbox(nil, newest: 0)
        outbox.stored(upTo: 5)
        _ = outbox.sent(1..<6, isLive: true)
        outbox.stored(upTo: 9)
        #expect(outbox.nextBacklog == nil)
        outbox.lostConnection()
        #expect(outbox.nextBacklog == 1..<10)
    }

    @Test func isWhatItWasAfterARestart() {
        var outbox = Outbox(kept(10, [20...29, 40...49]), newest: 60)
        #expect(outbox.backlog == 30)
        #expect(outbox.nextBacklog == 11..<20)
        #expect(outbox.confirmed == [20...29, 40...49])
        let key = outbox.sent(11..<20, isLive: false)
        #expect(outbox.confirm(key) == true)
        #expect(outbox.position == 29)
    }

    /// An older history was restored.
    @Test func ignoresWhatTheLogHasNotGivenYet() {
        let outbox = Outbox(kept(500, [600...700]), newest: 60)
        #expect(outbox.backlog == 0)
        #expect(outbox.position == 60)
    }

    @Test func countsWhatTheLogNoLongerHas() {
        var outbox = Outbox(kept(10), newest: 60)
        outbox.skip(11..<31)
        #expect(outbox.lost == 20)
        #expect(outbox.nextBacklog == 31..<61)
    }

    @Test func keepsABoundedNumberOfRanges() {
        var outbox = Outbox(nil, newest: 0)
        for number in 1...1000 as ClosedRange<Int64> {
            outbox.stored(upTo: number * 10)
            let live = number * 10 - 4..<number * 10 + 1
            _ = outbox.confirm(outbox.sent(live, isLive: true))
        }
        #expect(outbox.lacking.ranges.count <= Outbox.mostRanges + 1)
        // Joined ranges are sent twice, and no reading is left out.
        #expect(outbox.position == 0)
        #expect(outbox.lacking.contains(9995))
    }

    @Test func limitsWhatIsInFlight() {
        var outbox = Outbox(nil, newest: 0)
        for number in 1...Int64(Outbox.mostLive) {
            #expect(outbox.hasLiveRoom)
            outbox.stored(upTo: number)
            _ = outbox.sent(number..<number + 1, isLive: true)
        }
        #expect(!outbox.hasLiveRoom)
    }
}
