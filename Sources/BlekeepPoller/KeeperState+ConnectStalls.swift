import DBus
import RunLoop

/// Adapters that can't make new connections while open ones go on. blekeep only reports them: a power cycle would end
/// the open connections. Once those are gone, the adapter's escalation begins.
extension KeeperState {
    /// An attempt to connect a device failed.
    mutating func linkNotMade(_ id: DeviceIndex, _ remedy: Remedy, _ now: Uptime) {
        guard remedy.policy.mayBlameAdapter else { return }
        // Where no connection is open, the adapter's escalation counts the failures.
        guard devices[id].contact.readAt != nil, devices[id].contact.isNear(at: now), let path = adapter(of: id),
            let key = adapters[path]?.facts.escalationKey, links(on: path) > 0
        else { return }
        guard let stall = recovery.stallDetectors[key, default: ConnectStallDetector()].failed(id, at: now) else {
            return
        }
        logRecovery(.warning, .noNewLinks, RecoveryMessages.noNewLinks(path, stall, at: now))
    }

    /// A connection was made, by whichever program.
    mutating func newLinkMade(on path: ObjectPath?, _ now: Uptime) {
        guard !recovery.stallDetectors.isEmpty, let path, let key = adapters[path]?.facts.escalationKey,
            let stall = recovery.stallDetectors[key]?.made()
        else { return }
        logRecovery(.notice, .newLinks, RecoveryMessages.newLinks(path, stall, at: now))
    }

    /// Forgets the failures through an adapter, or through all (`nil`), because they have another cause.
    mutating func resetStallEvidence(of radio: RecoveryMemory.Radio? = nil) {
        for key in recovery.stallDetectors.keys where radio == nil || key == radio {
            recovery.stallDetectors[key]?.resetEvidence()
        }
    }

    /// The stall of an adapter that was reported and still lasts.
    func stall(of path: ObjectPath) -> ConnectStall? {
        guard !recovery.stallDetectors.isEmpty, let facts = adapters[path]?.facts, facts.isPowered else { return nil }
        return recovery.stallDetectors[facts.escalationKey]?.stall
    }
}
