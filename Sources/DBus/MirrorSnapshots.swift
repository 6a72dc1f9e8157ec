/// Decides which snapshots of a service's objects are valid, and which signals to apply to them.
///
/// A snapshot is valid only if, after its request, no new owner appeared and no signal may have been lost.
/// Signals may arrive after the reply, but before the mirror processes it. The mirror keeps them, and applies them to the
/// snapshot. Applying an older signal is harmless, because the snapshot has the same or a newer value.
struct MirrorSnapshots {
    /// Whether the mirror has all objects of the service.
    private(set) var isCurrent = false
    /// Whether the mirror ever had a snapshot of this owner. Then signals change the tree, even while a new snapshot is
    /// awaited.
    private(set) var isKnown = false
    private var doubts = 0
    /// The signals since the request; `nil` when no snapshot is awaited, or after too many signals.
    private var kept: [Signal]?

    static let maxKept = 10_000

    /// A request for a snapshot. It equals a later one if no signal can have been lost in between.
    struct Question: Equatable {
        fileprivate let doubts: Int
    }

    var question: Question { Question(doubts: doubts) }

    /// Notes that signals may have been lost.
    mutating func doubt() {
        isCurrent = false
        doubts += 1
    }

    /// Notes a new owner of the service, which invalidates all objects.
    mutating func forget() {
        isKnown = false
        doubt()
    }

    /// Notes that the mirror has a snapshot, and all rules for later signals.
    mutating func complete() {
        isCurrent = true
        isKnown = true
    }

    // MARK: Signals

    mutating func beginKeeping() { kept = [] }

    mutating func endKeeping() { kept = nil }

    mutating func keep(_ signal: Signal) {
        guard let count = kept?.count else { return }
        if count < Self.maxKept { kept?.append(signal) } else { kept = nil }
    }

    /// Returns the signals to apply to the reply of a request; `nil` for an invalid reply.
    mutating func signals(behind question: Question) -> [Signal]? {
        guard question == self.question else { return nil }
        if kept == nil { doubts += 1 }
        return kept
    }
}
