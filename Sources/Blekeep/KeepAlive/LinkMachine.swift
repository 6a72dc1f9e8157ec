import DBus
import RunLoop

/// A device's connection, as far as blekeep takes part in it: what is in progress, and until when.
///
/// Whether the device is connected is for BlueZ to say, and what comes of it for `KeeperState`. Pure: each transition has
/// a name, and returns what follows from it.
struct LinkMachine: Sendable, Hashable {
    private(set) var phase = LinkPhase.released
    /// Counts attempts and connections: a reply to an older one is void.
    private(set) var number = 0
    /// When blekeep last began to connect the device.
    private(set) var triedAt = Uptime.start
    /// Why the connection is about to end, where BlueZ says so.
    private(set) var end = LinkEnd.unknown
    /// Whether its subscriptions, if it had any, ended while it stayed.
    private(set) var isUnsubscribed = false

    /// Returns what has taken too long; `nil`: nothing has.
    @inline(__always) func expired(at now: Uptime) -> LinkPhase? {
        if let deadline = phase.deadline, now >= deadline { phase } else { nil }
    }

    /// When an attempt has lasted long enough, should other devices wait; one ahead of its tick has sooner.
    var turnEnd: Uptime? {
        guard case .connecting(let attempt) = phase else { return nil }
        return triedAt + (attempt.isAhead ? Timing.patienceAhead : Timing.patience)
    }

    /// Whether an attempt has lasted long enough, should other devices wait. One that BlueZ has accepted goes on.
    func hasHadItsTurn(at now: Uptime) -> Bool {
        guard case .connecting(let attempt) = phase, let turnEnd else { return false }
        return !attempt.isAnswered && now >= turnEnd
    }

    // MARK: Attempts

    /// Begins an attempt.
    ///
    /// - Parameter isAhead: whether it is ahead of the device's tick.
    mutating func connect(within length: Duration, isAhead: Bool, at now: Uptime) {
        assert(phase == .released)
        phase = .connecting(LinkPhase.Connecting(until: now + length, isAhead: isAhead))
        triedAt = now
        number += 1
    }

    /// Whether the attempt of this number is in progress.
    func isConnecting(in number: Int) -> Bool { phase.isConnecting && number == self.number }

    /// BlueZ has accepted the attempt: the device has to show as connected soon.
    mutating func accept(at now: Uptime) {
        guard case .connecting(var attempt) = phase else { return }
        attempt.isAnswered = true
        attempt.until = now + Timing.afterConnect
        phase = .connecting(attempt)
    }

    /// BlueZ says that the device is connected already: that has to show soon.
    mutating func adopt(at now: Uptime) {
        guard case .connecting(var attempt) = phase else { return }
        attempt.until = now + Timing.afterConnect
        phase = .connecting(attempt)
    }

    /// Another program's attempt came first.
    mutating func watch(at now: Uptime) {
        assert(phase.isConnecting)
        phase = .watching(until: now + Timing.watch)
    }

    /// The device is connected: what was awaited has come.
    mutating func cameUp(at now: Uptime) {
        switch phase {
        case .connecting, .watching: phase = .resolving(until: now + Timing.resolve, isOurs: phase.isOurs)
        case .released, .held, .resolving, .polling, .disconnecting: break
        }
    }

    // MARK: Connections

    /// The connection that is up turns out to be blekeep's.
    mutating func claim() {
        switch phase {
        case .released: phase = .held
        case .resolving(let until, _): phase = .resolving(until: until, isOurs: true)
        case .polling(let path, _): phase = .polling(path, isOurs: true)
        case .disconnecting(let until, _): phase = .disconnecting(until: until, isOurs: true)
        case .held, .connecting, .watching: break
        }
    }

    /// Waits for the services of a device that is connected.
    mutating func resolve(at now: Uptime) {
        assert(phase.isIdle)
        phase = .resolving(until: now + Timing.resolve, isOurs: phase.isOurs)
    }

    /// BlueZ knows the services.
    ///
    /// - Returns: whether that was awaited.
    mutating func resolved() -> Bool {
        guard case .resolving = phase else { return false }
        rest(isOurs: phase.isOurs)
        return true
    }

    mutating func poll(at path: ObjectPath) {
        assert(phase.isIdle)
        isUnsubscribed = false
        phase = .polling(path, isOurs: phase.isOurs)
    }

    /// A poll has ended by itself.
    ///
    /// - Parameter number: of the connection that it was made on.
    /// - Returns: whether it was the one in progress.
    mutating func polled(on number: Int) -> Bool {
        guard number == self.number, phase.isPolling else { return false }
        rest(isOurs: phase.isOurs)
        return true
    }

    private mutating func rest(isOurs: Bool) { phase = isOurs ? .held : .released }

    // MARK: Ends

    /// BlueZ says why the connection is about to end.
    mutating func expectEnd(_ end: LinkEnd) { self.end = end }

    /// The connection to the bus was replaced: subscriptions ended with the old one.
    mutating func unsubscribed() { isUnsubscribed = true }

    /// Ends the connection if it is ours, and waits until the device is disconnected.
    ///
    /// - Returns: whether it is ours, and so BlueZ is to be asked.
    mutating func disconnect(at now: Uptime) -> Bool {
        guard phase.isOurs else { return false }
        phase = .disconnecting(until: now + Timing.disconnect, isOurs: true)
        return true
    }

    /// Waits until BlueZ has ended what was abandoned.
    mutating func waitForEnd(within length: Duration, at now: Uptime) {
        phase = .disconnecting(until: now + length, isOurs: false)
    }

    /// Makes all void that is in progress.
    ///
    /// - Parameter staysUp: whether the connection goes on. Then it stays whose it is.
    /// - Returns: where a poll was in progress, for which nothing is to be waited for any more.
    mutating func abandon(staysUp: Bool = false) -> ObjectPath? {
        defer { rest(isOurs: staysUp && phase.isOurs) }
        number += 1
        end = .unknown
        isUnsubscribed = false
        return if case .polling(let path, _) = phase { path } else { nil }
    }
}
