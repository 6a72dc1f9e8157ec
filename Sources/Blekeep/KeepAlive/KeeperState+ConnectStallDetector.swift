import DBus
import RunLoop

/// Radios that make no new links, while those that are up go on. Said, not acted upon: to switch such a radio off
/// would cost the links that it holds, and once those are gone, its escalation begins.
extension KeeperState {
    /// An attempt to connect a device came to nothing.
    mutating func linkNotMade(_ id: DeviceID, _ remedy: Remedy, _ now: Uptime) {
        // Where all slots are taken, or somebody else wanted it, that was the reason.
        switch remedy {
        case .slots, .shed, .backOff, .wait: return
        default: break
        }
        // Where none is up, the radio's escalation counts what fails.
        guard devices[id].contact.readAt != nil, devices[id].contact.isNear(at: now), let path = adapter(of: id),
            let key = adapters[path]?.facts.escalationKey, links(on: path) > 0
        else { return }
        guard let stall = recovery.stallDetectors[key, default: ConnectStallDetector()].failed(id, at: now) else {
            return
        }
        tellRecovery(.warning, .noNewLinks, RecoveryMessages.noNewLinks(path, stall, at: now))
    }

    /// A link came up, whoever made it.
    mutating func newLinkMade(on path: ObjectPath?, _ now: Uptime) {
        guard !recovery.stallDetectors.isEmpty, let path, let key = adapters[path]?.facts.escalationKey,
            let stall = recovery.stallDetectors[key]?.made()
        else { return }
        tellRecovery(.notice, .newLinks, RecoveryMessages.newLinks(path, stall, at: now))
    }

    /// What stands above a radio, or all of them (`nil`), was to blame.
    mutating func excuseNewLinks(of radio: RecoveryMemory.Radio? = nil) {
        for key in recovery.stallDetectors.keys where radio == nil || key == radio {
            recovery.stallDetectors[key]?.excuse()
        }
    }

    /// What has been told of an adapter, and is so still.
    func stall(of path: ObjectPath) -> ConnectStall? {
        guard !recovery.stallDetectors.isEmpty, let facts = adapters[path]?.facts, facts.isPowered else { return nil }
        return recovery.stallDetectors[facts.escalationKey]?.stall
    }
}
