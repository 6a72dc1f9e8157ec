import Blekeep
import RunLoop

/// What the ledger holds, and whether it is right. Pure.
struct LedgerAccount: Sendable {
    private(set) var statuses: [BluetoothAddress: DeviceStatus] = [:]
    /// As the store keeps them: also of devices that were removed, or whose place another one took.
    private var rows: [DeviceID: DeviceStatus] = [:]
    /// The last entry of each device, and of all devices together.
    private(set) var entries: [DeviceID?: LedgerEntry] = [:]
    private(set) var poller: GatewayStatus?
    private(set) var sinks: [String: SinkStatus] = [:]
    private(set) var heartbeat: Heartbeat?
    /// Since when the status of a device is wrong.
    private var wrongSince: [BluetoothAddress: Uptime] = [:]

    /// Since when the ledger claims a connection that blekeep neither has nor makes.
    private var claimedSince: [BluetoothAddress: Uptime] = [:]

    /// How long the ledger may lag behind the poller, which commits such changes within a second.
    private static let lag: Duration = .seconds(5)
    /// How long a claim may outlast its connection: several devices' attempts renew it while its own is near. In an
    /// outage, bluetoothd may hold the connection however long it takes.
    private static let claim: Duration = .seconds(180)

    /// Takes a commit.
    ///
    /// - Returns: S7 order: the log of attempts has a hole.
    mutating func take(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) -> [String] {
        var flaws: [String] = []
        for entry in changes.entries {
            let last = entries[entry.device]?.number ?? 0
            if entry.number != last, entry.number != last + 1 {
                flaws.append("the attempt \(entry.number) of \(entry.device.map { "\($0)" } ?? "all") follows \(last)")
            }
            entries[entry.device] = entry
        }
        for status in changes.statuses {
            // A device that replaced another one has its ID, and its row.
            let replaced = statuses.values.first { $0.id == status.id && $0.address != status.address }
            if let replaced { statuses[replaced.address] = nil }
            statuses[status.address] = status
            rows[status.id] = status
        }
        for sink in changes.sinks { sinks[sink.name] = sink }
        poller = changes.poller ?? poller
        self.heartbeat = heartbeat ?? self.heartbeat
        return flaws
    }

    /// The last statuses and entries, as a new run reads them.
    var lastKnown: (statuses: [DeviceStatus], entries: [LedgerEntry]) {
        let statuses = rows.values.sorted { ($0.address, $0.id) < ($1.address, $1.id) }
        let entries = entries.values.map { entry in entry.continued(by: statuses.first { $0.id == entry.device }) }
        return (statuses, entries)
    }

    /// Whether the ledger claims a connection to the device for blekeep.
    func claims(_ device: BluetoothAddress) -> Bool {
        statuses[device]?.link.isOurs == true
    }

    /// S5 truth: the status of a device stays another one than the poller's.
    ///
    /// - Parameter lastRead: returns when a value of a device was last stored.
    mutating func flaws(
        of status: PollerStatus, at now: Uptime, lastRead: (BluetoothAddress) -> Uptime
    ) -> [String] {
        forgetOthers(than: status.devices)
        return status.devices.compactMap { device in
            let stored = statuses[device.address]
            let isRight = stored?.state == device.state
            let isClaimRight = status.outage != nil || device.link.isOurs || !claims(device.address)
            if isRight { wrongSince[device.address] = nil }
            if isClaimRight { claimedSince[device.address] = nil }
            let wrong = isRight ? now : wrongSince[device.address, default: now]
            // Between two observations, a connection may come and go.
            let claimed = isClaimRight ? now : max(claimedSince[device.address, default: now], lastRead(device.address))
            if !isRight { wrongSince[device.address] = wrong }
            if !isClaimRight { claimedSince[device.address] = claimed }
            guard now - wrong > Self.lag || now - claimed > Self.claim else { return nil }
            excuse()
            return "\(device.name) is stored as \(stored?.state.rawValue ?? "nothing") and "
                + "\(stored?.link.rawValue ?? ""), and is \(device.state.rawValue) and \(device.link.rawValue)"
        }
    }

    /// A device that was removed, and comes back, isn't wrong since the last time.
    private mutating func forgetOthers(than devices: [DeviceStatus]) {
        guard !wrongSince.isEmpty || !claimedSince.isEmpty else { return }
        let shown = Set(devices.map(\.address))
        wrongSince = wrongSince.filter { shown.contains($0.key) }
        claimedSince = claimedSince.filter { shown.contains($0.key) }
    }

    /// The store failed, or there is no poller: what is stored may be old.
    mutating func excuse() {
        wrongSince = [:]
        claimedSince = [:]
    }
}
