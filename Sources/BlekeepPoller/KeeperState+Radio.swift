import DBus
import RunLoop

/// The devices' requests to their adapters, and the actions of the adapters' queues.
extension KeeperState {
    mutating func useRadio(_ index: Int, _ now: Uptime) {
        settleShortage(on: index, now)
        guard adapters[index].facts.isPowered, recovery.isCalm || !isActing(index), adapters[index].queue.mayDecide,
            isNeeded(index, now)
        else { return }
        let actions = adapters[index].queue.decide(
            contenders(on: index, now), external: adapters[index].facts.externalLinks, longestSearch: longestSearch,
            at: now)
        for action in actions { perform(action, on: adapters[index].facts.path, now) }
    }

    /// Whether any device may need the adapter. At most steps, none does.
    private func isNeeded(_ index: Int, _ now: Uptime) -> Bool {
        var isNeeded = adapters[index].queue.discovery != .off
        for id in devices.indices where devices[id].needsAdapter(at: now) && self.adapterIndex(of: id) == index {
            if devices[id].attempt(at: now) == .attempt(hasHadItsTurn: false) { return false }
            isNeeded = true
        }
        return isNeeded
    }

    private mutating func perform(_ action: RadioQueue.Action, on path: ObjectPath, _ now: Uptime) {
        switch action {
        case .connect(let id, let within): perform(devices[id].connect(within: within, at: now), of: id, at: now)
        case .giveWay(let id): perform(devices[id].gaveWay(in: surroundings(of: id, at: now)), of: id, at: now)
        case .makeRoom(let id): perform(devices[id].connectionUnneeded(at: now), of: id, at: now)
        case .startDiscovery: effects.append(.startDiscovery(path))
        case .stopDiscovery: effects.append(.stopDiscovery(path))
        case .searchFailed(let missing, let length):
            for id in missing {
                perform(devices[id].notFound(after: length, in: surroundings(of: id, at: now)), of: id, at: now)
            }
        }
    }

    // MARK: Requests

    private func contenders(on index: Int, _ now: Uptime) -> [Contender] {
        let owners = slotOwners(on: index, now)
        return devices.indices.compactMap {
            self.adapterIndex(of: $0) == index
                ? devices[$0].contender(owners: owners, in: power.mode, at: now) : nil
        }
    }

    // MARK: Held connections

    /// Whether a device's connection is held between its ticks.
    func isHeld(_ id: DeviceIndex, at now: Uptime) -> Bool { isHeld(id, on: adapterIndex(of: id), at: now) }

    func isHeld(_ id: DeviceIndex, on index: Int?, at now: Uptime) -> Bool {
        // Mostly, the slots don't matter.
        guard devices[id].needsSlotToBeHeld else { return devices[id].isHeld(owners: .all) }
        return devices[id].isHeld(owners: index.map { slotOwners(on: $0, now) } ?? .only([]))
    }

    /// Returns the devices with a dedicated slot of an adapter.
    func slotOwners(on index: Int, _ now: Uptime) -> SlotOwners {
        let slots = adapters[index].queue.slots.limit(at: now) - adapters[index].facts.externalLinks
        if devices.count(where: { !$0.hasLeft }) <= slots { return .all }
        return SlotOwners(
            of: devices.indices.compactMap { isConnectable($0, on: index) ? devices[$0].linkWorth : nil }, slots: slots)
    }

    /// Returns the number of devices that blekeep connects through an adapter.
    func connectable(on index: Int) -> Int { devices.indices.count { isConnectable($0, on: index) } }

    func isConnectable(_ id: DeviceIndex, on index: Int) -> Bool {
        devices[id].plan.mode != .passive && !devices[id].hasLeft && self.adapterIndex(of: id) == index
    }

    /// Whether all slots of an adapter are in use.
    func isFull(_ index: Int, _ now: Uptime) -> Bool {
        let own = ownLinks(on: adapters[index].facts.path)
        return adapters[index].queue.slots.isFull(
            with: own + adapters[index].facts.externalLinks, own: own, at: now)
    }
}
