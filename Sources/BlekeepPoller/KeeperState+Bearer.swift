import DBus
import RunLoop

/// Devices about which BlueZ is wrong: it tries classic Bluetooth, or caches services that have changed.
extension KeeperState {
    /// Handles an attempt by classic Bluetooth: connects by Low Energy only, if BlueZ offers that, or sets BlueZ's
    /// preference for Low Energy, if the user allowed it.
    ///
    /// - Returns: `false` when neither is possible.
    mutating func switchBearer(_ id: DeviceIndex, _ failure: ReadingFailure, _ now: Uptime) -> Bool {
        guard let facts = devices[id].facts else { return false }
        if devices[id].history.bearer == .usual, facts.hasLowEnergyBearer {
            devices[id].history.bearer = .lowEnergy
        } else if devices[id].history.bearer != .preferred, facts.mayPreferLowEnergy,
            recovery.allowed.contains(.preferLowEnergy)
        {
            devices[id].history.bearer = .preferred
            effects.append(.recover(.preferLowEnergy(id, facts.path)))
        } else {
            return false
        }
        abandonLink(id)
        fail(id, in: .connect, failure, .bearer, now)
        return true
    }

    /// Whether BlueZ has the interface for Low Energy without its methods, as it does without `--experimental`.
    func hasNoBearer(_ id: DeviceIndex, _ error: BusError) -> Bool {
        guard devices[id].isConnectedByBearer, case .remote(let name, _) = error else { return false }
        return name == "org.freedesktop.DBus.Error.UnknownMethod"
    }

    mutating func notConnectedByBearer(_ id: DeviceIndex, _ failure: ReadingFailure, _ now: Uptime) {
        if switchBearer(id, failure, now) { return }
        abandonLink(id)
        guard let failure = Remedy.bearer.userAction(for: devices[id].plan.address) else { return }
        waitForUser(id, in: .connect, failure, .bearer, now)
    }

    /// Removes an unpaired device whose values no longer match from BlueZ's cache, if the user allowed it: at most once a
    /// day, and not while another program uses its connection.
    mutating func forgetStale(_ id: DeviceIndex, _ now: Uptime) -> Bool {
        guard recovery.allowed.contains(.forgetStale), let facts = devices[id].facts, !facts.isPaired,
            devices[id].link.phase.isOwn || !facts.isConnected,
            devices[id].history.forgottenAt.map({ now - $0 >= Timing.forgetAgain }) ?? true
        else { return false }
        devices[id].history.forgottenAt = now
        abandonLink(id)
        effects.append(.recover(.forget(id, facts.path)))
        devices[id].health.remember(.forgotten)
        // Until BlueZ has done so.
        devices[id].link.waitForEnd(within: Timing.disconnect, at: now)
        report(id, Attempt(phase: .read, failure: .forgotten, remedy: .rediscover), now)
        giveUpTick(id, now)
        return true
    }
}

extension ReadingFailure {
    fileprivate static let forgotten = ReadingFailure(
        .stale, "its values no longer match what BlueZ caches of it")
}
