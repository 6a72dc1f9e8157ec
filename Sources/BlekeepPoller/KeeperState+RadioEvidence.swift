import DBus
import RunLoop

/// Evidence for and against an adapter that reaches no device.
extension KeeperState {
    /// Takes a failed attempt, unless bluetoothd or the bus caused it.
    mutating func radioFailed(_ id: DeviceIndex, _ now: Uptime) {
        guard let key = adapter(of: id).flatMap({ escalationKey($0) }) else { return }
        recovery.escalations[key, default: AdapterEscalation()].failed(id, at: now)
    }

    /// Takes a value, as evidence that the adapter works.
    mutating func radioWorks(_ id: DeviceIndex) {
        guard !recovery.escalations.isEmpty, let path = adapter(of: id), let key = escalationKey(path),
            let step = recovery.escalations[key]?.succeeded(), step > .rest
        else { return }
        logRecovery(.notice, .recovered, RecoveryMessages.helped(step, path))
    }

    /// Takes a notification. If it came after the last step, the adapter works.
    mutating func notified(_ id: DeviceIndex, at time: Uptime) {
        guard let path = adapter(of: id), let escalation = escalation(path), time > escalation.stepEnd else { return }
        radioWorks(id)
    }

    /// Forgets the failures so far, because bluetoothd or the bus caused them.
    mutating func resetRadioEvidence() {
        for key in recovery.escalations.keys { recovery.escalations[key]?.resetEvidence() }
        resetStallEvidence()
    }

    /// Resets recovery for an adapter that the user replugged, but not when bluetoothd stopped, which also removes its
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

    /// Ends all steps, because bluetoothd stopped or hangs.
    mutating func radiosLost(_ now: Uptime) {
        resetRadioEvidence()
        recovery.pulledOut = []
        for (key, escalation) in recovery.escalations where escalation.isCycling {
            recovery.escalations[key]?.finished(.powerCycle, at: now)
        }
    }

    func escalationKey(_ path: ObjectPath) -> RecoveryMemory.Radio? { adapters[path]?.facts.escalationKey }

    func escalation(_ path: ObjectPath) -> AdapterEscalation? {
        recovery.escalations.isEmpty ? nil : escalationKey(path).flatMap { recovery.escalations[$0] }
    }

    /// Whether a step is in progress, so that the adapter isn't used.
    func isActing(_ index: Int) -> Bool { recovery.escalations[adapters[index].facts.escalationKey]?.isActing == true }

    /// Whether blekeep is turning the adapter off and on.
    func isCycling(_ facts: AdapterFacts) -> Bool { recovery.escalations[facts.escalationKey]?.isCycling == true }
}

extension AdapterFacts {
    /// The adapter's address, because it may come back under another number.
    var escalationKey: RecoveryMemory.Radio { address.map { .address($0) } ?? .path(path) }
}
