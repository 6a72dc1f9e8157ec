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
    func add(_ request: WriteRequest, answer: @escaping Answer) {
        let (number, replaced) = pending.add(request, at: loop.now)
        if let replaced { finish(replaced, result: .failure(.refused("a newer value replaced it"))) }
        guard let number else {
            return answer(.failure(.refused("\(PendingWrites.maxWaiting) other values wait already")))
        }
        answers[number] = answer
        arm()
    }

    func removeFirst() -> PendingWrites.Write? {
        defer { arm() }
        return pending.removeFirst()
    }

    func finish(_ number: Int, result: Result<[UInt8], ReadingFailure>) {
        answers.removeValue(forKey: number)?(result)
    }

    /// Refuses all writes that wait.
    func refuseAll(_ failure: ReadingFailure) {
        while let write = removeFirst() { finish(write.number, result: .failure(failure)) }
    }

    private func arm() {
        if pending.isEmpty { loop.disarm(timer) } else { loop.arm(timer, at: pending.deadline) }
    }

    private func expire() {
        let failure = ReadingFailure(
            .late, "the device wasn't connected within \(DurationText.text(PendingWrites.patience))")
        for write in pending.removeExpired(at: loop.now) { finish(write.number, result: .failure(failure)) }
        arm()
    }
}

extension ReadingFailure {
    /// A write that blekeep didn't try.
    static func refused(_ message: String) -> ReadingFailure { ReadingFailure(.refused, message) }
}

/// The values that wait to be written to a device. Pure.
struct PendingWrites: Sendable {
    struct Write: Sendable, Hashable {
        /// Identifies the write for its answer.
        let number: Int
        let request: WriteRequest
        let deadline: Uptime
    }

    private(set) var waiting: [Write] = []
    private var last = 0

    static let maxWaiting = 8
    /// How long a write may wait for the device.
    static let patience: Duration = .seconds(60)

    var isEmpty: Bool { waiting.isEmpty }

    /// When the next write has waited too long.
    var deadline: Uptime { waiting.first?.deadline ?? .never }

    /// Adds a write. It replaces one that waits for the same characteristic.
    ///
    /// - Returns: the number of the new write, `nil` when too many wait; and the number of the replaced one.
    mutating func add(_ request: WriteRequest, at now: Uptime) -> (number: Int?, replaced: Int?) {
        let replaced = waiting.firstIndex { $0.request.hasTarget(of: request) }.map { waiting.remove(at: $0).number }
        guard waiting.count < Self.maxWaiting else { return (nil, replaced) }
        last += 1
        waiting.append(Write(number: last, request: request, deadline: now + Self.patience))
        return (last, replaced)
    }

    /// Removes and returns the oldest write.
    mutating func removeFirst() -> Write? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Removes and returns the writes that waited too long.
    mutating func removeExpired(at now: Uptime) -> [Write] {
        let expired = waiting.prefix { now >= $0.deadline }
        waiting.removeFirst(expired.count)
        return Array(expired)
    }
}
