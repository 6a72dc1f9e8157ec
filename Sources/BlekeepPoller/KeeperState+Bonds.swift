import RunLoop

/// Evidence that one side lost the keys of a pairing: the device ends each connection when encryption fails.
struct BondState: Sendable, Hashable {
    private var linkedAt: Uptime?
    /// The number of consecutive connections of the paired device that ended at once.
    private(set) var losses = 0
    /// The number of consecutive crashes of bluetoothd while it connected this device.
    private(set) var deaths = 0

    mutating func linkMade(at now: Uptime) { linkedAt = now }

    /// Takes a connection that blekeep ended, and that therefore worked.
    mutating func linkEnded() {
        losses = 0
        deaths = 0
    }

    mutating func bluezDied() { deaths += 1 }

    /// Takes a connection that ended by itself.
    mutating func linkLost(isPaired: Bool, at now: Uptime) {
        losses = isPaired && isYoung(at: now) ? losses + 1 : 0
        if !isYoung(at: now) { deaths = 0 }
    }

    func isYoung(at now: Uptime) -> Bool { linkedAt.map { now - $0 < Timing.bondProof } ?? false }

    var isLost: Bool { losses >= Timing.lossesUntilUserNeeded }
    var isDeadly: Bool { deaths >= Timing.lossesUntilUserNeeded }
}

extension KeeperState {
    /// Returns whether a connection that just ended shows lost keys. The device then waits for the user.
    mutating func bondIsLost(_ id: DeviceIndex, _ end: LinkEnd, _ now: Uptime) -> Bool {
        let isPaired = devices[id].facts?.isPaired == true
        devices[id].history.bond.linkLost(isPaired: isPaired, at: now)
        guard isPaired, devices[id].history.bond.isLost || end == .authentication,
            let failure = Remedy.rebond.userAction(for: devices[id].plan.address)
        else { return false }
        abandonLink(id)
        waitForUser(id, in: .link, failure, .rebond, now)
        return true
    }

    /// Handles a crash of bluetoothd. If blekeep repeatedly was connecting only one paired device then, it waits before it
    /// connects the device again. (Debian 12's kernel 6.1 crashes bluetoothd when a peripheral lost its keys.)
    mutating func bluezDied(_ now: Uptime) {
        let trying = devices.indices.filter { isTrying($0, now) }
        for id in devices.indices where trying != [id] { devices[id].history.bond.linkEnded() }
        guard trying.count == 1, let id = trying.first, devices[id].facts?.isPaired == true else { return }
        devices[id].history.bond.bluezDied()
        guard devices[id].history.bond.isDeadly else { return }
        waitForUser(id, in: .link, .deadly(devices[id].plan.address), .wait, now)
    }

    private func isTrying(_ id: DeviceIndex, _ now: Uptime) -> Bool {
        switch devices[id].link.phase {
        case .connecting, .resolving: true
        default: devices[id].isConnected && devices[id].history.bond.isYoung(at: now)
        }
    }

    /// Whether a connection may still end because of lost keys, so that its values prove nothing.
    func isBondInDoubt(_ id: DeviceIndex, _ now: Uptime) -> Bool {
        devices[id].history.bond.isLost && devices[id].history.bond.isYoung(at: now)
    }
}

extension ReadingFailure {
    fileprivate static func deadly(_ address: BluetoothAddress) -> ReadingFailure {
        needsUser(
            "bluetoothd crashes whenever it is connected: run 'blekeep forget \(address)', then 'blekeep pair \(address)' "
                + "if it needs pairing")
    }
}
