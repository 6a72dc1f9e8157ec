import RunLoop

/// What the ledger is to hold: a log of attempts, and the newest snapshot of each device and of what stands above them.
/// Pure: no clock, no store.
struct LedgerBook: Sendable {
    /// Which changes a commit takes.
    enum Scope: Sendable {
        /// Only what a user would call news.
        case news
        /// Counters, too, the next tick, and the sign of life.
        case all
    }

    private var chronicle: AttemptTracker
    private var devices: [BookedDevice]
    private var machine = MachineSnapshot()
    private var missed: MissedLines?
    private var sinks: [SinkStanding] = []
    /// What the store holds of them.
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
    /// When the keeper's own snapshot must be written again, if only to show that it lives.
    private var lifeDue = Uptime.never

    /// When the next commit must have been made.
    var due: Uptime { devices.lazy.map(\.due).reduce(lifeDue, min) }

    /// - Parameters:
    ///   - hasLedger: whether there is a store that takes it.
    ///   - time: milliseconds since 1970.
    init(_ configuration: Configuration, hasLedger: Bool, pid: Int32, at time: Int64) {
        chronicle = AttemptTracker(configuration.devices.map { ($0.address, $0.name) }, at: time)
        chronicle.hasLedger = hasLedger
        devices = configuration.devices.map { BookedDevice(connects: $0.mode != .passive) }
        self.pid = pid
        started = time
        keepsLinks = configuration.onStop == .keep
    }

    /// Continues what the ledger holds of an earlier run.
    mutating func resume(_ standings: [StoredDeviceStatus], _ entries: [LedgerEntry]) {
        chronicle.resume(standings, entries)
        for id in devices.indices { devices[id].edition.change() }
    }

    // MARK: In

    /// An attempt ended, and the device is judged to be this now.
    ///
    /// - Returns: what the log is to report.
    mutating func take(
        _ id: DeviceID, _ attempt: Attempt, _ verdict: Verdict, at time: Int64
    ) -> [AttemptTracker.Line] {
        if devices.indices.contains(id) { devices[id].edition.change() }
        return chronicle.take(id, attempt, verdict, at: time)
    }

    /// An attempt that concerns every device ended.
    mutating func take(_ attempt: Attempt, at time: Int64) { chronicle.take(attempt, at: time) }

    mutating func take(_ id: DeviceID, _ snapshot: DeviceSnapshot, rssi: Int?, at now: Uptime) {
        if devices.indices.contains(id) { devices[id].take(snapshot, rssi: rssi, at: now) }
    }

    /// A connection is about to be made. One commit writes down those of the next seconds, too.
    ///
    /// - Returns: whether it must be made first.
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

    /// - Parameter missed: what the readers of the sinks have missed.
    mutating func take(_ missed: MissedLines?, _ sinks: [SinkStanding]) {
        self.sinks = sinks
        guard missed != self.missed else { return }
        self.missed = missed
        keeperEdition.change()
    }

    /// The keeper ends in good order.
    mutating func end(at time: Int64) {
        ended = time
        keeperEdition.change()
        for id in devices.indices { devices[id].edition.change() }
    }

    // MARK: Out

    /// Any commit takes all changes when none has for so long.
    static let pause: Duration = .seconds(25)

    /// - Parameters:
    ///   - scope: which changes to take at least.
    ///   - time: milliseconds since 1970.
    mutating func changes(_ scope: Scope, _ clocks: ClockReading, time: Int64, at now: Uptime) -> LedgerChanges {
        let isDue = now >= lifeDue || ended != nil || allKept.map { now - $0 >= Self.pause } ?? true
        let scope = isDue ? .all : scope
        // What is due takes with it what would be soon.
        let endsClaims = devices.contains { now >= $0.due }
        offeredKeeper = nil
        for id in devices.indices {
            devices[id].offered = nil
            if devices[id].edition.isKept, now < devices[id].due { continue }
            let standing = devices[id].standing(
                chronicle.standing(of: id), isOver: ended != nil, keepsLinks: keepsLinks, time: time, at: now)
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
            entries: chronicle.changedEntries, standings: standings, keeper: offeredKeeper?.standing,
            sinks: offeredSinks)
    }

    /// The store holds the changes that were given last.
    mutating func taken(at now: Uptime) {
        chronicle.changesTaken()
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
            // To the second: what is reported must not seem to be new because two clocks differ by a hair.
            let since = (time - (now - stall.since).wholeMilliseconds) / 1000 * 1000
            keeper.adapters[index].trouble = .noNewLinks(
                since: since, attempts: stall.attempts, devices: stall.devices)
        }
        return keeper
    }
}

extension StoredKeeperStatus {
    /// Whether a user would say that nothing has changed.
    fileprivate func isLike(_ other: StoredKeeperStatus) -> Bool {
        var same = self
        same.seen = other.seen
        same.life = other.life
        if missed?.isStalled ?? false == other.missed?.isStalled ?? false { same.missed = other.missed }
        return same == other
    }
}
