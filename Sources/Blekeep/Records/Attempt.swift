/// What became of one attempt, and what comes next: the log, `blekeep why` and `blekeep status` say it in these words.
package struct Attempt: Sendable, Hashable {
    package enum Phase: String, Sendable, CaseIterable {
        /// Waiting for the device to be heard.
        case search
        case connect
        /// Waiting for its services to be known.
        case resolve
        case read
        /// A link that was up.
        case link
        /// What stands above the device: the radio, bluetoothd, the bus.
        case adapter, bluez, bus
        /// What was done to a radio in trouble; the failure's words say all of it.
        case recovery
    }

    package var phase: Phase
    /// What went wrong; `nil`: it went well.
    package var failure: ReadingFailure?
    /// What the failure asks of us; `nil` when nothing did.
    package var remedy: Remedy?
    /// How long the device is left alone at least; `nil`: until the next tick, or until something happens.
    package var pause: Duration?
    /// When the next tick is due, from now, if this attempt ended the tick: nothing is tried before.
    package var nextTick: Duration?
}

extension Attempt {
    /// Whether values came; others of the same device may have failed then.
    package var isGood: Bool { failure == nil || phase == .read && remedy == nil && pause == nil }

    /// When it is tried again, from now; `nil`: at the next tick, or when something happens.
    package var nextTry: Duration? { pause.map { max($0, nextTick ?? .zero) } }

    /// Whether only the user can help.
    package var needsUser: Bool { AttemptMessages.needsUser(remedy.map { .known($0) }, failure?.code) }
}
