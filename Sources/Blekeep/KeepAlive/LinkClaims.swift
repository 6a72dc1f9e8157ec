/// Connections that are blekeep's though nothing is seen of them.
struct LinkClaims: Sendable, Hashable {
    private(set) var all: [DeviceID: InheritedLink] = [:]
    /// Those that come from the last run.
    private var inherited: Set<DeviceID> = []
    /// Connections that were up in the first snapshot and have been since, and that no other program used then; `nil`
    /// before it.
    private(set) var firstLinks: Set<DeviceID>?

    init() {}

    /// Takes over what the last run has left.
    init(inheriting claims: [DeviceID: InheritedLink]) {
        all = claims
        inherited = Set(claims.keys)
    }

    subscript(id: DeviceID) -> InheritedLink? {
        get { all[id] }
        set { all[id] = newValue }
    }

    mutating func inherit(_ claim: InheritedLink, of id: DeviceID) {
        all[id] = claim
        inherited.insert(id)
    }

    /// What is inherited of a device is void.
    mutating func disinherit(_ id: DeviceID) { inherited.remove(id) }

    /// Takes a device's claim, as it is connected.
    ///
    /// - Returns: the claim, and whether it comes from the last run.
    mutating func take(_ id: DeviceID) -> (claim: InheritedLink, isInherited: Bool)? {
        guard let claim = all.removeValue(forKey: id) else { return nil }
        return (claim, inherited.remove(id) != nil)
    }

    /// Of a bluetoothd that has died nothing is left.
    mutating func forgetAll() { all = [:] }

    // MARK: The first snapshot

    mutating func seeFirst(_ links: Set<DeviceID>) { if firstLinks == nil { firstLinks = links } }
    mutating func ended(_ id: DeviceID) { firstLinks?.remove(id) }
    mutating func endedAll() { if firstLinks != nil { firstLinks = [] } }
}
