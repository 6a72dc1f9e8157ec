import BlekeepBluetooth

/// What blekeep does about an error, by the remedy that the error asks for.
struct RemedyPolicy: Sendable {
    /// After an error of Connect.
    enum Connect: Sendable, Hashable {
        /// Cancel the attempt, and try again after a pause.
        case retry
        /// Try again after a pause. There is no attempt to cancel.
        case pause
        /// Wait for BlueZ's report of the connection, which is there already.
        case adopt
        /// Wait for another program's attempt.
        case watch
        /// As `retry`, unless the error comes from connecting by Low Energy only.
        case search
        /// Connect by Low Energy; ask the user if that isn't possible.
        case switchBearer
        case askUser
    }

    /// After an error of a read or of a subscription.
    enum Request: Sendable, Hashable {
        /// The tick goes on, unless the connection ended.
        case goOn
        case endTick
        /// The characteristic was removed or moved, or the device was. The points are searched again, or the tick ends.
        case search
        /// The characteristic isn't asked again soon.
        case pausePoint
        /// The device's services may no longer match BlueZ's cache.
        case suspectCache
        /// The user must pair the device.
        case askUser
    }

    /// The shortest pause before the next attempt to connect.
    enum Pause: Sendable, Hashable {
        case usual
        case atLeast(Duration)
        /// The second time in a row, another program probably wants the device for itself.
        case whenRepeated(Duration)
    }

    var connect = Connect.retry
    var request = Request.goOn
    var pause = Pause.usual
    /// Whether a failed attempt may show that the adapter can't make connections. Otherwise, something else was the reason.
    var mayBlameAdapter = true
    /// Whether the adapter may lack a slot for the connection: whether it says so, or only if the attempt ended at once.
    var mayLackSlot = SlotDoubt.none

    /// Whether the error proves nothing about the device, because bluetoothd or the adapter isn't there: its pauses don't grow.
    var provesNothing = false
    /// Whether what was requested is in progress already.
    var isInProgress = false
    /// What it means when bluetoothd doesn't report its objects.
    var outage: Outage?

    enum SlotDoubt: Sendable, Hashable { case none, ifPrompt, certain }
}

extension Remedy {
    /// The one table of what blekeep does about errors. What the user must do is in `userAction`.
    var policy: RemedyPolicy {
        switch self {
        case .retry: RemedyPolicy(mayLackSlot: .ifPrompt)
        case .backOff: RemedyPolicy(pause: .whenRepeated(.seconds(30)), mayBlameAdapter: false)
        case .watch: RemedyPolicy(connect: .watch, isInProgress: true)
        case .wait:
            RemedyPolicy(connect: .pause, request: .endTick, mayBlameAdapter: false, provesNothing: true)
        case .rediscover: RemedyPolicy(connect: .search, request: .search)
        case .adopt: RemedyPolicy(connect: .adopt)
        case .relink: RemedyPolicy(request: .endTick, outage: .hung)
        case .point: RemedyPolicy()
        case .unsupported: RemedyPolicy(request: .pausePoint)
        case .stale: RemedyPolicy(request: .suspectCache)
        case .pairing: RemedyPolicy(request: .askUser)
        case .rebond, .blocked: RemedyPolicy(connect: .askUser)
        case .denied: RemedyPolicy(connect: .askUser, outage: .denied)
        case .bearer: RemedyPolicy(connect: .switchBearer)
        case .slots: RemedyPolicy(pause: .atLeast(.seconds(4)), mayBlameAdapter: false, mayLackSlot: .certain)
        case .shed: RemedyPolicy(pause: .atLeast(.seconds(4)), mayBlameAdapter: false)
        }
    }

    /// Returns the failure of a device that only the user can help; `nil` for other remedies.
    func userAction(for address: BluetoothAddress) -> ReadingFailure? {
        switch self {
        case .rebond:
            ReadingFailure(.lostKeys, "the device has lost the keys of its pairing, and must be paired again")
        case .bearer:
            .needsUser(
                "bluetoothd connects it by classic Bluetooth: set ControllerMode = le in /etc/bluetooth/main.conf, then "
                    + "'systemctl restart bluetooth'")
        case .blocked: .needsUser("it is blocked: run 'bluetoothctl unblock \(address)', or 'rfkill unblock bluetooth'")
        case .denied: .denied
        case .stale:
            ReadingFailure(
                .staleCache, "its values no longer match what BlueZ caches of it, and it must be removed from the cache"
            )
        case .pairing: .missingPairing(isPaired: false)
        case .retry, .backOff, .watch, .wait, .rediscover, .adopt, .relink, .point, .unsupported, .slots, .shed: nil
        }
    }
}

extension ReadingFailure {
    static func needsUser(_ message: String) -> ReadingFailure { ReadingFailure(.needsUser, message) }

    /// The failure for missing keys, or for keys that the device refuses.
    static func missingPairing(isPaired: Bool) -> ReadingFailure {
        isPaired
            ? ReadingFailure(.lostKeys, "the device refuses the keys of its pairing, and must be paired again")
            : ReadingFailure(.needsPairing, "the device must be paired")
    }

    static let endless = needsUser("its connection doesn't end and gives no values: run 'systemctl restart bluetooth'")
    static let contended = needsUser(
        "another program on this machine keeps ending its connection: stop that program, or set mode: release")
}
