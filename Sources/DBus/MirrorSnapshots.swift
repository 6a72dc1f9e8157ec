/// Which snapshots of a service's objects count, and the signals to apply to a snapshot.
///
/// A snapshot is valid only if, after its request, no new owner appeared and no signal may have been lost.
/// Signals can arrive behind the answer, but before the mirror looks at it. They are kept and applied to the snapshot.
/// A signal that came before the answer does no harm there, as the last word is the same.
struct MirrorSnapshots {
    /// Whether the mirror has all that the service has.
    private(set) var isCurrent = false
    /// Whether there was a snapshot of this owner. What the owner tells from then on counts, also before the next one.
    private(set) var isKnown = false
    private var doubts = 0
    /// The signals since the question; `nil` when no snapshot is awaited, or when they were too many to keep.
    private var kept: [Signal]?

    static let mostKept = 10_000

    /// A question for a snapshot; equal to a later one if no doubt came in between.
    struct Question: Equatable {
        fileprivate let doubts: Int
    }

    var question: Question { Question(doubts: doubts) }

    /// Something may have been missed.
    mutating func doubt() {
        isCurrent = false
        doubts += 1
    }

    /// The service has another owner: what was known is void.
    mutating func forget() {
        isKnown = false
        doubt()
    }

    /// The mirror has a snapshot, and all rules for the signals from then on.
    mutating func complete() {
        isCurrent = true
        isKnown = true
    }

    // MARK: Signals

    mutating func beginKeeping() { kept = [] }

    mutating func endKeeping() { kept = nil }

    mutating func keep(_ signal: Signal) {
        guard let count = kept?.count else { return }
        if count < Self.mostKept { kept?.append(signal) } else { kept = nil }
    }

    /// Returns the signals to apply to the answer of a question; `nil` if the answer doesn't count.
    mutating func signals(behind question: Question) -> [Signal]? {
        guard question == self.question else { return nil }
        if kept == nil { doubts += 1 }
        return kept
    }
}
