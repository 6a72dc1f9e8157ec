import BlekeepLog
import Glibc
import RunLoop

/// How far a command is that writes readings to a file or a pipe, in a line on a terminal.
struct ReadingProgress {
    private let last: Int64
    private let isShown: Bool
    private var first: Int64?
    private var count = 0
    private var shown = MachineClock.awake()
    private var isDrawn = false

    /// - Parameters:
    ///   - last: the number of the last reading.
    ///   - isShown: whether the readings themselves don't go to the same terminal.
    init(last: Int64, isShown: Bool) {
        self.last = last
        self.isShown = isShown && isatty(STDERR_FILENO) == 1
    }

    mutating func show(_ sequence: Int64) {
        guard isShown else { return }
        let first = first ?? sequence
        self.first = first
        count += 1
        // Asking the clock takes longer than the rest.
        guard count.isMultiple(of: 256), MachineClock.awake() - shown >= .milliseconds(500) else { return }
        (shown, isDrawn) = (MachineClock.awake(), true)
        let percent = (sequence - first + 1) * 100 / (max(last, sequence) - first + 1)
        StandardError.draw("\r\u{1B}[K\(count) readings, \(percent) %")
    }

    func clear() {
        if isDrawn { StandardError.draw("\r\u{1B}[K") }
    }
}
