/// What becomes of links when the keeper ends in good order.
package enum StopPolicy: String, Sendable, CaseIterable {
    /// They are let go.
    case disconnect
    /// Those that are held between ticks stay, for the keeper that comes next on this start of the machine.
    case keep
}
