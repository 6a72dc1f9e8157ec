import DBus
import RunLoop

/// Whose turn it is at a radio that makes one link at a time: nobody who can be relied on waits for who cannot.
extension KeeperState {
    /// Whether a slot of its adapter is its own: of those that there are, so many that no more than two of the other
    /// devices share each of the rest. Devices that can be relied on come first.
    func hasPlace(_ device: DeviceState, at now: Uptime) -> Bool {
        guard let path = adapter(of: device.id), let adapter = adapters[path] else { return false }
        let slots = adapter.slots.limit(at: now) - adapter.facts.foreignLinks
        if adapter.devices <= slots { return true }
        let places = 2 * slots - adapter.devices
        guard places > 0 else { return false }
        let before = devices.count {
            $0.standsBefore(device) && $0.plan.mode != .passive && self.adapter(of: $0.id) == path
        }
        return before < places
    }

    /// Those whose attempt, should it come to nothing, costs no other device its moment: an attempt is not over before
    /// the kernel says so. Who has had no turn for long need not care.
    func timely(_ wanting: [DeviceID], on path: ObjectPath, _ now: Uptime) -> [DeviceID] {
        guard wanting.contains(where: { !devices[$0].isPromising }), let next = nextMoment(on: path, now) else {
            return wanting
        }
        return wanting.filter { id in
            let device = devices[id]
            if device.isPromising || device.isPassedOver(at: now) { return true }
            return device.backoff.failures == 0 && (device.nextTick, id) <= next
        }
    }

    /// The next device that will want a link for its tick within the time that an attempt may take.
    private func nextMoment(on path: ObjectPath, _ now: Uptime) -> (Uptime, DeviceID)? {
        let soon = devices.filter { device in
            guard device.backoff.failures == 0, device.parked == nil, mayWantLink(device) else { return false }
            return device.nextTick > now && device.nextTick - now < Timing.patience && adapter(of: device.id) == path
        }
        return soon.map { ($0.nextTick, $0.id) }.min { $0 < $1 }
    }

    private func mayWantLink(_ device: DeviceState) -> Bool {
        if case .disconnecting = device.activity { return true }
        return device.isIdle && !device.isConnected && device.plan.mode != .passive
    }

    /// Whether an attempt under way has lasted long enough, as others wait who can be relied on. One that was begun
    /// ahead of its tick has sooner.
    func givesWay(_ id: DeviceID, to candidates: [DeviceID], _ now: Uptime) -> Bool {
        guard case .connecting = devices[id].activity, !devices[id].isAnswered,
            now >= devices[id].triedAt + devices[id].patience
        else { return false }
        return candidates.contains { devices[$0].isPromising }
    }

    mutating func giveWay(_ id: DeviceID, _ now: Uptime) {
        let isOver = now - devices[id].triedAt >= Timing.patience
        cancel(id, now)
        guard isOver else { return }
        let failure = ReadingFailure(code: "connect", message: "the connection was not made before others' turn")
        fail(id, in: .connect, failure, .retry, now)
    }
}
