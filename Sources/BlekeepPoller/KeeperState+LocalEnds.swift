import DBus
import RunLoop

/// A connection that ended on this machine's side, but not by blekeep.
struct LocalEnd: Sendable, Hashable {
    var time: Uptime
    var adapter: ObjectPath?
    /// The end of the device's earlier pause, before the connection ended.
    var notBefore: Uptime
}

/// Connections that this machine ended: another program disconnected, or the adapter or bluetoothd stopped. bluetoothd
/// gives the same reason for each, and reports the adapter only afterwards.
extension KeeperState {
    /// Starts the pause after a connection ended.
    ///
    /// - Returns: whether another program ended the device's connections repeatedly.
    mutating func endedOnThisMachine(_ id: DeviceIndex, _ end: LinkEnd, _ now: Uptime) -> Bool {
        guard end == .local, let index = adapterIndex(of: id), adapters[index].facts.isPowered else {
            let pause = end == .local ? Timing.afterLoss : end.pause
            devices[id].retry.wait(pause, at: now)
            return false
        }
        devices[id].history.endedLocally = LocalEnd(
            time: now, adapter: adapters[index].facts.path, notBefore: devices[id].retry.notBefore)
        devices[id].retry.wait(end.pause, at: now)
        guard devices[id].link.phase.isOwn else { return false }
        devices[id].history.endedByOthers.removeAll { now - $0 > Timing.contention.within }
        devices[id].history.endedByOthers.append(now)
        return devices[id].history.endedByOthers.count >= Timing.contention.ends
    }

    /// Attributes connections that just ended to an adapter that stopped, or to bluetoothd with all adapters (`nil`).
    mutating func reattributeLocalEnds(on path: ObjectPath?, _ now: Uptime) {
        for id in devices.indices {
            guard let end = devices[id].history.endedLocally, path == nil || end.adapter == path else { continue }
            devices[id].history.endedLocally = nil
            guard now - end.time <= Timing.sameCause else { continue }
            devices[id].history.endedByOthers.removeAll { $0 == end.time }
            if devices[id].retry.userActionNeeded == .contended { endWaitForUser(id, now) }
            guard devices[id].retry.userActionNeeded == nil else { continue }
            devices[id].retry.notBefore = max(end.notBefore, now + Timing.afterLoss)
        }
    }
}
