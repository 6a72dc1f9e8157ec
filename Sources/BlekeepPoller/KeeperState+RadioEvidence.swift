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

/// Detects an adapter that can't make new connections while existing ones work.
///
/// Only attempts to nearby devices that were read before count.
struct ConnectStallDetector: Sendable, Hashable {
    /// The consecutive failures that prove a stall.
    static let proof: (attempts: Int, devices: Int, within: Duration) = (6, 2, .seconds(120))

    private var since: Uptime?
    private var attempts = 0
    private var devices: Set<DeviceIndex> = []
    /// The reported stall with all failures since; `nil` without a stall.
    private(set) var stall: ConnectStall?

    /// Counts a failed attempt. Returns the stall to report, once.
    mutating func failed(_ device: DeviceIndex, at now: Uptime) -> ConnectStall? {
        let first = since ?? now
        since = first
        if attempts < .max { attempts += 1 }
        devices.insert(device)
        let isReported = stall != nil
        guard
            isReported
                || attempts >= Self.proof.attempts && devices.count >= Self.proof.devices
                    && now - first >= Self.proof.within
        else { return nil }
        stall = ConnectStall(since: stall?.since ?? first, attempts: attempts, devices: devices.count)
        return isReported ? nil : stall
    }

    /// Takes a new connection. Returns the reported stall that it ends.
    mutating func made() -> ConnectStall? {
        defer { self = ConnectStallDetector() }
        return stall
    }

    /// Forgets the failures so far, because bluetoothd or the bus caused them. A reported stall stays until a new connection.
    mutating func resetEvidence() {
        since = nil
        attempts = 0
        devices = []
    }
}
