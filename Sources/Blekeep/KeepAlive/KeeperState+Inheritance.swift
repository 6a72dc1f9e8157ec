import DBus
import RunLoop

extension KeeperState {
    /// bluetoothd is out of sight; it may still hold what we made.
    mutating func keepClaim(on id: DeviceID) {
        guard devices[id].link.phase.isOurs else { return }
        claims.disinherit(id)
        if devices[id].isConnected { claims[id] = .link }
        if devices[id].link.phase.isConnecting { claims[id] = .attempt(until: .never) }
    }

    /// Takes up late what an earlier keeper has left: the store could not be read at the start. Of links only those can
    /// be its that have been up all the time.
    mutating func recall(_ inheritance: Inheritance) {
        resumeHealth(inheritance)
        for path in inheritance.switchedOff where adapters[path]?.facts.isPowered != true {
            recovery.switchedOff.insert(path)
        }
        for (id, claim) in inheritance.claims where devices.indices.contains(id) {
            if claims.firstLinks == nil {
                claims.inherit(claim, of: id)
            } else if claims.firstLinks?.contains(id) == true {
                // While bluetoothd hangs, the link may end unseen.
                if devices[id].isConnected { devices[id].link.claim() } else { claims[id] = .link }
            }
        }
    }

    /// Takes what is known before the first step.
    mutating func inherit(_ inheritance: Inheritance) {
        resumeHealth(inheritance)
        claims = LinkClaims(inheriting: inheritance.claims)
        recovery.switchedOff = inheritance.switchedOff
    }

    private mutating func resumeHealth(_ inheritance: Inheritance) {
        for (id, verdict) in inheritance.verdicts where devices.indices.contains(id) {
            devices[id].health.resume(verdict)
        }
    }

    /// Makes the link that is up ours, if it is.
    ///
    /// The last run's subscriptions ended with its connection to the bus. Where one is in force, another program uses the
    /// link, and may have made it: it is left to that program.
    mutating func claim(_ id: DeviceID, at now: Uptime) {
        guard let (claim, isInherited) = claims.take(id) else { return }
        if isInherited, devices[id].facts?.isSubscribed == true { return }
        if case .attempt(let until) = claim, now > until { return }
        devices[id].link.claim()
    }

    /// bluetoothd is in sight: what is not up now is gone, but for what is still being made.
    mutating func settleClaims(_ now: Uptime) {
        for (id, claim) in claims.all where !devices[id].isConnected {
            if case .attempt(until: .never) = claim {
                claims[id] = .attempt(until: now + Timing.connectUnheard)
            } else {
                claims[id] = nil
            }
        }
    }

    /// How the link stands, as it is to be remembered.
    func standing(of id: DeviceID) -> StoredDeviceStatus.Link {
        if devices[id].isConnected { return devices[id].link.phase.isOurs ? .held : .foreign }
        switch claims[id] {
        case .link?: return .held
        case .attempt?: return .making
        case nil: return devices[id].link.phase.isOurs ? .making : .none
        }
    }
}
