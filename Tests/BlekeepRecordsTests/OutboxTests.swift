import Testing

@testable import BlekeepRecords

/// The readings that a sink lacks, was sent, and has confirmed.
@Suite struct OutboxTests {
    @Test func aNewSinkBeginsWithWhatComesNow() {
        var outbox = Outbox(after: 10, newest: 10)
        #expect(outbox.backlog == 0)
        #expect(outbox.position == 10)
        outbox.stored(upTo: 12)
        #expect(outbox.nextBacklog == 11..<13)
    }

    @Test func aReadingIsDoneWhenItIsConfirmed() {
        var outbox = Outbox(after: 10, newest: 10)
        outbox.stored(upTo: 12)
        let key = outbox.sent(11..<13, isLive: true)
        #expect(outbox.position == 10)
        #expect(outbox.nextBacklog == nil)
        #expect(outbox.confirm(key) == false)
        #expect(outbox.position == 12)
        #expect(outbox.confirm(key) == nil)
    }

    @Test func newReadingsPassTheBacklog() {
        var outbox = Outbox(after: 10, newest: 100)
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
        var outbox = Outbox(after: 0, newest: 0)
        outbox.stored(upTo: 5)
        _ = outbox.sent(1..<6, isLive: true)
        outbox.stored(upTo: 9)
        #expect(outbox.nextBacklog == nil)
        outbox.lostConnection()
        #expect(outbox.nextBacklog == 1..<10)
    }

    @Test func isWhatItWasAfterARestart() {
        var outbox = Outbox(after: 10, confirmed: [20...29, 40...49], newest: 60)
        #expect(outbox.backlog == 30)
        #expect(outbox.nextBacklog == 11..<20)
        #expect(outbox.confirmed == [20...29, 40...49])
        let key = outbox.sent(11..<20, isLive: false)
        #expect(outbox.confirm(key) == true)
        #expect(outbox.position == 29)
    }

    /// An older history was restored.
    @Test func continuesAtTheEndOfALogThatHasNotGivenThePosition() {
        var outbox = Outbox(after: 500, confirmed: [600...700], newest: 60)
        #expect(outbox.backlog == 0)
        #expect(outbox.position == 500)
        #expect(outbox.confirmed.isEmpty)
        outbox.stored(upTo: 61)
        outbox.resume(after: 60)
        #expect(outbox.position == 60)
        #expect(outbox.nextBacklog == 61..<62)
    }

    @Test func continuesWhereTheSinkItselfEnded() {
        var outbox = Outbox(after: 10, newest: 20)
        outbox.resume(after: 15)
        #expect(outbox.nextBacklog == 16..<21)
        outbox.resume(after: 7)
        #expect(outbox.nextBacklog == 8..<21)
    }

    @Test func countsWhatTheLogNoLongerHas() {
        var outbox = Outbox(after: 10, newest: 60)
        outbox.skip(11..<31, isLost: true)
        #expect(outbox.lost == 20)
        #expect(outbox.nextBacklog == 31..<61)
        outbox.skip(31..<41, isLost: false)
        #expect(outbox.lost == 20)
        #expect(outbox.nextBacklog == 41..<61)
    }

    @Test func sendsAgainWhatTheSinkLost() {
        var outbox = Outbox(after: 80, newest: 90)
        #expect(outbox.reopen([1..<20, 50..<60, 70..<Int64.max], oldest: 11) == 30)
        #expect(outbox.lacking.ranges.map { $0 } == [11..<20, 50..<60, 70..<91])
        #expect(outbox.position == 10 && outbox.nextBacklog == 11..<20)
        #expect(outbox.reopen([50..<60], oldest: 11) == 0, "they are lacking already")
        #expect(outbox.reopen([1..<5], oldest: 91) == 0, "the log is empty")
        #expect(outbox.reopen((0..<1000).map { $0 * 2..<$0 * 2 + 1 }, oldest: 1) > 0)
        #expect(outbox.lacking.ranges.count <= Outbox.maxRanges)
    }

    @Test func keepsABoundedNumberOfRanges() {
        var outbox = Outbox(after: 0, newest: 0)
        for number in 1...1000 as ClosedRange<Int64> {
            outbox.stored(upTo: number * 10)
            let live = number * 10 - 4..<number * 10 + 1
            _ = outbox.confirm(outbox.sent(live, isLive: true))
        }
        #expect(outbox.lacking.ranges.count <= Outbox.maxRanges + 1)
        // Joined ranges are sent twice, and no reading is left out.
        #expect(outbox.position == 0)
        #expect(outbox.lacking.contains(9995))
    }

    @Test func limitsWhatIsInFlight() {
        var outbox = Outbox(after: 0, newest: 0)
        for number in 1...Int64(Outbox.maxLive) {
            #expect(outbox.hasLiveRoom)
            outbox.stored(upTo: number)
            _ = outbox.sent(number..<number + 1, isLive: true)
        }
        #expect(!outbox.hasLiveRoom)
    }

    // MARK: Pages

    /// Returns the page of readings 4 to 9.
    private func page(_ numbers: [Int64], held: Int64? = nil) -> String {
        let page = numbers.map(makeStored)
        switch Outbox.Page(page, of: 4..<10, isHeld: { $0.sequence == held }) {
        case .gap(let numbers): return "gap \(numbers)"
        case .readings(let readings, let isFollowedByHeld):
            return "\(readings.compactMap(\.sequence))" + (isFollowedByHeld ? " held" : "")
        }
    }

    @Test func takesConsecutiveReadingsUpToAGapOrUpToOneThatWaitsForTheClock() {
        #expect(page([4, 5, 6]) == "[4, 5, 6]")
        #expect(page([4, 5, 8]) == "[4, 5]")
        #expect(page([4, 5, 6], held: 6) == "[4, 5] held")
        #expect(page([4, 5], held: 4) == "[] held")
        #expect(page([4, 5, 6, 7, 8, 9, 10]) == "[4, 5, 6, 7, 8, 9]")
    }

    @Test func namesTheNumbersThatTheHistoryLacks() {
        #expect(page([7, 8]) == "gap 4..<7")
        #expect(page([]) == "gap 4..<10")
        #expect(page([12]) == "gap 4..<10")
    }
}
