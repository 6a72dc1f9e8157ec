import RunLoop

/// A machine that does something without an event, when time passes.
///
/// A deadline that is written where it acts and again for the alarm clock is sooner or later forgotten in one of them: the
/// device then sleeps until something else happens. So a machine says once, in `end(of:in:)`, when each of its waits is
/// over. What is due and when the poller must wake up both follow from that.
///
/// A wait is a deadline, or it is a pause. What a deadline ends is done when it is due, and then the machine doesn't wait for
/// it any more. A pause holds back what is decided again in each step, so it is a wait only while it lasts.
protocol Waiting {
    /// What the machine waits for. What is due in one step is done in the order of the cases.
    associatedtype Wait: CaseIterable
    /// What the waits depend on, besides the machine.
    associatedtype Around

    /// Returns when a wait is over; `.never` while the machine doesn't wait for it.
    func end(of wait: Wait, in around: Around) -> Uptime
}

extension Waiting {
    /// When the first wait is over.
    func nextWait(in around: Around) -> Uptime {
        Wait.allCases.reduce(.never) { min($0, end(of: $1, in: around)) }
    }
}

extension Uptime {
    /// This end of a pause while the pause lasts, and `.never` after it.
    func whileAhead(of now: Uptime) -> Uptime { self > now ? self : .never }
}
