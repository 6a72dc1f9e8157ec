import DBus
import RunLoop

/// Radios that make no new links, while those that are up go on. Said, not acted upon: to switch such a radio off
/// would cost the links that it holds, and once those are gone its ladder is climbed.
extension KeeperState {
    /// An attempt to connect a device came to nothing.
    mutating func linkNotMade(_ id: DeviceID, _ remedy: Remedy, _ now: Uptime) {
        // Where all slots are taken, or somebody else wanted it, that was the reason.
        switch remedy {
        case .slots, .shed, .backOff, .wait: return
        default: break
        }
        // Where none is up, the radio's ladder counts what fails.
        guard devices[id].contact.readAt != nil, devices[id].contact.isNear(at: now), let path = adapter(of: id),
            let key = adapters[path]?.facts.ladderKey, links(on: path) > 0
        else { return }
        guard let drought = recovery.newLinks[key, default: ConnectStallDetector()].failed(id, at: now) else { return }
        tellRecovery(.warning, .noNewLinks, RecoveryMessages.noNewLinks(path, drought, at: now))
    }

    /// A link came up, whoever made it.
    mutating func newLinkMade(on path: ObjectPath?, _ now: Uptime) {
        guard !recovery.newLinks.isEmpty, let path, let key = adapters[path]?.facts.ladderKey,
            let drought = recovery.newLinks[key]?.made()
        else { return }
        tellRecovery(.notice, .newLinks, RecoveryMessages.newLinks(path, drought, at: now))
    }

    /// What stands above a radio, or all of them (`nil`), was to blame.
    mutating func excuseNewLinks(of radio: RecoveryMemory.Radio? = nil) {
        for key in recovery.newLinks.keys where radio == nil || key == radio { recovery.newLinks[key]?.excuse() }
    }

    /// What has been told of an adapter, and is so still.
    func drought(of path: ObjectPath) -> ConnectStall? {
        guard !recovery.newLinks.isEmpty, let facts = adapters[path]?.facts, facts.isPowered else { return nil }
        return recovery.newLinks[facts.ladderKey]?.drought
    }
}
