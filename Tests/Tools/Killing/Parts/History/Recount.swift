import Blekeep
import BlekeepHistory

/// All readings that a history acknowledged, and the expected contents by plain counting.
struct Recount {
    /// The key of a series.
    struct Key: Hashable {
        var address: BluetoothAddress
        var series: SeriesKey
    }

    private struct Entry {
        var reading: Reading
        var series: Int
        var time: Load.Timekeeping
    }

    private var entries: [Entry] = []
    private var series: [Key: Int] = [:]
    /// Alias and name of each series, as they were last.
    private var labels: [(key: Key, device: String, name: String)] = []
    /// The newest batch with readings.
    private var newest = -1

    /// The sequence number of the last reading.
    var last: Int64 { Int64(entries.count) }

    mutating func take(_ batch: Load.Batch, _ number: Int) {
        for reading in batch.readings { add(reading, batch.time) }
        if !batch.readings.isEmpty { newest = number }
    }

    private mutating func add(_ reading: Reading, _ time: Load.Timekeeping) {
        let key = Key(address: reading.address, series: reading.key)
        let number = series[key] ?? labels.count
        if number == labels.count {
            series[key] = number
            labels.append((key, reading.device, reading.name))
        }
        labels[number].device = reading.device
        labels[number].name = reading.name
        entries.append(Entry(reading: reading, series: number, time: time))
    }

    // MARK: Checking

    /// The contents of a history, and the mistakes in them.
    struct Findings {
        var problems: [String] = []
        /// The oldest reading that didn't make room.
        var oldest: Int64 = 1
    }

    /// Compares everything that a history says with all readings that it has acknowledged.
    ///
    /// - Parameter isDone: whether it has no more upkeep to do.
    func compare(_ reader: HistoryReader, isDone: Bool = false) throws -> Findings {
        var findings = Findings()
        var next: Int64?
        var times = entries.map { entry in
            if case .corrected(let shift, let batch) = entry.time, newest >= batch {
                entry.reading.time + shift
            } else {
                entry.reading.time
            }
        }
        try reader.readings { stored in
            if next == nil { findings.oldest = stored.sequence }
            if let next, next != stored.sequence { findings.problems.append("no reading \(next)") }
            next = stored.sequence + 1
            guard (1...last).contains(stored.sequence) else {
                findings.problems.append("reading \(stored.sequence) was never appended, or not acknowledged")
                return
            }
            let index = Int(stored.sequence - 1)
            if let problem = problem(stored.reading, index, isDone: isDone) {
                findings.problems.append("reading \(stored.sequence) \(problem)")
            }
            times[index] = stored.reading.time
        }
        if let next, next <= last { findings.problems.append("readings \(next)...\(last) are lost") }
        if next == nil, last > 0 { findings.problems.append("all \(last) readings are lost") }
        for period in Summary.Period.allCases {
            findings.problems += try compareSummaries(reader, period, times)
        }
        return findings
    }

    /// Returns the mistake in a stored reading.
    private func problem(_ reading: Reading, _ index: Int, isDone: Bool) -> String? {
        let entry = entries[index]
        var wanted = entry.reading
        wanted.device = labels[entry.series].device
        wanted.name = labels[entry.series].name
        switch entry.time {
        case .right: break
        case .neverRight: wanted.isClockSet = false
        case .corrected(let shift, let batch):
            // It may be on its way.
            wanted.isClockSet = newest >= batch && (isDone || reading.isClockSet)
            if wanted.isClockSet { wanted.time += shift }
        }
        return reading == wanted ? nil : "is \(reading), not \(wanted)"
    }

    // MARK: Summaries

    private struct Place: Hashable {
        var series: Int
        var start: Int64
    }

    private struct Fold {
        var count: Int64 = 0
        var minimum: Double?
        var maximum: Double?
        var sum = 0.0
        var last: MeasuredValue?

        mutating func add(_ outcome: Reading.Outcome) {
            switch outcome {
            case .failure(let failure, _): last = .text(failure.code.rawValue)
            case .value(let measurement, _):
                guard let value = measurement.value else { return }
                last = value
                switch value {
                case .integer(let number): add(Double(number))
                case .number(let number): add(number)
                default: break
                }
            }
            count += 1
        }

        private mutating func add(_ number: Double) {
            minimum = min(minimum ?? number, number)
            maximum = max(maximum ?? number, number)
            sum += number
        }
    }

    private func compareSummaries(
        _ reader: HistoryReader, _ period: Summary.Period, _ times: [Int64]
    ) throws -> [String] {
        let minutes: Int64 = period == .hour ? 60 : 5
        var folds: [Place: Fold] = [:]
        for (entry, time) in zip(entries, times) {
            // A time before 1970 is in no trial.
            let place = Place(series: entry.series, start: time / (minutes * 60_000))
            folds[place, default: Fold()].add(entry.reading.outcome)
        }
        folds = folds.filter { $1.count > 0 }
        var problems: [String] = []
        try reader.summaries(every: period) { summary in
            guard let number = series[Key(address: summary.address, series: summary.key)],
                let fold = folds.removeValue(forKey: Place(series: number, start: summary.start / (minutes * 60_000)))
            else {
                problems.append("a summary of nothing, or a second one: \(summary)")
                return
            }
            var wanted = summary
            (wanted.device, wanted.name) = (labels[number].device, labels[number].name)
            (wanted.count, wanted.last) = (fold.count, fold.last)
            (wanted.minimum, wanted.maximum) = (fold.minimum, fold.maximum)
            wanted.mean = fold.minimum.map { _ in fold.sum / Double(fold.count) }
            if summary != wanted { problems.append("the summary \(summary) should be \(wanted)") }
        }
        if !folds.isEmpty { problems.append("\(folds.count) summaries of \(minutes) minutes are missing") }
        return problems
    }
}
