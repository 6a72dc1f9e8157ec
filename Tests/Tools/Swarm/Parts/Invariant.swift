/// A promise of the keeper that must hold at every step (S), or once everything is well again (L).
package enum Invariant: String, Sendable, CaseIterable {
    /// At most one Connect under way on an adapter, and none while we discover.
    case noOverlap = "S1 no-overlap"
    /// At most one read under way on a link.
    case oneRead = "S2 one-read"
    /// Every call ends by its deadline, and so does every wait for something that is to come.
    case bounded = "S3 bounded"
    /// Nothing is asked of an object, or of a bluetoothd, that has been gone for a while.
    case noStale = "S4 no-stale"
    /// A value was really sent by that characteristic, a moment ago; and what is said to be connected may be.
    case truth = "S5 truth"
    /// What was read is kept, and what is kept is published, once.
    case noLoss = "S6 no-loss"
    /// Sequence numbers rise, and time does.
    case order = "S7 order"
    /// Nothing is ended that is not ours, and nothing destroyed.
    case doNoHarm = "S8 do-no-harm"
    /// What somebody else than BlueZ says changes nothing: what is connected is not connected again.
    case noSpoof = "S9 no-spoof"
    /// Before a sleep, and at the end, what was read is safe against a power cut.
    case flush = "S10 flush"
    /// The keeper never ends by itself.
    case alive = "S11 alive"
    /// The log and its notices stay within their budget.
    case quiet = "S12 quiet"
    /// Connections, reads and syncs are no more than the rhythm needs, and fewer where they are in vain.
    case sparse = "S13 sparse"
    /// Nothing grows without bounds.
    case memory = "S14 memory"
    /// Nothing is begun on a link that we have asked to end, until it has; and none is ended in the middle of a read.
    case patient = "S15 patient"
    /// The machine's sleep is held up for no longer than it takes to let everything go.
    case yield = "S16 yield"
    /// The bus daemon's limits are never reached.
    case limits = "S17 limits"
    /// After everything is well again, every device is read again, soon.
    case recover = "L1 recover"
    /// With more devices than slots, all have their turn.
    case fair = "L2 fair"
    /// What waited for the store is kept.
    case drain = "L3 drain"
    /// What only a person could help is tried again by itself.
    case unpark = "L4 unpark"
    /// How much power is saved is what the machine asks for.
    case mode = "L5 mode"
}

package struct Violation: Sendable, Hashable, CustomStringConvertible {
    package var invariant: Invariant
    package var moment: Duration
    package var what: String

    package var description: String { "\(invariant.rawValue) at \(moment): \(what)" }
}
