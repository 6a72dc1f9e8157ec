import RunLoop

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
