/// The end of an attempt, for the log, `blekeep why` and `blekeep status`.
package struct Attempt: Sendable, Hashable {
    package enum Phase: String, Sendable, CaseIterable {
        /// Waiting until BlueZ hears the device.
        case search
        case connect
        /// Waiting until BlueZ knows the device's services.
        case resolve
        case read
        /// A connection that was up.
        case link
        /// The parts that all devices need: the adapter, bluetoothd, the message bus.
        case adapter, bluez, bus
        /// A recovery step. The failure's message describes it.
        case recovery
    }

    package var phase: Phase
    /// `nil` after a success.
    package var failure: ReadingFailure?
    /// What blekeep does about the failure; `nil` for nothing.
    package var remedy: Remedy?
    /// The shortest time until the next attempt; `nil` until the next tick or an event.
    package var pause: Duration?
    /// The time until the next tick, if this attempt ended the current one. There is no attempt before.
    package var nextTick: Duration?

    package init(
        phase: Phase, failure: ReadingFailure? = nil, remedy: Remedy? = nil, pause: Duration? = nil,
        nextTick: Duration? = nil
    ) {
        self.phase = phase
        self.failure = failure
        self.remedy = remedy
        self.pause = pause
        self.nextTick = nextTick
    }
}

extension Attempt {
    /// Whether values arrived. Other values of the device may have failed.
    package var isGood: Bool { failure == nil || phase == .read && remedy == nil && pause == nil }

    /// The time until the next attempt; `nil` until the next tick or an event.
    package var nextTry: Duration? { pause.map { max($0, nextTick ?? .zero) } }

    /// Whether only the user can help.
    package var needsUser: Bool { AttemptMessages.needsUser(remedy.map { .known($0) }, code: failure?.code) }
}
