import DBus

/// Snapshots of the changes of a step, for the store.
extension KeeperState {
    /// Puts snapshots of all changes before the step's other effects, so that the store holds them first.
    mutating func addSnapshots() {
        var snapshots: [Effect] = []
        if shown.isMachineTouched {
            shown.isMachineTouched = false
            let machine = machineSnapshot
            if machine != shown.machine { snapshots.append(.machine(machine)) }
            shown.machine = machine
        }
        let areAllTouched = shown.areDevicesTouched
        shown.areDevicesTouched = false
        for id in devices.indices where devices[id].isTouched || areAllTouched {
            devices[id].isTouched = false
            let snapshot = devices[id].snapshot(in: power.mode)
            guard snapshot != shown.devices[id] else { continue }
            shown.devices[id] = snapshot
            snapshots.append(.device(id, snapshot))
        }
        if !snapshots.isEmpty { effects.insert(contentsOf: snapshots, at: 0) }
    }

    private func trouble(of path: ObjectPath) -> GatewayStatus.Adapter.Trouble? {
        if recovery.switchedOff.contains(path) { return .cycling }
        if escalation(path)?.step == .replug { return .stuck }
        guard let adapter = adapters[path] else { return nil }
        if adapter.discovery.failure != nil { return .noDiscovery }
        if let shortage = adapter.shortage { return .tooManyDevices(shortage) }
        return adapter.discovery.filter == nil ? nil : .noFilter
    }

    /// Also of `KeeperStatus`.
    var machineSnapshot: MachineSnapshot {
        var machine = MachineSnapshot(
            outage: outage?.failure, power: GatewayStatus.Power(mode: power.mode, reason: power.reason))
        machine.adapters = Set(adapters.paths).union(recovery.switchedOff).sorted().map { path in
            GatewayStatus.Adapter(
                name: String(path.name), isOn: adapters[path]?.facts.isPowered ?? false,
                trouble: trouble(of: path))
        }
        for path in adapters.paths { machine.stalls[String(path.name)] = stall(of: path) }
        return machine
    }
}

/// The newest snapshots, and whether they may be outdated.
struct ShownSnapshots: Sendable {
    var devices: [DeviceSnapshot?]
    var machine: MachineSnapshot?
    var isMachineTouched = true
    /// Whether the snapshot of any device may be outdated.
    var areDevicesTouched = true

    init(devices count: Int) { devices = Array(repeating: nil, count: count) }

    mutating func touchAll() {
        isMachineTouched = true
        areDevicesTouched = true
    }
}
