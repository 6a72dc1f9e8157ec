import DBus
import RunLoop

/// What speaks for and against a radio through which nothing can be reached any more.
extension KeeperState {
    /// An attempt failed for which nothing above the device is to blame.
    mutating func radioFailed(_ id: DeviceID, _ now: Uptime) {
        guard let key = adapter(of: id).flatMap({ ladderKey($0) }) else { return }
        recovery.ladders[key, default: AdapterEscalation()].failed(id, at: now)
    }

    /// A value was read, or came by itself.
    mutating func radioWorks(_ id: DeviceID) {
        guard !recovery.ladders.isEmpty, let path = adapter(of: id), let key = ladderKey(path),
            let step = recovery.ladders[key]?.succeeded(), step > .rest
        else { return }
        tellRecovery(.notice, .recovered, RecoveryMessages.helped(step, path))
    }

    /// What came after the last step proves that the radio works.
    mutating func notified(_ id: DeviceID, at moment: Uptime) {
        guard let path = adapter(of: id), let ladder = ladder(path), moment > ladder.stepEnd else { return }
        radioWorks(id)
    }

    /// Something above the radios was to blame for what failed so far.
    mutating func excuseRadios() {
        for key in recovery.ladders.keys { recovery.ladders[key]?.excuse() }
        excuseNewLinks()
    }

    /// What came and went is a radio that somebody has pulled out and plugged in, and as good as new; but not where
    /// bluetoothd went, too: in good order that begins with its adapters.
    mutating func radiosChanged(from known: [AdapterState], to facts: [AdapterFacts]) {
        guard !recovery.ladders.isEmpty else { return }
        for state in known where !facts.contains(where: { $0.path == state.facts.path }) {
            recovery.pulledOut.insert(state.facts.ladderKey)
        }
        for adapter in facts where known[adapter.path] == nil && recovery.pulledOut.remove(adapter.ladderKey) != nil {
            _ = recovery.ladders[adapter.ladderKey]?.succeeded()
        }
    }

    /// bluetoothd is out of sight: what was under way with it is over.
    mutating func radiosLost(_ now: Uptime) {
        excuseRadios()
        recovery.pulledOut = []
        for (key, ladder) in recovery.ladders where ladder.isCycling {
            recovery.ladders[key]?.finished(.powerCycle, at: now)
        }
    }

    func ladderKey(_ path: ObjectPath) -> RecoveryMemory.Radio? { adapters[path]?.facts.ladderKey }

    func ladder(_ path: ObjectPath) -> AdapterEscalation? {
        recovery.ladders.isEmpty ? nil : ladderKey(path).flatMap { recovery.ladders[$0] }
    }

    /// Whether it is not to be used, as a step is under way.
    func isActing(_ place: Int) -> Bool { recovery.ladders[adapters[place].facts.ladderKey]?.isActing == true }

    /// Whether it is being switched off and on by us.
    func isCycling(_ facts: AdapterFacts) -> Bool { recovery.ladders[facts.ladderKey]?.isCycling == true }
}

extension AdapterFacts {
    /// A radio may come back under another number.
    var ladderKey: RecoveryMemory.Radio { address.map { .address($0) } ?? .path(path) }
}
