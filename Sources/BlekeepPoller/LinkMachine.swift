import DBus
import RunLoop

/// The state machine of blekeep's work with a device's connection. Pure.
///
/// BlueZ decides whether the device is connected, and `PollerState` decides what follows from it.
struct LinkMachine: Sendable, Hashable {
    private(set) var phase = LinkPhase.released
    /// The number of the current attempt or connection. A reply to an older one is void.
    private(set) var number = 0
    /// When blekeep last began to connect the device.
    private(set) var triedAt = Uptime.start
    /// The reason why the connection is about to end.
    private(set) var end = LinkEnd.unknown
    /// Whether subscriptions ended while the connection stayed.
    private(set) var isUnsubscribed = false
    /// Whether blekeep called Disconnect on this connection. A bluetoothd that hung ends it long after `Timing.disconnect`.
    private(set) var hasAskedForEnd = false
    /// The last illegal transition that `collectViolation` hasn't returned. A debug build stops there.
    private var violation: String?

    /// When an attempt may end for other devices. An attempt before its tick may end sooner.
    var turnEnd: Uptime? {
        guard case .connecting(let attempt) = phase else { return nil }
        return triedAt + (attempt.isAhead ? Timing.minimumAttemptAhead : Timing.minimumAttempt)
    }

    /// Whether an attempt may end for other devices. An attempt that BlueZ accepted goes on.
    func hasHadItsTurn(at now: Uptime) -> Bool {
        guard case .connecting(let attempt) = phase, let turnEnd else { return false }
        return !attempt.isAnswered && now >= turnEnd
    }

    // MARK: Illegal transitions

    /// Remembers an illegal transition, for the log.
    private mutating func require(_ isLegal: Bool, for transition: StaticString) {
        if isLegal { return }
        violation = "\(transition) while \(phase.name)"
        assertionFailure("\(transition) while \(phase.name)")
    }

    /// Returns an illegal transition since the last call, or a phase that doesn't match the device's state in BlueZ.
    mutating func collectViolation(isConnected: Bool) -> String? {
        require(phase.fits(isConnected: isConnected), for: isConnected ? "connected" : "not connected")
        defer { violation = nil }
        return violation
    }

    // MARK: Attempts

    /// Begins an attempt.
    ///
    /// - Parameter isAhead: whether it begins before the device's tick.
    mutating func connect(within length: Duration, isAhead: Bool, at now: Uptime) {
        require(phase == .released, for: "connecting")
        phase = .connecting(LinkPhase.Connecting(until: now + length, isAhead: isAhead))
        triedAt = now
        number += 1
    }

    /// Whether the attempt of this number is in progress.
    func isConnecting(in number: Int) -> Bool { phase.isConnecting && number == self.number }

    /// Waits for the connection, because BlueZ accepted the attempt.
    mutating func accept(at now: Uptime) {
        guard case .connecting(var attempt) = phase else { return }
        attempt.isAnswered = true
        attempt.until = now + Timing.afterConnect
        phase = .connecting(attempt)
    }

    /// Waits for the connection, because BlueZ reports that the device is connected already.
    mutating func adopt(at now: Uptime) {
        guard case .connecting(var attempt) = phase else { return }
        attempt.until = now + Timing.afterConnect
        phase = .connecting(attempt)
    }

    /// Waits for another program's attempt.
    mutating func watch(at now: Uptime) {
        require(phase.isConnecting, for: "waiting for another program's attempt")
        phase = .watching(until: now + Timing.watch)
    }

    /// Takes the connection that an attempt made.
    mutating func cameUp(at now: Uptime) {
        switch phase {
        case .connecting, .watching: phase = .resolving(until: now + Timing.resolve, isOwn: phase.isOwn)
        case .released, .held, .resolving, .polling, .disconnecting: break
        }
    }

    // MARK: Connections

    /// Takes over a connection that blekeep made.
    mutating func claim() {
        switch phase {
        case .released: phase = .held
        case .resolving(let until, _): phase = .resolving(until: until, isOwn: true)
        case .polling(let path, let until, _): phase = .polling(path, until: until, isOwn: true)
        case .disconnecting(let until, _): phase = .disconnecting(until: until, isOwn: true)
        case .held, .connecting, .watching: break
        }
    }

    /// Waits for the services of a connected device.
    mutating func resolve(at now: Uptime) {
        require(phase.isIdle, for: "waiting for services")
        phase = .resolving(until: now + Timing.resolve, isOwn: phase.isOwn)
    }

    /// Takes the report that BlueZ resolved the services. Returns whether the machine waited for it.
    mutating func resolved() -> Bool {
        guard case .resolving = phase else { return false }
        rest(isOwn: phase.isOwn)
        return true
    }

    mutating func poll(at path: ObjectPath, at now: Uptime) {
        require(phase.isIdle, for: "reading")
        isUnsubscribed = false
        phase = .polling(path, until: now + Timing.poll, isOwn: phase.isOwn)
    }

    /// Whether the poll on the connection of this number is in progress.
    func isPolling(on number: Int) -> Bool { phase.isPolling && number == self.number }

    /// Takes the end of a poll.
    ///
    /// - Parameter number: the number of the connection that it began on.
    /// - Returns: whether it was the poll in progress.
    mutating func polled(on number: Int) -> Bool {
        guard number == self.number, phase.isPolling else { return false }
        rest(isOwn: phase.isOwn)
        return true
    }

    private mutating func rest(isOwn: Bool) { phase = isOwn ? .held : .released }

    // MARK: Ends

    /// Takes the reason why the connection is about to end.
    mutating func expectEnd(_ end: LinkEnd) { self.end = end }

    /// Records that subscriptions ended with the old connection to the bus.
    mutating func unsubscribed() { isUnsubscribed = true }

    /// Ends blekeep's own connection, and waits until the device is disconnected.
    /// Returns whether the connection is blekeep's own, and must be disconnected.
    mutating func disconnect(at now: Uptime) -> Bool {
        guard phase.isOwn else { return false }
        phase = .disconnecting(until: now + Timing.disconnect, isOwn: true)
        hasAskedForEnd = true
        return true
    }

    /// Takes the end of a connection. Returns whether blekeep ended it.
    mutating func ended() -> Bool {
        defer { hasAskedForEnd = false }
        return phase.isDisconnecting || hasAskedForEnd
    }

    /// Waits until BlueZ has ended an abandoned attempt or connection.
    mutating func waitForEnd(within length: Duration, at now: Uptime) {
        phase = .disconnecting(until: now + length, isOwn: false)
    }

    /// Ends all work in progress.
    ///
    /// - Parameter staysUp: whether the connection goes on, with the same owner.
    /// - Returns: the path of a poll that was in progress.
    mutating func abandon(staysUp: Bool = false) -> ObjectPath? {
        defer { rest(isOwn: staysUp && phase.isOwn) }
        number += 1
        end = .unknown
        isUnsubscribed = false
        return if case .polling(let path, _, _) = phase { path } else { nil }
    }
}

/// The phase of blekeep's work with a device's connection.
///
/// Only `released` and `held` may last: the next tick ends them, or the end of the connection. All others have a deadline.
enum LinkPhase: Sendable, Hashable {
    /// No work, and no connection of blekeep's. Another program may have connected the device.
    case released
    /// blekeep's connection is open, without work.
    case held
    case connecting(Connecting)
    /// Waiting for another program's attempt to connect the device.
    case watching(until: Uptime)
    /// Waiting until BlueZ knows the services.
    case resolving(until: Uptime, isOwn: Bool)
    /// A poll of the device at this path is in progress.
    case polling(ObjectPath, until: Uptime, isOwn: Bool)
    /// Waiting until the device is disconnected. A cancelled attempt isn't blekeep's own.
    case disconnecting(until: Uptime, isOwn: Bool)

    /// blekeep's own attempt to connect the device.
    struct Connecting: Sendable, Hashable {
        var until: Uptime
        /// Whether it began before a tick was due, to hold the connection.
        let isAhead: Bool
        /// Whether BlueZ accepted it. The device isn't connected yet.
        var isAnswered = false
    }

    /// The word for the log.
    fileprivate var name: String {
        switch self {
        case .released: "released"
        case .held: "held"
        case .connecting: "connecting"
        case .watching: "watching"
        case .resolving: "resolving"
        case .polling: "polling"
        case .disconnecting: "disconnecting"
        }
    }

    /// Whether no work is in progress.
    @inline(__always) var isIdle: Bool {
        switch self {
        case .released, .held: true
        case .connecting, .watching, .resolving, .polling, .disconnecting: false
        }
    }

    @inline(__always) var isConnecting: Bool { if case .connecting = self { true } else { false } }
    @inline(__always) var isPolling: Bool { if case .polling = self { true } else { false } }
    @inline(__always) var isDisconnecting: Bool { if case .disconnecting = self { true } else { false } }

    /// Whether blekeep made the connection, or is making it. blekeep ends only its own connections.
    var isOwn: Bool {
        switch self {
        case .released, .watching: false
        case .held, .connecting: true
        case .resolving(_, let isOwn), .polling(_, _, let isOwn), .disconnecting(_, let isOwn): isOwn
        }
    }

    /// The deadline of the phase; `nil` for one that may last.
    @inline(__always) var deadline: Uptime? {
        switch self {
        case .released, .held: nil
        case .connecting(let attempt): attempt.until
        case .watching(let until), .resolving(let until, _), .polling(_, let until, _), .disconnecting(let until, _):
            until
        }
    }

    /// Whether the phase matches the device's state in BlueZ. That always holds between two steps of the poller.
    func fits(isConnected: Bool) -> Bool {
        switch self {
        case .held, .resolving: isConnected
        case .connecting, .watching: !isConnected
        case .released, .polling, .disconnecting: true
        }
    }
}
