import DBus
import RunLoop

/// What speaks for and against a radio through which nothing can be reached any more.
extension KeeperState {
    /// An attempt failed for which nothing above the device is to blame.
    mutating func radioFailed(_ id: DeviceID, _ now: Uptime) {
        guard let key = adapter(of: id).flatMap({ escalationKey($0) }) else { return }
        recovery.escalations[key, default: AdapterEscalation()].failed(id, at: now)
    }

    /// A value was read, or came by itself.
    mutating func radioWorks(_ id: DeviceID) {
        guard !recovery.escalations.isEmpty, let path = adapter(of: id), let key = escalationKey(path),
            let step = recovery.escalations[key]?.succeeded(), step > .rest
        else { return }
        tellRecovery(.notice, .recovered, RecoveryMessages.helped(step, path))
    }

    /// What came after the last step proves that the radio works.
    mutating func notified(_ id: DeviceID, at moment: Uptime) {
        guard let path = adapter(of: id), let escalation = escalation(path), moment > escalation.stepEnd else { return }
        radioWorks(id)
    }

    /// Something above the radios was to blame for what failed so far.
    mutating func excuseRadios() {
        for key in recovery.escalations.keys { recovery.escalations[key]?.excuse() }
        excuseNewLinks()
    }

    /// Resets recovery for an adapter that the user replugged; not where bluetoothd went, too, which first removes its
    /// adapters.
    mutating func radiosChanged(from known: [AdapterState], to facts: [AdapterFacts]) {
        guard !recovery.escalations.isEmpty else { return }
        for state in known where !facts.contains(where: { $0.path == state.facts.path }) {
            recovery.pulledOut.insert(state.facts.escalationKey)
        }
        for adapter in facts where known[adapter.path] == nil && recovery.pulledOut.remove(adapter.escalationKey) != nil
        {
            _ = recovery.escalations[adapter.escalationKey]?.succeeded()
        }
    }

    /// bluetoothd is out of sight: what was under way with it is over.
    mutating func radiosLost(_ now: Uptime) {
        excuseRadios()
        recovery.pulledOut = []
        for (key, escalation) in recovery.escalations where escalation.isCycling {
            recovery.escalations[key]?.finished(.powerCycle, at: now)
        }
    }

    func escalationKey(_ path: ObjectPath) -> RecoveryMemory.Radio? { adapters[path]?.facts.escalationKey }

    func escalation(_ path: ObjectPath) -> AdapterEscalation? {
        recovery.escalations.isEmpty ? nil : escalationKey(path).flatMap { recovery.escalations[$0] }
    }

    /// Whether it is not to be used, as a step is under way.
    func isActing(_ place: Int) -> Bool { recovery.escalations[adapters[place].facts.escalationKey]?.isActing == true }

    /// Whether it is being switched off and on by us.
    func isCycling(_ facts: AdapterFacts) -> Bool { recovery.escalations[facts.escalationKey]?.isCycling == true }
}

extension AdapterFacts {
    /// A radio may come back under another number.
    var escalationKey: RecoveryMemory.Radio { address.map { .address($0) } ?? .path(path) }
}
