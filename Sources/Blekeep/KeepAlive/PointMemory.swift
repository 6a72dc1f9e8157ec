import RunLoop

/// What is remembered of one characteristic over all links, for as long as the program runs.
struct PointMemory: Sendable {
    /// The last bytes that came.
    private(set) var last: [UInt8]?
    /// It is not read before this moment.
    private(set) var restUntil = Uptime.start
    /// It is not subscribed to before this moment, but read where that can be done.
    private(set) var subscribeAfter = Uptime.start
    /// Only a user can help with it: it is left alone until then, or until the device is paired or no longer is.
    private var parked: (until: Uptime, wasPaired: Bool)?
    private var refusals = 0
    /// Reads in a row that were not answered, though other values came.
    private var silences = 0
    /// How many values of the device had come when this was not answered last.
    private var answersBefore = -1

    private static let mostSilences = 3

    /// Whether the last read was not answered.
    private(set) var isDoubtful = false

    /// A request for which a device may want to be paired.
    enum Request { case read, subscribe }

    /// The requests that succeeded, and whether the device was paired then.
    private var permitted: [Request: Bool] = [:]

    /// Records that a request succeeded, so that it needs no pairing until the device is paired or no longer is.
    mutating func permit(_ request: Request, isPaired: Bool) { permitted[request] = isPaired }

    /// Whether BlueZ may have to pair the device for a request.
    func mayNeedPairing(for request: Request, isPaired: Bool) -> Bool { permitted[request] != isPaired }

    /// Records that a request can't succeed for now. What can't be subscribed to is read where that can be done: another
    /// program may have it to itself until it disconnects.
    mutating func unsupported(_ request: Request, at now: Uptime) {
        switch request {
        case .read: restUntil = now + Timing.parked
        case .subscribe: subscribeAfter = now + Timing.subscribeAgain
        }
    }

    mutating func park(isPaired: Bool, until end: Uptime) { parked = (end, isPaired) }

    func isParked(isPaired: Bool, at now: Uptime) -> Bool {
        parked.map { now < $0.until && $0.wasPaired == isPaired } ?? false
    }

    /// - Returns: whether these bytes are others than those before.
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

    /// A read was not answered: so many in a row, and it is left alone for a while. Those of a device that answers
    /// nothing at all do not count: its own pauses are shorter.
    ///
    /// - Parameter answers: how many values have come of the device so far.
    mutating func unanswered(at now: Uptime, answers: Int) {
        isDoubtful = true
        permitted[.read] = nil
        guard answers > answersBefore else { return }
        answersBefore = answers
        silences += 1
        guard silences >= Self.mostSilences else { return }
        silences = 0
        restUntil = now + Timing.parked
    }
}
