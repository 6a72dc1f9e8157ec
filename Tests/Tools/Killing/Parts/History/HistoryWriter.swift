import Blekeep
import BlekeepHistory
import BlekeepOutputs
import Glibc

/// The process that appends to a history until it is killed. It reports each step before and after.
enum HistoryWriter {
    /// The reports: a word and a number, eight bytes each.
    enum Mark: Int64 {
        case opening
        /// With how many microseconds that took.
        case opened
        /// With the batch's number.
        case appending
        /// With the last sequence number.
        case appended
        case keeping, kept
        /// With the length of a text, which follows.
        case failed
    }

    /// As small as makes sense, so that the oldest readings make room all the time.
    static let limits: HistoryLimits = {
        var limits = HistoryLimits(HistoryConfiguration(rollups: 1 << 30, reserve: 0))
        limits.size = 256 << 10
        return limits
    }()

    /// - Parameters:
    ///   - first: the number of the first batch.
    ///   - output: where the marks go.
    static func run(_ path: String, _ load: Load, from first: Int, to output: Int32) -> Never {
        func say(_ mark: Mark, _ number: Int64 = 0) {
            var words = [mark.rawValue, number]
            // Whoever has started us is gone.
            if write(output, &words, 16) != 16 { _exit(0) }
        }
        do {
            say(.opening)
            let begin = ContinuousClock.now
            let history = try History(path: path, limits: limits)
            say(.opened, (ContinuousClock.now - begin).wholeMicroseconds)
            var number = first
            while true {
                let batch = load.batch(number)
                say(.appending, Int64(number))
                say(.appended, try append(batch, to: history) ?? 0)
                if load.hasLateUpkeep ? number % 500 > 470 : history.needsUpkeep || number.isMultiple(of: 3) {
                    say(.keeping)
                    try history.upkeep()
                    say(.kept)
                }
                number += 1
            }
        } catch {
            let text = Array("\(error)".utf8)
            say(.failed, Int64(text.count))
            _ = write(output, text, text.count)
            exit(1)
        }
    }

    /// - Returns: the last sequence number.
    static func append(_ batch: Load.Batch, to history: History) throws -> Int64? {
        var changes = LedgerChanges()
        changes.clocks = batch.clocks
        return try history.append(batch.readings, nil, changes, durable: batch.isDurable).last?.sequence
    }
}

extension Duration {
    var wholeMicroseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
