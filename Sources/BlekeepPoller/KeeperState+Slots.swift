import DBus
import RunLoop

/// Evidence from connections about the slots of their adapters.
extension KeeperState {
    mutating func linkMade(_ id: DeviceIndex, _ now: Uptime) {
        guard let index = adapterIndex(of: id) else { return }
        adapters[index].queue.linkMade(links(on: adapters[index].facts.path), at: now)
    }

    /// Returns the number of connections that an adapter holds, of all programs.
    func links(on path: ObjectPath) -> Int {
        ownLinks(on: path) + (adapters.index(for: path).map { adapters[$0].facts.externalLinks } ?? 0)
    }

    /// Returns the number of connections to configured devices, of all programs.
    func ownLinks(on path: ObjectPath) -> Int {
        devices.indices.count { devices[$0].isConnected && devices[$0].facts?.adapter == path }
    }

    mutating func learnSlots(_ id: DeviceIndex, _ remedy: Remedy, _ now: Uptime) {
        let doubt = remedy.policy.mayLackSlot
        guard let path = adapter(of: id), doubt != .none else { return }
        let links = links(on: path)
        let isLearned =
            doubt == .certain
            ? adapters[path]?.queue.slots.full(with: links, at: now)
            : devices[id].isRefusal(at: now) && adapters[path]?.queue.slots.refused(with: links, at: now) == true
        if isLearned == true { tellSlots(path, now) }
        // Other programs' connections may use all slots.
        if links > 0 || doubt == .certain || devices[id].isRefusal(at: now) { effects.append(.countExternalLinks) }
    }

    /// Returns the connections of a device's adapter.
    func slots(of id: DeviceIndex, _ now: Uptime) -> Slots? {
        guard let index = adapterIndex(of: id) else { return nil }
        let own = ownLinks(on: adapters[index].facts.path)
        return Slots(
            links: own + adapters[index].facts.externalLinks, own: own, areFull: isFull(index, now))
    }

    private mutating func tellSlots(_ path: ObjectPath, _ now: Uptime) {
        let limit = adapters[path]?.queue.slots.limit(at: now) ?? settings.maxLinks
        let isOthers = ownLinks(on: path) == 0
        let message =
            isOthers && links(on: path) >= limit
            ? "other programs hold all \(limit) connections of adapter \(path.name); waiting for one to end"
            : "adapter \(path.name) holds no more than \(limit) connections; devices take turns"
        note(.notice, nil, message)
    }

    /// Takes a connection that ended just after a new one: the adapter may have made room for it.
    mutating func crowdedOut(_ id: DeviceIndex, _ now: Uptime) {
        guard let index = adapterIndex(of: id), adapters[index].queue.mayHaveMadeRoom(at: now) else {
            devices[id].history.lostAt = now
            return
        }
        // A device that also ends other connections proves nothing.
        if let lost = devices[id].history.lostAt, now - lost < Timing.habit { return }
        if adapters[index].queue.madeRoom(at: now) { tellSlots(adapters[index].facts.path, now) }
    }
}
