import DBus
import RunLoop

extension KeeperState {
    /// Remembers a device's connection, because bluetoothd may still hold it during an outage.
    mutating func keepClaim(on id: DeviceIndex) {
        guard devices[id].link.phase.isOwn else { return }
        claims.disinherit(id)
        if devices[id].isConnected { claims[id] = .link }
        if devices[id].link.phase.isConnecting { claims[id] = .attempt(until: .never) }
    }

    /// Takes the ledger of an earlier run, after the start. Only connections that have been up since the start may be that
    /// run's.
    mutating func recall(_ inheritance: Inheritance, _ now: Uptime) {
        resumeHealth(inheritance)
        for (id, length) in inheritance.pauses { obey(.pause(length), id, now) }
        for path in inheritance.switchedOff where adapters[path]?.facts.isPowered != true {
            recovery.switchedOff.insert(path)
        }
        for (id, claim) in inheritance.claims where devices.indices.contains(id) {
            if claims.firstLinks == nil {
                claims.inherit(claim, of: id)
            } else if claims.firstLinks?.contains(id) == true {
                // During an outage, the connection may end unnoticed.
                if devices[id].isConnected { devices[id].link.claim() } else { claims[id] = .link }
            }
        }
    }

    /// Takes the ledger of an earlier run, before the first step.
    mutating func inherit(_ inheritance: Inheritance, at now: Uptime) {
        resumeHealth(inheritance)
        for (id, length) in inheritance.pauses where devices.indices.contains(id) {
            devices[id].pause(until: length.end(from: now))
        }
        claims = LinkClaims(inheriting: inheritance.claims)
        recovery.switchedOff = inheritance.switchedOff
    }

    private mutating func resumeHealth(_ inheritance: Inheritance) {
        for (id, condition) in inheritance.conditions where devices.indices.contains(id) {
            devices[id].health.resume(condition)
        }
    }

    /// Takes over a connection that is up, if blekeep made it.
    ///
    /// The subscriptions of the last run ended with its connection to the bus. If there is one, another program uses the
    /// connection, and may have made it.
    mutating func claim(_ id: DeviceIndex, at now: Uptime) {
        claims.expire(at: now)
        guard let isInherited = claims.remove(id) else { return }
        if isInherited, devices[id].facts?.isSubscribed == true { return }
        devices[id].link.claim()
        // Paused or removed while blekeep couldn't disconnect it.
        if devices[id].isPaused { disconnect(id, now) }
    }

    /// Forgets connections that aren't up after an outage. Attempts may still succeed.
    mutating func settleClaims(_ now: Uptime) {
        for (id, claim) in claims.all where !devices[id].isConnected {
            if case .attempt(until: .never) = claim {
                claims[id] = .attempt(until: now + Timing.connectUnheard)
            } else {
                claims[id] = nil
            }
        }
    }

    /// Returns a device's connection, and what blekeep does with it.
    func linkStatus(of id: DeviceIndex) -> DeviceStatus.Link {
        let device = devices[id]
        let isOwn = device.link.phase.isOwn
        guard device.isConnected else {
            switch claims[id] {
            case .link?: return .held
            case .attempt?: return .connecting
            case nil: break
            }
            if isOwn { return .connecting }
            if device.plan.mode == .passive { return .listening }
            return device.hasTick && !device.isKnown ? .searching : .released
        }
        guard isOwn else { return .foreign }
        return switch device.link.phase {
        case .resolving: .resolving
        case .polling: .reading
        case .disconnecting: .closing
        case .released, .held, .connecting, .watching: .held
        }
    }
}

/// The connections that blekeep made but can't currently observe.
struct LinkClaims: Sendable, Hashable {
    private(set) var all: [DeviceIndex: InheritedLink] = [:]
    /// The devices with a connection from the last run.
    private var inherited: Set<DeviceIndex> = []
    /// The devices that were connected at the first snapshot without another program's subscription, and still are;
    /// `nil` before that snapshot.
    private(set) var firstLinks: Set<DeviceIndex>?

    init() {}

    /// Takes over the connections of the last run.
    init(inheriting claims: [DeviceIndex: InheritedLink]) {
        all = claims
        inherited = Set(claims.keys)
    }

    subscript(id: DeviceIndex) -> InheritedLink? {
        get { all[id] }
        set { all[id] = newValue }
    }

    mutating func inherit(_ claim: InheritedLink, of id: DeviceIndex) {
        all[id] = claim
        inherited.insert(id)
    }

    mutating func disinherit(_ id: DeviceIndex) { inherited.remove(id) }

    /// Removes a device's claim.
    ///
    /// - Returns: whether it comes from the last run; `nil` without a claim.
    mutating func remove(_ id: DeviceIndex) -> Bool? {
        all.removeValue(forKey: id).map { _ in inherited.remove(id) != nil }
    }

    /// Forgets attempts that BlueZ has given up by now.
    mutating func expire(at now: Uptime) {
        for (id, claim) in all { if case .attempt(let until) = claim, now > until { all[id] = nil } }
    }

    /// Forgets all claims, because the connections of a crashed bluetoothd are gone.
    mutating func forgetAll() { all = [:] }

    // MARK: The first snapshot

    mutating func seeFirst(_ links: Set<DeviceIndex>) { if firstLinks == nil { firstLinks = links } }
    mutating func ended(_ id: DeviceIndex) { firstLinks?.remove(id) }
    mutating func endedAll() { if firstLinks != nil { firstLinks = [] } }
}
