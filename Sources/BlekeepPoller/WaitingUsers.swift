import RunLoop

/// Users who wait for a device, each for a minute at most: for the end of a tick, or until a value is written.
final class WaitingUsers<Wish> {
    typealias Answer = (Result<[UInt8], ReadingFailure>) -> Void

    struct Waiter {
        let wish: Wish
        let deadline: Uptime
        /// Called once, with the bytes that were written, if any; or with a failure.
        let answer: Answer
    }

    private let loop: RunLoop
    private let max: Int
    private let (crowded, late): (ReadingFailure, ReadingFailure)
    private var waiting: [Waiter] = [] { didSet { arm() } }
    private lazy var timer = ClosureTimer { [weak self] in self?.expire() }

    /// How long a user waits.
    static var patience: Duration { .seconds(60) }

    /// - Parameters:
    ///   - max: the number of waiters. More are refused with the sentence `crowded`.
    ///   - late: what didn't happen in time, as a sentence.
    init(_ loop: RunLoop, upTo max: Int, crowded: String, late: String) {
        self.loop = loop
        self.max = max
        self.crowded = .refused(crowded)
        self.late = ReadingFailure(.late, "\(late) within \(DurationText.text(Self.patience))")
    }

    var isEmpty: Bool { waiting.isEmpty }

    func add(_ wish: Wish, answer: @escaping Answer) {
        guard waiting.count < max else { return answer(.failure(crowded)) }
        waiting.append(Waiter(wish: wish, deadline: loop.now + Self.patience, answer: answer))
    }

    /// Removes and returns the first waiter, which the caller answers.
    func removeFirst() -> Waiter? { waiting.isEmpty ? nil : waiting.removeFirst() }

    func answer(_ result: Result<[UInt8], ReadingFailure>, where isMeant: (Waiter) -> Bool = { _ in true }) {
        guard !waiting.isEmpty else { return }
        let meant = waiting.filter(isMeant)
        waiting.removeAll(where: isMeant)
        for waiter in meant { waiter.answer(result) }
    }

    private func expire() {
        let now = loop.now
        answer(.failure(late)) { now >= $0.deadline }
    }

    private func arm() {
        if let first = waiting.first { loop.arm(timer, at: first.deadline) } else { loop.disarm(timer) }
    }
}

extension ReadingFailure {
    /// What a user asked for, and blekeep didn't try.
    static func refused(_ message: String) -> ReadingFailure { ReadingFailure(.refused, message) }
}
