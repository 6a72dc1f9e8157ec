import Blekeep
import BlekeepHistory
import BlekeepSimulation
import BusBench
import Glibc
import RunLoop
import Synchronization

/// Opens histories as power cuts leave them, and recounts them.
package struct TornImages {
    package struct ActivityCounter: Sendable {
        package var images = 0
        /// Images without readings that were appended after the last that had to be durable.
        package var shortened = 0
        package var readings: Int64 = 0
        package var slowestOpening: Duration = .zero
        package var problems: [String] = []
    }

    private static let imagesPerHistory = 20

    /// A power cut: the files that it leaves, and the steps before it.
    private struct Cut: Sendable {
        var image: DiskRecord.Image
        /// Batches that must be there.
        var durable: Int
        /// Batches that may be there.
        var begun: Int
    }

    /// The context and the results of the recorder's callback.
    private struct Progress {
        var durable = 0
        var begun = 0
        var next: Int
        var dice: SplitMix64
        var cuts: [Cut] = []
    }

    private let load: Load
    private let folder: TrialFolder
    private let seed: UInt64
    private var tally = ActivityCounter()

    package static func run(
        _ images: Int, seed: UInt64, report: (ActivityCounter) -> Void = { _ in }
    ) throws -> ActivityCounter {
        var all = ActivityCounter()
        var number: UInt64 = 0
        while all.images < images, all.problems.count < 20 {
            let own = seed &+ number
            var trial = try TornImages(own)
            try trial.run(min(imagesPerHistory, images - all.images))
            all.add(trial.tally, "seed \(own)")
            number += 1
            report(all)
        }
        return all
    }

    private init(_ seed: UInt64) throws {
        load = Load(seed: seed)
        folder = try TrialFolder()
        self.seed = seed
    }

    private mutating func run(_ images: Int) throws {
        for cut in try cuts(images) where tally.problems.isEmpty {
            tally.images += 1
            try examine(cut)
        }
    }

    /// Appends to a history, and cuts the power so often.
    private func cuts(_ count: Int) throws -> [Cut] {
        let record = DiskRecord(folder.history)
        defer { record.end() }
        var dice = SplitMix64(seed: ~seed)
        let progress = Mutex(Progress(next: 1 + dice.below(20), dice: SplitMix64(seed: seed ^ 0xD15C)))
        // Made before the first power cut.
        var history: History? = try open()
        record.onChange { number in
            progress.withLock { progress in
                guard number >= progress.next, progress.cuts.count < count else { return }
                let image = record.image(&progress.dice)
                progress.cuts.append(
                    Cut(image: image, durable: progress.durable, begun: progress.begun))
                let isEarly = progress.cuts.count < count / 4
                progress.next = number + 1 + progress.dice.below(isEarly ? 25 : 500)
            }
        }
        var number = 0
        while progress.withLock({ $0.cuts.count < count }) {
            if dice.below(80) == 0 { history = nil }
            let open = try history ?? self.open()
            history = open
            progress.withLock { $0.begun = number + 1 }
            let batch = load.batch(number)
            _ = try HistoryWriter.append(batch, to: open)
            number += 1
            if batch.isDurable { progress.withLock { $0.durable = number } }
            if open.needsUpkeep || number.isMultiple(of: 3) { try open.upkeep() }
        }
        history = nil
        return progress.withLock { $0.cuts }
    }

    private func open() throws -> History { try History(path: folder.history, limits: HistoryWriter.limits) }

    // MARK: Examination

    private mutating func examine(_ cut: Cut) throws {
        let place = try TrialFolder()
        guard RecordedFile.write(cut.image.database, to: place.history),
            cut.image.log.map({ RecordedFile.write($0, to: "\(place.history)-wal") }) ?? true
        else { throw PrivateBusError("cannot write \(place.history) (errno \(errno))") }
        do { try examine(cut, in: place) } catch { tally.problems.append("image \(tally.images): \(error)") }
    }

    private mutating func examine(_ cut: Cut, in place: TrialFolder) throws {
        func note(_ problem: String) { tally.problems.append("image \(tally.images): \(problem)") }
        let begin = ContinuousClock.now
        let history = try History(path: place.history, limits: HistoryWriter.limits)
        let time = ContinuousClock.now - begin
        tally.slowestOpening = max(tally.slowestOpening, time)
        if time > HistoryKills.ActivityCounter.longestOpening { note("it took \(time) to open") }
        let copies = HistoryCopies.all(of: place.history)
        if !copies.isEmpty { note("it was held for damaged, and lies in \(copies)") }

        // Commits are there up to one of them.
        let newest = try place.newest()
        var recount = Recount()
        var number = 0
        while number < cut.begun, number < cut.durable || recount.last < newest {
            recount.take(load.batch(number), number)
            number += 1
        }
        guard recount.last == newest else {
            return note(
                "reading \(newest) is the newest, not \(recount.last), in \(cut.durable)...\(cut.begun) batches")
        }
        if number < cut.begun { tally.shortened += 1 }
        tally.readings += newest
        for isDone in [false, true] {
            let findings = try recount.compare(try HistoryReader(path: place.history), isDone: isDone)
            findings.problems.prefix(3).forEach(note)
            while history.needsUpkeep { try history.upkeep() }
        }
        var next = load.batch(number)
        next.readings += load.batch(number + 1).readings
        recount.take(next, number)
        let last = try HistoryWriter.append(next, to: history)
        if let last, last != recount.last { note("the number \(last) was given instead of \(recount.last)") }
    }
}

extension TornImages.ActivityCounter {
    fileprivate mutating func add(_ other: Self, _ name: String) {
        images += other.images
        shortened += other.shortened
        readings += other.readings
        slowestOpening = max(slowestOpening, other.slowestOpening)
        problems += other.problems.map { "\(name): \($0)" }
    }
}
