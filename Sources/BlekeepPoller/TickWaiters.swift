import RunLoop

/// The users who asked for a tick and wait for its end.
final class TickWaiters {
    typealias Answer = (Result<[UInt8], ReadingFailure>) -> Void

    private struct Waiter {
        let device: DeviceIndex
        /// The number of the first tick that answers it.
        let tick: Int
        let deadline: Uptime
        let answer: Answer
    }

    private let loop: RunLoop
    private var waiters: [Waiter] = []
    private lazy var timer = ClosureTimer { [weak self] in self?.expire() }

    static let most = 64
    /// How long a user waits for the end of a tick.
    static let patience: Duration = .seconds(60)

    init(_ loop: RunLoop) { self.loop = loop }

    /// - Parameter answer: called once, at the end of the tick with this number or a later one, or with a failure.
    func add(_ device: DeviceIndex, tick: Int, _ answer: @escaping Answer) {
        guard waiters.count < Self.most else { return answer(.failure(.refused("too many users wait already"))) }
        waiters.append(Waiter(device: device, tick: tick, deadline: loop.now + Self.patience, answer: answer))
        arm()
    }

    func ended(_ device: DeviceIndex, tick: Int, _ failure: ReadingFailure?) {
        guard !waiters.isEmpty else { return }
        answer(failure.map { .failure($0) } ?? .success([])) { $0.device == device && tick >= $0.tick }
    }

    func refuse(_ device: DeviceIndex, _ failure: ReadingFailure) {
        answer(.failure(failure)) { $0.device == device }
    }

    private func expire() {
        let now = loop.now
        let length = DurationText.text(Self.patience)
        answer(.failure(ReadingFailure(.late, "the device wasn't read within \(length)"))) { now >= $0.deadline }
    }

    private func answer(_ result: Result<[UInt8], ReadingFailure>, where isMeant: (Waiter) -> Bool) {
        let meant = waiters.filter(isMeant)
        waiters.removeAll(where: isMeant)
        arm()
        for waiter in meant { waiter.answer(result) }
    }

    private func arm() {
        if let first = waiters.first { loop.arm(timer, at: first.deadline) } else { loop.disarm(timer) }
    }
}
