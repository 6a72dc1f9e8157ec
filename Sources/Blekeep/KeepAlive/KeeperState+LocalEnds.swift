import DBus
import RunLoop

/// A link that was ended on this machine, though not by us.
struct LocalEnd: Sendable, Hashable {
    var moment: Uptime
    var adapter: ObjectPath?
    /// Until when the device was to be left alone before that.
    var notBefore: Uptime
}

/// Links that this machine has ended: by another program, which is left its device for a while, or because the adapter
/// or bluetoothd went, of which bluetoothd speaks in the same words, and only then of the adapter.
extension KeeperState {
    /// Leaves a device alone whose link has just ended, as long as the reason asks for. Whether another program ends
    /// its links again and again.
    mutating func endedOnThisMachine(_ id: DeviceID, _ end: LinkEnd, _ now: Uptime) -> Bool {
        guard end == .local, let place = place(of: id), adapters[place].facts.isPowered else {
            let pause = end == .local ? Timing.afterLoss : end.pause
            devices[id].retry.wait(pause, at: now)
            return false
        }
        devices[id].history.endedLocally = LocalEnd(
            moment: now, adapter: adapters[place].facts.path, notBefore: devices[id].retry.notBefore)
        devices[id].retry.wait(end.pause, at: now)
        guard devices[id].link.phase.isOurs else { return false }
        devices[id].history.endedByOthers.removeAll { now - $0 > Timing.contention.within }
        devices[id].history.endedByOthers.append(now)
        return devices[id].history.endedByOthers.count >= Timing.contention.ends
    }

    /// An adapter went off or away, or bluetoothd with all of them (`nil`): the links that have just ended were ended
    /// by that.
    mutating func excuseLocalEnds(on path: ObjectPath?, _ now: Uptime) {
        for id in devices.indices {
            guard let end = devices[id].history.endedLocally, path == nil || end.adapter == path else { continue }
            devices[id].history.endedLocally = nil
            guard now - end.moment <= Timing.sameCause else { continue }
            devices[id].history.endedByOthers.removeAll { $0 == end.moment }
            if devices[id].retry.parked == .contended { unpark(id, now) }
            guard devices[id].retry.parked == nil else { continue }
            devices[id].retry.notBefore = max(end.notBefore, now + Timing.afterLoss)
        }
    }
}
