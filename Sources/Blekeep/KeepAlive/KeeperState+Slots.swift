import DBus
import RunLoop

/// What connections that come and go teach about the slots of their adapters.
extension KeeperState {
    mutating func linkMade(_ id: DeviceID, _ now: Uptime) {
        devices[id].health.reset(.refused)
        guard let place = place(of: id) else { return }
        adapters[place].queue.linkMade(links(on: adapters[place].facts.path), at: now)
    }

    /// How many links the adapter holds, ours and others'.
    func links(on path: ObjectPath) -> Int {
        linksOfOurs(on: path) + (adapters.place(of: path).map { adapters[$0].facts.externalLinks } ?? 0)
    }

    /// How many of those are with devices of ours, whoever made them.
    func linksOfOurs(on path: ObjectPath) -> Int {
        devices.indices.count { devices[$0].isConnected && devices[$0].facts?.adapter == path }
    }

    mutating func learnSlots(_ id: DeviceID, _ remedy: Remedy, _ now: Uptime) {
        guard let path = adapter(of: id), remedy == .slots || remedy == .retry else { return }
        let links = links(on: path)
        let isLearned =
            remedy == .slots
            ? adapters[path]?.queue.slots.full(with: links, at: now)
            : isRefusal(id, now) && adapters[path]?.queue.slots.refused(with: links, at: now) == true
        if isLearned == true { tellSlots(path, now) }
        // Those that leave no slot for a single link of ours are not known yet.
        if links > 0 || remedy == .slots || isRefusal(id, now) { effects.append(.countExternalLinks) }
    }

    /// Whether a failed attempt tells of the radio rather than of the device: the device is there, or nobody waited
    /// for it.
    private func isRefusal(_ id: DeviceID, _ now: Uptime) -> Bool {
        devices[id].contact.wasHeard(within: Timing.recently, of: now) || now - devices[id].link.triedAt < Timing.prompt
    }

    /// Whether a failed attempt is no fault of the device's: the radio has no slot for it, or may have none, which takes
    /// some attempts to learn. A device that is always refused has to do with it after all.
    mutating func isRadioToBlame(_ id: DeviceID, _ remedy: Remedy, _ now: Uptime) -> Bool {
        guard remedy == .slots || remedy == .retry && now - devices[id].link.triedAt < Timing.prompt,
            let path = adapter(of: id)
        else { return false }
        // None of ours has to go for it.
        let hasNoSlot = adapters.place(of: path).map { isFull($0, now) } ?? false
        if links(on: path) == adapters[path]?.facts.externalLinks { return hasNoSlot }
        guard links(on: path) >= SlotBudget.fewest, devices[id].health.count(.refused) <= SlotBudget.proof
        else { return false }
        return hasNoSlot || !devices[id].retry.backoff.isQuick
    }

    private mutating func tellSlots(_ path: ObjectPath, _ now: Uptime) {
        let limit = adapters[path]?.queue.slots.limit(at: now) ?? settings.maxLinks
        let isOthers = linksOfOurs(on: path) == 0
        let words =
            isOthers && links(on: path) >= limit
            ? "other programs hold all \(limit) links of adapter \(path.name); waiting for one to end"
            : "adapter \(path.name) holds no more than \(limit) links; devices take turns"
        note(.notice, nil, words)
    }

    /// A link that ends just after another one was made: the radio may have made room.
    mutating func crowdedOut(_ id: DeviceID, _ now: Uptime) {
        guard let place = place(of: id), adapters[place].queue.mayHaveMadeRoom(at: now) else {
            devices[id].history.lostAt = now
            return
        }
        // Of one that also ends links when no other was made it tells nothing.
        if let lost = devices[id].history.lostAt, now - lost < Timing.habit { return }
        if adapters[place].queue.madeRoom(at: now) { tellSlots(adapters[place].facts.path, now) }
    }
}
