import RunLoop

/// The content of the ledger: a log of attempts, and the newest snapshots of devices, adapters and sinks. Pure.
package struct LedgerBook: Sendable {
    /// The changes that a commit takes.
    enum Scope: Sendable {
        /// Only changes that matter to users.
        case news
        /// Also counters, the next tick, and the sign of life.
        case all
    }

    private var attempts: AttemptTracker
    private var devices: [BookedDevice]
    private var keeper: BookedKeeper
    private var sinks = BookedSinks()
    private var keepsLinks: Bool
    private var offersAll = false
    /// When all changes were committed last.
    private var allKept: Uptime?

    /// The deadline of the next commit.
    var due: Uptime { devices.lazy.map(\.due).reduce(keeper.lifeDue, min) }

    /// - Parameters:
    ///   - hasLedger: whether the store has a ledger.
    ///   - isOneOff: whether the process ends by itself, after some ticks.
    ///   - time: milliseconds since 1970.
    package init(
        _ configuration: PollConfiguration, hasLedger: Bool, isOneOff: Bool = false, pid: Int32, at time: Int64
    ) {
        attempts = AttemptTracker(configuration.devices, at: time)
        attempts.hasLedger = hasLedger
        devices = configuration.devices.map { BookedDevice(connects: $0.mode != .passive) }
        keeper = BookedKeeper(pid: pid, isOneOff: isOneOff, at: time)
        keepsLinks = configuration.onStop == .keep
    }

    /// Continues the ledger of an earlier run.
    mutating func resume(_ statuses: [DeviceStatus], _ entries: [LedgerEntry]) {
        attempts.resume(statuses, entries)
        for id in devices.indices { devices[id].edition.change() }
    }

    /// Takes a new configuration. The next commit takes the status of all devices, for new sinks.
    ///
    /// - Parameter time: milliseconds since 1970.
    mutating func take(_ new: Reconfiguration, at time: Int64) {
        keepsLinks = new.configuration.onStop == .keep
        for change in new.changes {
            switch change.kind {
            case .joined(let setting):
                for old in devices.indices where attempts.status(of: old).id == setting.device.id {
                    devices[old].isReplaced = devices[old].hasLeft
                }
                attempts.join(change.id, setting.device, after: new.earlier, at: time)
                let device = BookedDevice(connects: setting.device.mode != .passive)
                if devices.indices.contains(change.id) { devices[change.id] = device } else { devices.append(device) }
            case .changed(_, let setting):
                attempts.rename(change.id, setting.device.name)
                devices[change.id].connects = setting.device.mode != .passive
            case .left: devices[change.id].leave()
            }
        }
        for id in devices.indices where !devices[id].hasLeft { devices[id].renew() }
        allKept = nil
    }

    // MARK: In

    /// Takes the end of an attempt, and the device's condition after it.
    ///
    /// - Returns: lines for the log.
    mutating func take(
        _ id: DeviceIndex, _ attempt: Attempt, _ condition: DeviceCondition, at time: Int64
    ) -> [AttemptTracker.Line] {
        if devices.indices.contains(id) { devices[id].edition.change() }
        return attempts.take(id, attempt, condition, at: time)
    }

    /// Takes the end of an attempt that concerns all devices.
    mutating func take(_ attempt: Attempt, at time: Int64) { attempts.take(attempt, at: time) }

    mutating func take(_ id: DeviceIndex, _ snapshot: DeviceSnapshot, rssi: Int?, at now: Uptime) {
        if devices.indices.contains(id) { devices[id].take(snapshot, rssi: rssi, at: now) }
    }

    /// Claims a connection that blekeep is about to make, and those that it will make in the next seconds.
    ///
    /// - Returns: whether a commit must come first.
    mutating func claim(_ id: DeviceIndex, at now: Uptime) -> Bool {
        guard devices.indices.contains(id), !devices[id].isClaimed else { return false }
        for other in devices.indices { devices[other].claim(at: now) }
        return true
    }

    mutating func take(_ id: DeviceIndex, _ thinned: ThinnedValues) {
        guard devices.indices.contains(id) else { return }
        devices[id].thinned = thinned
        devices[id].edition.change()
    }

    mutating func take(_ id: DeviceIndex, _ identity: BroadcastIdentity) {
        guard devices.indices.contains(id) else { return }
        attempts.recognize(id, identity)
        devices[id].edition.change()
    }

    mutating func take(_ machine: MachineSnapshot) {
        keeper.take(machine)
    }

    mutating func take(_ slow: SlowWrites?) { keeper.take(slow) }

    /// - Parameter missed: the lines that the readers of the sinks missed.
    mutating func take(_ missed: MissedLines?, _ sinks: [SinkStatus]) {
        self.sinks.take(sinks)
        keeper.take(missed)
    }

    /// Records the normal end of `poll`.
    mutating func end(at time: Int64) {
        keeper.end(at: time)
        for id in devices.indices { devices[id].edition.change() }
    }

    // MARK: Out

    /// After this time, the next commit takes all changes.
    static let pause: Duration = .seconds(25)

    /// Returns the present status of a device.
    ///
    /// - Parameter time: milliseconds since 1970.
    func status(of id: DeviceIndex, time: Int64, at now: Uptime) -> DeviceStatus? {
        guard devices.indices.contains(id) else { return nil }
        return devices[id].status(
            attempts.status(of: id), isOver: keeper.hasEnded, keepsLinks: keepsLinks, time: time, at: now)
    }

    /// - Parameters:
    ///   - scope: which changes to take at least.
    ///   - time: milliseconds since 1970.
    mutating func changes(_ scope: Scope, _ clocks: ClockReading, time: Int64, at now: Uptime) -> LedgerChanges {
        let isDue = now >= keeper.lifeDue || keeper.hasEnded || allKept.map { now - $0 >= Self.pause } ?? true
        let scope = isDue ? .all : scope
        // When a claim must end, the commit ends all claims that it can.
        let endsClaims = devices.contains { now >= $0.due }
        for id in devices.indices {
            devices[id].offered = nil
            if devices[id].isReplaced { continue }
            if devices[id].edition.isKept, now < devices[id].due { continue }
            guard var status = status(of: id, time: time, at: now) else { continue }
            if devices[id].isClaiming(at: now), !keeper.hasEnded { status.link = .connecting }
            guard scope == .all || devices[id].isNews(status, endsClaims: endsClaims) else { continue }
            devices[id].offered = (status, devices[id].edition.number)
        }
        let statuses = devices.compactMap { device in device.offered.flatMap { $0.0 == device.kept ? nil : $0.0 } }
        offersAll = scope == .all
        let present = devices.filter { !$0.hasLeft }
        var changes = LedgerChanges(
            entries: attempts.changedEntries, statuses: statuses,
            keeper: keeper.offer(scope, clocks, of: present.map(\.snapshot), time: time, at: now),
            sinks: sinks.offer(scope))
        let left = devices.indices.filter { devices[$0].hasLeft && devices[$0].offered != nil }
        changes.leftDevices = Set(left.map { attempts.status(of: $0).id })
        changes.leftSinks = sinks.left
        changes.isOneOff = keeper.isOneOff
        return changes
    }

    /// Call this when the store holds the last changes.
    mutating func taken(at now: Uptime) {
        attempts.changesTaken()
        if offersAll { allKept = now }
        for id in devices.indices {
            devices[id].taken()
        }
        keeper.taken(at: now)
        sinks.taken()
    }
}
