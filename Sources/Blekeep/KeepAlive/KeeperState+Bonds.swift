import RunLoop

/// Keys that one side has lost: the link comes up, encryption fails, and the peripheral ends it, over and over.
struct BondState: Sendable, Hashable {
    private var linkedAt: Uptime?
    /// Links of the paired device, in a row, that ended at once.
    private(set) var losses = 0
    /// Deaths of bluetoothd, in a row, just when this device was connected.
    private(set) var deaths = 0

    mutating func linkMade(at now: Uptime) { linkedAt = now }

    /// We ended the link: it was good as long as it was wanted.
    mutating func linkEnded() {
        losses = 0
        deaths = 0
    }

    mutating func bluezDied() { deaths += 1 }

    /// The link ended by itself.
    mutating func linkLost(isPaired: Bool, at now: Uptime) {
        losses = isPaired && isYoung(at: now) ? losses + 1 : 0
        if !isYoung(at: now) { deaths = 0 }
    }

    func isYoung(at now: Uptime) -> Bool { linkedAt.map { now - $0 < Timing.bondProof } ?? false }

    var isLost: Bool { losses >= Timing.lossesUntilParked }
    var isDeadly: Bool { deaths >= Timing.lossesUntilParked }
}

extension KeeperState {
    /// Whether a link that has just ended tells that the keys no longer fit; then the device is parked.
    mutating func bondIsLost(_ id: DeviceID, _ end: LinkEnd, _ now: Uptime) -> Bool {
        let isPaired = devices[id].facts?.isPaired == true
        devices[id].history.bond.linkLost(isPaired: isPaired, at: now)
        guard isPaired, devices[id].history.bond.isLost || end == .authentication,
            let failure = ReadingFailure.remedy(.rebond, for: devices[id].plan.address)
        else { return false }
        abandonLink(id)
        park(id, in: .link, failure, .rebond, now)
        return true
    }

    /// bluetoothd is gone: a paired device that alone was just being connected each time is not connected again so
    /// soon. (The kernel 6.1 of Debian 12 kills bluetoothd when a peripheral has lost its keys.)
    mutating func bluezDied(_ now: Uptime) {
        let trying = devices.indices.filter { isTrying($0, now) }
        for id in devices.indices where trying != [id] { devices[id].history.bond.linkEnded() }
        guard trying.count == 1, let id = trying.first, devices[id].facts?.isPaired == true else { return }
        devices[id].history.bond.bluezDied()
        guard devices[id].history.bond.isDeadly else { return }
        park(id, in: .link, .deadly(devices[id].plan.address), .wait, now)
    }

    private func isTrying(_ id: DeviceID, _ now: Uptime) -> Bool {
        switch devices[id].link.phase {
        case .connecting, .resolving: true
        default: devices[id].isConnected && devices[id].history.bond.isYoung(at: now)
        }
    }

    /// Whether values came over a link that may end in a moment for want of keys: they prove nothing yet.
    func isBondInDoubt(_ id: DeviceID, _ now: Uptime) -> Bool {
        devices[id].history.bond.isLost && devices[id].history.bond.isYoung(at: now)
    }
}

extension ReadingFailure {
    fileprivate static func deadly(_ address: BluetoothAddress) -> ReadingFailure {
        needsUser(
            "bluetoothd dies whenever it is connected: run 'blekeep forget \(address)', then 'blekeep pair \(address)' "
                + "if it has to be paired")
    }
}
