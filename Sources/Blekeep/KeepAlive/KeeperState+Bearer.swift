import DBus
import RunLoop

/// Devices that BlueZ takes for others than they are: with classic Bluetooth, or with services that they had once.
extension KeeperState {
    /// BlueZ has tried classic Bluetooth: the device is connected by Low Energy alone, where BlueZ offers that, or BlueZ
    /// is told to prefer Low Energy, where a person allows it. Says whether there was such a way.
    mutating func switchBearer(_ id: DeviceID, _ failure: ReadingFailure, _ now: Uptime) -> Bool {
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

    /// Whether it was to be connected by an interface that is there in name only: without its experimental interfaces,
    /// BlueZ shows it without its methods.
    func hasNoBearer(_ id: DeviceID, _ error: BusError) -> Bool {
        guard devices[id].isConnectedByBearer, case .remote(let name, _) = error else { return false }
        return name == "org.freedesktop.DBus.Error.UnknownMethod"
    }

    mutating func notConnectedByBearer(_ id: DeviceID, _ failure: ReadingFailure, _ now: Uptime) {
        if switchBearer(id, failure, now) { return }
        abandonLink(id)
        guard let parking = ReadingFailure.remedy(.bearer, for: devices[id].plan.address) else { return }
        park(id, in: .connect, parking, .bearer, now)
    }

    /// Lets BlueZ forget an unpaired device whose values no longer fit, where a person allows it: once a day at most, and
    /// not while somebody else has a link to it.
    mutating func forgetStale(_ id: DeviceID, _ now: Uptime) -> Bool {
        guard recovery.allowed.contains(.forgetStale), let facts = devices[id].facts, !facts.isPaired,
            devices[id].link.phase.isOurs || !facts.isConnected,
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
        .stale, "its values no longer fit what BlueZ remembers of it")
}
