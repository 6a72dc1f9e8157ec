import RunLoop

/// The content of the ledger: a log of attempts, and the newest snapshots of devices, adapters and sinks. Pure.
struct LedgerBook: Sendable {
    /// The changes that a commit takes.
    enum Scope: Sendable {
        /// Only changes that matter to users.
        case news
        /// Also counters, the next tick, and the sign of life.
        case all
    }

    private var attempts: AttemptTracker
    private var devices: [BookedDevice]
    private var machine = MachineSnapshot()
    private var missed: MissedLines?
    private var sinks: [SinkStanding] = []
    /// The status of the sinks in the store.
    private var keptSinks: [SinkStanding] = []
    private var offeredSinks: [SinkStanding] = []
    private var keeperEdition = Edition()
    private var keptKeeper: StoredKeeperStatus?
    private var offeredKeeper: (standing: StoredKeeperStatus, edition: Int)?
    private let pid: Int32
    private let started: Int64
    private var ended: Int64?
    private let keepsLinks: Bool
    private var offersAll = false
    /// When all changes were committed last.
    private var allKept: Uptime?
    /// When the keeper's own snapshot must be written again, at least as a sign of life.
    private var lifeDue = Uptime.never

    /// The deadline of the next commit.
    var due: Uptime { devices.lazy.map(\.due).reduce(lifeDue, min) }

    /// - Parameters:
    ///   - hasLedger: whether the store has a ledger.
    ///   - time: milliseconds since 1970.
    init(_ configuration: Configuration, hasLedger: Bool, pid: Int32, at time: Int64) {
        attempts = AttemptTracker(configuration.devices.map { ($0.address, $0.name) }, at: time)
        attempts.hasLedger = hasLedger
        devices = configuration.devices.map { BookedDevice(connects: $0.mode != .passive) }
        self.pid = pid
        started = time
        keepsLinks = configuration.onStop == .keep
    }

    /// Continues the ledger of an earlier run.
    mutating func resume(_ standings: [StoredDeviceStatus], _ entries: [LedgerEntry]) {
        attempts.resume(standings, entries)
        for id in devices.indices { devices[id].edition.change() }
    }

    // MARK: In

    /// Takes the end of an attempt, and the device's condition after it.
    ///
    /// - Returns: lines for the log.
    mutating func take(
        _ id: DeviceID, _ attempt: Attempt, _ condition: DeviceCondition, at time: Int64
    ) -> [AttemptTracker.Line] {
        if devices.indices.contains(id) { devices[id].edition.change() }
        return attempts.take(id, attempt, condition, at: time)
    }

    /// Takes the end of an attempt that concerns all devices.
    mutating func take(_ attempt: Attempt, at time: Int64) { attempts.take(attempt, at: time) }

    mutating func take(_ id: DeviceID, _ snapshot: DeviceSnapshot, rssi: Int?, at now: Uptime) {
        if devices.indices.contains(id) { devices[id].take(snapshot, rssi: rssi, at: now) }
    }

    /// Claims a connection that blekeep is about to make, and those that it will make in the next seconds.
    ///
    /// - Returns: whether a commit must come first.
    mutating func claim(_ id: DeviceID, at now: Uptime) -> Bool {
        guard devices.indices.contains(id), !devices[id].isClaimed else { return false }
        for other in devices.indices { devices[other].claim(at: now) }
        return true
    }

    mutating func take(_ id: DeviceID, _ thinned: ThinnedValues) {
        guard devices.indices.contains(id) else { return }
        devices[id].thinned = thinned
        devices[id].edition.change()
    }

    mutating func take(_ machine: MachineSnapshot) {
        self.machine = machine
        keeperEdition.change()
    }

    /// - Parameter missed: the lines that the readers of the sinks missed.
    mutating func take(_ missed: MissedLines?, _ sinks: [SinkStanding]) {
        self.sinks = sinks
        guard missed != self.missed else { return }
        self.missed = missed
        keeperEdition.change()
    }

    /// Records the normal end of `poll`.
    mutating func end(at time: Int64) {
        ended = time
        keeperEdition.change()
        for id in devices.indices { devices[id].edition.change() }
    }

    // MARK: Out

    /// After this time, the next commit takes all changes.
    static let pause: Duration = .seconds(25)

    /// - Parameters:
    ///   - scope: which changes to take at least.
    ///   - time: milliseconds since 1970.
    mutating func changes(_ scope: Scope, _ clocks: ClockReading, time: Int64, at now: Uptime) -> LedgerChanges {
        let isDue = now >= lifeDue || ended != nil || allKept.map { now - $0 >= Self.pause } ?? true
        let scope = isDue ? .all : scope
        // When a claim must end, the commit ends all claims that it can.
        let endsClaims = devices.contains { now >= $0.due }
        offeredKeeper = nil
        for id in devices.indices {
            devices[id].offered = nil
            if devices[id].edition.isKept, now < devices[id].due { continue }
            let standing = devices[id].standing(
                attempts.standing(of: id), isOver: ended != nil, keepsLinks: keepsLinks, time: time, at: now)
            guard scope == .all || devices[id].isNews(standing, endsClaims: endsClaims) else { continue }
            devices[id].offered = (standing, devices[id].edition.number)
        }
        let keeper = keeper(clocks, time: time, at: now)
        if scope == .all || keptKeeper.map({ !keeper.isLike($0) }) ?? true {
            offeredKeeper = (keeper, keeperEdition.number)
        }
        let standings = devices.compactMap { device in device.offered.flatMap { $0.0 == device.kept ? nil : $0.0 } }
        offeredSinks = sinks.filter { sink in
            guard let kept = keptSinks.first(where: { $0.name == sink.name }) else { return true }
            return scope == .all ? sink != kept : !sink.isLike(kept)
        }
        offersAll = scope == .all
        return LedgerChanges(
            entries: attempts.changedEntries, standings: standings, keeper: offeredKeeper?.standing,
            sinks: offeredSinks)
    }

    /// Call this when the store holds the last changes.
    mutating func taken(at now: Uptime) {
        attempts.changesTaken()
        if offersAll { allKept = now }
        for id in devices.indices {
            devices[id].taken()
        }
        keptSinks.removeAll { kept in offeredSinks.contains { $0.name == kept.name } }
        keptSinks += offeredSinks
        offeredSinks = []
        guard let offered = offeredKeeper else { return }
        offeredKeeper = nil
        keptKeeper = offered.standing
        keeperEdition.keep(offered.edition)
        lifeDue = ended == nil ? offered.standing.life.map { now + $0.silence } ?? .never : .never
    }

    private func keeper(_ clocks: ClockReading, time: Int64, at now: Uptime) -> StoredKeeperStatus {
        var keeper = StoredKeeperStatus(pid: pid, started: started, seen: time, power: machine.power)
        keeper.ended = ended
        keeper.life = SignOfLife(
            clocks: clocks, silence: SignOfLife.silence(of: devices.map(\.snapshot), at: now))
        keeper.outage = machine.outage
        keeper.missed = missed
        keeper.adapters = machine.adapters
        for index in keeper.adapters.indices where keeper.adapters[index].trouble?.isGrave != true {
            guard let stall = machine.stalls[keeper.adapters[index].name] else { continue }
            // Rounded to seconds, so that a small difference between two clocks doesn't look like a change.
            let since = (time - (now - stall.since).wholeMilliseconds) / 1000 * 1000
            keeper.adapters[index].trouble = .noNewLinks(
                since: since, attempts: stall.attempts, devices: stall.devices)
        }
        return keeper
    }
}

extension StoredKeeperStatus {
    /// Whether nothing changed that matters to users.
    fileprivate func isLike(_ other: StoredKeeperStatus) -> Bool {
        var same = self
        same.seen = other.seen
        same.life = other.life
        if missed?.isStalled ?? false == other.missed?.isStalled ?? false { same.missed = other.missed }
        return same == other
    }
}
