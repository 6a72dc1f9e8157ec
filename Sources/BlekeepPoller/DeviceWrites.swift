import RunLoop

/// The writes to a device that users asked for, and the callbacks for their answers.
final class DeviceWrites {
    typealias Answer = (Result<[UInt8], ReadingFailure>) -> Void

    private let loop: RunLoop
    private var pending = PendingWrites()
    private var answers: [Int: Answer] = [:]
    private lazy var timer = ClosureTimer { [weak self] in self?.expire() }

    init(_ loop: RunLoop) { self.loop = loop }

    var isEmpty: Bool { pending.isEmpty }

    /// - Parameter answer: called once, with the bytes or a failure.
    func add(_ request: WriteRequest, _ answer: @escaping Answer) {
        let (number, replaced) = pending.add(request, at: loop.now)
        if let replaced { finish(replaced, .failure(.refused("a newer value replaced it"))) }
        guard let number else { return answer(.failure(.refused("\(PendingWrites.most) other values wait already"))) }
        answers[number] = answer
        arm()
    }

    func takeFirst() -> PendingWrites.Write? {
        defer { arm() }
        return pending.takeFirst()
    }

    func finish(_ number: Int, _ result: Result<[UInt8], ReadingFailure>) {
        answers.removeValue(forKey: number)?(result)
    }

    /// Refuses all writes that wait.
    func refuseAll(_ failure: ReadingFailure) {
        while let write = takeFirst() { finish(write.number, .failure(failure)) }
    }

    private func arm() {
        if pending.isEmpty { loop.disarm(timer) } else { loop.arm(timer, at: pending.deadline) }
    }

    private func expire() {
        let failure = ReadingFailure(
            .late, "the device wasn't connected within \(DurationText.text(PendingWrites.patience))")
        for write in pending.takeExpired(at: loop.now) { finish(write.number, .failure(failure)) }
        arm()
    }
}

extension ReadingFailure {
    /// A write that blekeep didn't try.
    static func refused(_ message: String) -> ReadingFailure { ReadingFailure(.refused, message) }
}
