import RunLoop

/// One device as its adapter's radio sees it at a moment: what it wants, and what the others may expect of it.
struct Contender: Sendable, Hashable {
    let turn: Turn
    var wish = Wish.none
    var connection = Connection.none
    /// When its next tick is due.
    var nextTick = Uptime.never
    /// Whether it will want a connection for that tick, and can be relied on.
    var isExpected = false
    /// Whether it is ever connected.
    var isConnectable = true
    /// Whether advertisements of it are wanted.
    var isListenedTo = false
    var contact = Contact()

    enum Wish: Sendable, Hashable {
        case none
        /// To be connected.
        case connection
        /// To be found first, as BlueZ doesn't have it.
        case search(isAllowed: Bool)
    }

    enum Connection: Sendable, Hashable {
        case none
        /// blekeep is connecting it.
        ///
        /// - Parameter hasHadItsTurn: whether that has lasted long enough, should others wait.
        case attempt(hasHadItsTurn: Bool)
        case up
        /// It is connected for its next tick only, and others may need the slot more.
        case spare
        /// It is being disconnected, or an attempt to connect it is being cancelled.
        case ending(isUp: Bool)
    }

    var id: DeviceID { turn.id }

    /// Whether it takes a slot of the adapter.
    var isUp: Bool {
        switch connection {
        case .none, .attempt: false
        case .up, .spare: true
        case .ending(let isUp): isUp
        }
    }

    /// Whether it waits to be found, can be relied on, and may be searched for.
    var isSought: Bool { wish == .search(isAllowed: true) && turn.isDueAndReliable }
}
