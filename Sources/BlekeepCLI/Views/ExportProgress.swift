import Blekeep

/// The progress of an export, in one line.
struct ExportProgress {
    /// The numbers of the exported readings.
    let numbers: ClosedRange<Int64>
    private(set) var count = 0
    private var position: Int64

    init(_ numbers: ClosedRange<Int64>) {
        self.numbers = numbers
        position = numbers.lowerBound
    }

    mutating func exported(_ sequence: Int64) {
        count += 1
        position = max(position, sequence)
    }

    /// - Parameter elapsed: the time since the start.
    func line(after elapsed: Duration) -> String {
        let seconds = max(0.001, Double(elapsed.wholeMilliseconds) / 1000)
        let done = Double(position - numbers.lowerBound + 1) / Double(numbers.count)
        let left = Duration.milliseconds(Int64(min(1e12, seconds * (1 - done) / max(done, 1e-9) * 1000)))
        let percent = Int(done * 100)
        return "\(count) readings, \(Int(Double(count) / seconds))/s, \(percent) %, "
            + "\(DurationText.text(left.roundedToSeconds)) left"
    }
}

extension Duration {
    fileprivate var roundedToSeconds: Duration { .seconds(wholeMilliseconds / 1000) }
}
