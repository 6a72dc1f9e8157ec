import RunLoop

/// What is remembered of one characteristic over all links, for as long as the program runs.
final class PointMemory {
    /// The last octets that came.
    var last: [UInt8]?
    /// It is not read before this moment.
    var restUntil = Uptime.start
    /// It is not subscribed to before this moment, but read where that can be done.
    var subscribeAfter = Uptime.start
    /// Reads in a row that were not answered.
    private var silences = 0

    private static let mostSilences = 3

    func answered() { silences = 0 }

    /// A read was not answered: so many in a row, and it is left alone for a while.
    func unanswered(at now: Uptime) {
        silences += 1
        guard silences >= Self.mostSilences else { return }
        silences = 0
        restUntil = now + Timing.parked
    }
}
