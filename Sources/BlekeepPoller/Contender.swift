import RunLoop

/// A device's request to its adapter at a given time.
struct Contender: Sendable, Hashable {
    let turn: Turn
    var wish = Wish.none
    var connection = Connection.none
    /// When its next tick is due.
    var nextTick = Uptime.never
    /// Whether it will need a connection for that tick, and is reliable.
    var isExpected = false
    /// Whether blekeep connects the device at all.
    var isConnectable = true
    /// Whether it needs discovery for its advertisements.
    var isListenedTo = false
    var contact = Contact()

    enum Wish: Sendable, Hashable {
        case none
        case connection
        /// A search first, because BlueZ doesn't know the device.
        case search(isAllowed: Bool)
    }

    enum Connection: Sendable, Hashable {
        case none
        /// blekeep is connecting the device.
        ///
        /// - Parameter hasHadItsTurn: whether the attempt may end for other devices.
        case attempt(hasHadItsTurn: Bool)
        case up
        /// Connected only for the next tick. Other devices may need the slot more.
        case spare
        /// Disconnecting, or cancelling an attempt.
        case ending(isUp: Bool)
    }

    var id: DeviceIndex { turn.id }

    /// Whether the device uses a slot of the adapter.
    var isUp: Bool {
        switch connection {
        case .none, .attempt: false
        case .up, .spare: true
        case .ending(let isUp): isUp
        }
    }

    /// Whether the device is reliable, and waits for a search that is allowed.
    var isSought: Bool { wish == .search(isAllowed: true) && turn.isDueAndReliable }
}
