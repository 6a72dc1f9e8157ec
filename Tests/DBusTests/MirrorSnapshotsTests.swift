import Testing

@testable import DBus

@Suite struct MirrorSnapshotsTests {
    private let signal = Signal("/test", interface: "test.Echo", member: "Said", arguments: [])

    @Test func anAnswerCountsUntilADoubtComes() {
        var snapshots = MirrorSnapshots()
        let question = snapshots.question
        snapshots.beginKeeping()
        #expect(snapshots.signals(behind: question)?.isEmpty == true)
        snapshots.complete()
        #expect(snapshots.isCurrent && snapshots.isKnown)
        snapshots.doubt()
        #expect(!snapshots.isCurrent && snapshots.isKnown)
        #expect(snapshots.signals(behind: question) == nil)
    }

    @Test func anotherOwnerVoidsWhatWasKnown() {
        var snapshots = MirrorSnapshots()
        snapshots.complete()
        let question = snapshots.question
        snapshots.beginKeeping()
        snapshots.forget()
        #expect(!snapshots.isCurrent && !snapshots.isKnown)
        #expect(snapshots.question != question)
        #expect(snapshots.signals(behind: question) == nil)
    }

    @Test func keepsSignalsWhileASnapshotIsAwaited() {
        var snapshots = MirrorSnapshots()
        snapshots.keep(signal)
        snapshots.beginKeeping()
        for _ in 0..<3 { snapshots.keep(signal) }
        #expect(snapshots.signals(behind: snapshots.question)?.count == 3)
        snapshots.endKeeping()
        snapshots.keep(signal)
        snapshots.beginKeeping()
        #expect(snapshots.signals(behind: snapshots.question)?.isEmpty == true)
    }

    @Test func tooManySignalsAreADoubt() {
        var snapshots = MirrorSnapshots()
        let question = snapshots.question
        snapshots.beginKeeping()
        for _ in 0...MirrorSnapshots.maxKept { snapshots.keep(signal) }
        #expect(snapshots.signals(behind: question) == nil)
        #expect(snapshots.question != question)
    }

    @Test func pausesDoubleUpTo40Seconds() {
        var pause = RetryPause()
        #expect((0..<8).map { _ in pause.next() } == [1, 2, 4, 8, 16, 32, 40, 40].map { .seconds($0) })
    }
}
