import RunLoop

/// A call that waits for its reply, until its deadline.
final class LoopbackCall: LoopTimer {
    let call: MethodCall
    let serial: UInt32
    let target: LoopbackBus?
    private let continuation: LoopbackCalls.Continuation
    private let calls: LoopbackCalls
    private(set) var isDelivered = false
    private var answer: Result<[Value], BusError>?

    init(
        _ call: MethodCall, serial: UInt32, to target: LoopbackBus?, of calls: LoopbackCalls,
        continuation: LoopbackCalls.Continuation
    ) {
        self.call = call
        self.serial = serial
        self.target = target
        self.calls = calls
        self.continuation = continuation
    }

    override func fire() { calls.giveUp(self, error: .timedOut) }

    func deliver() {
        guard calls.isOpen else { return }
        do throws(BusError) {
            try calls.reserveSlot()
            isDelivered = true
            try calls.home.deliver(call, from: calls.name) { self.wasAnswered($0) }
        } catch {
            if error.isLimitExceeded { calls.onPressure?(.critical) }
            calls.finish(self, result: .failure(error))
        }
    }

    /// Sends the reply. Does nothing the second time.
    private func wasAnswered(_ result: Result<[Value], BusError>) {
        answer = result
        calls.home.loop.soon { self.arrive() }
    }

    private func arrive() {
        if let answer = answer.take() { calls.finish(self, result: answer) }
    }

    func resume(_ result: Result<[Value], BusError>) {
        guard call.options.wants != nil else { return continuation.resume(returning: result) }
        continuation.resume(returning: result.map { call.options.wanted(of: $0) })
    }
}
