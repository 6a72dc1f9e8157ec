import RunLoop

/// The state of a characteristic across connections.
struct PointMemory: Sendable {
    /// The last value.
    private(set) var last: [UInt8]?
    /// The end of a pause between reads.
    private(set) var restUntil = Uptime.start
    /// The end of a pause between subscriptions. Meanwhile, the characteristic is read if possible.
    private(set) var subscribeAfter = Uptime.start
    /// The wait for the user, which also ends when the device is paired or unpaired.
    private var waiting: (until: Uptime, wasPaired: Bool)?
    private var refusals = 0
    /// The number of consecutive reads without an answer, while other values came.
    private var silences = 0
    /// The number of the device's values at the last read without an answer.
    private var answersBefore = -1

    private static let mostSilences = 3

    /// Whether the last read had no answer.
    private(set) var isDoubtful = false

    /// A request that may need pairing.
    enum Request { case read, subscribe }

    /// The requests that succeeded, and whether the device was paired then.
    private var permitted: [Request: Bool] = [:]

    /// Records that a request succeeded, and so needs no pairing until the device is paired or unpaired.
    mutating func permit(_ request: Request, isPaired: Bool) { permitted[request] = isPaired }

    /// Whether a request may need pairing.
    func mayNeedPairing(for request: Request, isPaired: Bool) -> Bool { permitted[request] != isPaired }

    /// Pauses a request that fails for now. Another program may have the notifications of a characteristic for itself.
    mutating func unsupported(_ request: Request, at now: Uptime) {
        switch request {
        case .read: restUntil = now + Timing.waitForUser
        case .subscribe: subscribeAfter = now + Timing.subscribeAgain
        }
    }

    mutating func waitForUser(isPaired: Bool, until end: Uptime) { waiting = (end, isPaired) }

    func isWaitingForUser(isPaired: Bool, at now: Uptime) -> Bool {
        waiting.map { now < $0.until && $0.wasPaired == isPaired } ?? false
    }

    /// Takes a value.
    ///
    /// - Returns: whether it differs from the last one.
    mutating func answered(_ bytes: [UInt8]) -> Bool {
        answered()
        defer { last = bytes }
        return bytes != last
    }

    mutating func answered() {
        silences = 0
        isDoubtful = false
    }

    /// Records that the message bus refused a subscription: the next attempt is after 1 min, then 2, up to 1 h.
    mutating func subscriptionRefused(at now: Uptime) {
        subscribeAfter = now + min(.seconds(60 << min(refusals, 6)), Timing.subscribeAgain)
        refusals += 1
    }

    /// Takes a read without an answer. After three in a row, the characteristic pauses. A read counts only
    /// if the device sent another value since the last one. A device that answers nothing has its own pauses.
    ///
    /// - Parameter answers: the number of the device's values so far.
    mutating func unanswered(at now: Uptime, answers: Int) {
        isDoubtful = true
        permitted[.read] = nil
        guard answers > answersBefore else { return }
        answersBefore = answers
        silences += 1
        guard silences >= Self.mostSilences else { return }
        silences = 0
        restUntil = now + Timing.waitForUser
    }
}
