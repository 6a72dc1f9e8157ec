import DBus
import RunLoop

/// Whose turn it is at a radio that makes one link at a time: nobody who can be relied on waits for who cannot.
extension KeeperState {
    /// Whether a slot of its adapter is its own: of those that there are, so many that no more than two of the other
    /// devices share each of the rest. Devices that can be relied on come first.
    func hasPlace(_ id: DeviceID, at now: Uptime) -> Bool {
        guard let place = place(of: id) else { return false }
        let slots = adapters[place].freeSlots(at: now)
        if adapters[place].devices <= slots { return true }
        let places = 2 * slots - adapters[place].devices
        guard places > 0 else { return false }
        return devices.indices.count { standsBefore($0, id) && isPlaced($0, on: place) } < places
    }

    /// Whether its link is worth more than another one's: it fails less often, or is read more often.
    private func standsBefore(_ id: DeviceID, _ other: DeviceID) -> Bool {
        if devices[id].plan.subscribes != devices[other].plan.subscribes { return devices[id].plan.subscribes }
        let (failures, others) = (devices[id].backoff.failures, devices[other].backoff.failures)
        if failures != others { return failures < others }
        return (devices[id].plannedInterval, id) < (devices[other].plannedInterval, other)
    }

    /// Those whose attempt, should it come to nothing, costs no other device its moment: an attempt is not over before
    /// the kernel says so. Who has had no turn for long need not care.
    func timely(_ wanting: [DeviceID], on place: Int, _ now: Uptime) -> [DeviceID] {
        guard wanting.contains(where: { !devices[$0].isPromising }), let next = nextMoment(on: place, now) else {
            return wanting
        }
        return wanting.filter { id in
            if devices[id].isPromising || devices[id].isPassedOver(at: now) { return true }
            return devices[id].backoff.failures == 0 && (devices[id].nextTick, id) <= next
        }
    }

    /// The next device that will want a link for its tick within the time that an attempt may take.
    private func nextMoment(on place: Int, _ now: Uptime) -> (Uptime, DeviceID)? {
        var next: (Uptime, DeviceID)?
        for id in devices.indices {
            let moment = devices[id].nextTick
            guard moment > now, moment - now < Timing.patience, devices[id].backoff.failures == 0,
                devices[id].parked == nil, mayWantLink(id), self.place(of: id) == place
            else { continue }
            if next.map({ (moment, id) < $0 }) ?? true { next = (moment, id) }
        }
        return next
    }

    private func mayWantLink(_ id: DeviceID) -> Bool {
        if devices[id].link.phase.isDisconnecting { return true }
        return devices[id].link.phase.isIdle && !devices[id].isConnected && devices[id].plan.mode != .passive
    }

    /// Whether others wait who can be relied on.
    func isWaitedFor(by candidates: [DeviceID], _ missing: [DeviceID]) -> Bool {
        candidates.contains { devices[$0].isPromising } || missing.contains { isSought($0) }
    }

    /// Whether to search comes before to connect: for who can be relied on, where those who are there cannot be and
    /// none of them has had no turn for long.
    func isSoughtFirst(_ missing: [DeviceID], _ candidates: [DeviceID], _ now: Uptime) -> Bool {
        missing.contains { isSought($0) }
            && !candidates.contains { devices[$0].isPromising || devices[$0].isPassedOver(at: now) }
    }

    /// Whether a search goes on for those that were not found: not for those that fail, where one that can be relied on
    /// has been found and waits.
    func areSought(_ missing: [DeviceID], _ candidates: [DeviceID]) -> Bool {
        !missing.isEmpty
            && (missing.contains { isSought($0) } || !candidates.contains { devices[$0].isPromising })
    }

    private func isSought(_ id: DeviceID) -> Bool { devices[id].isPromising && maySearch(id) }

    mutating func giveWay(_ id: DeviceID, _ now: Uptime) {
        let isOver = now - devices[id].link.triedAt >= Timing.patience
        cancel(id, now)
        guard isOver else { return }
        let failure = ReadingFailure(.connect, "the connection was not made before others' turn")
        fail(id, in: .connect, failure, .retry, now)
    }

    /// Ticks come before links to hold, and who had no turn for long before all others; who fails again and again comes
    /// last; then those heard or read of late, then who has waited longest.
    func precedes(_ left: DeviceID, _ right: DeviceID, _ now: Uptime) -> Bool {
        let hasTick = devices[left].hasTick
        if hasTick != devices[right].hasTick { return hasTick }
        let starves = starves(left, now)
        if starves != self.starves(right, now) { return starves }
        let (failures, others) = (devices[left].backoff.failures, devices[right].backoff.failures)
        if failures != others { return failures < others }
        let isNear = isNear(left, now)
        if isNear != self.isNear(right, now) { return isNear }
        return (devices[left].nextMoment, left) < (devices[right].nextMoment, right)
    }

    /// Whether others were tried in its place for two of its ticks.
    private func starves(_ id: DeviceID, _ now: Uptime) -> Bool {
        now - devices[id].link.triedAt > devices[id].twoTicks
    }

    /// Whether it was heard or read of late.
    func isNear(_ id: DeviceID, _ now: Uptime) -> Bool {
        if let heardAt = devices[id].heardAt, now - heardAt <= Timing.recently { return true }
        if let readAt = devices[id].readAt { return now - readAt <= Timing.recently }
        return false
    }

    /// All slots are taken: a link of ours that is only held for the next time goes for a device whose tick waits.
    mutating func makeRoom(for candidates: [DeviceID], on place: Int, _ now: Uptime) {
        if candidates.contains(where: { devices[$0].hasTick }), let id = sparest(on: adapters[place].facts.path, now) {
            disconnect(id, now)
        }
    }

    /// The link of ours that is not needed for longest; `nil` also while one is ending.
    private func sparest(on path: ObjectPath, _ now: Uptime) -> DeviceID? {
        var sparest: DeviceID?
        for id in devices.indices {
            if devices[id].link.phase.isDisconnecting, devices[id].facts?.adapter == path { return nil }
            guard devices[id].link.phase == .held, !devices[id].hasTick, devices[id].isConnected,
                devices[id].facts?.adapter == path, !hasPlace(id, at: now)
            else { continue }
            if let other = sparest, devices[other].nextTick > devices[id].nextTick { continue }
            sparest = id
        }
        return sparest
    }
}
