import RunLoop

/// The content of the ledger: a log of attempts, and the newest snapshots of devices, adapters and sinks. It also
/// counts the work for each device. No clock, no I/O.
package struct LedgerBook {
    /// The changes that a commit takes.
    enum Scope: Sendable {
        /// Only changes that matter to users.
        case news
        /// Also counters, the next tick, and the sign of life.
        case all
    }

    private var attempts: AttemptLog
    private var devices: [DeviceRecord]
    /// When claims in the store must end, of the few devices that have one to end.
    private var claimEnds: [DeviceNumber: Uptime] = [:]
    private var poller: BookedPoller
    private var sinks = BookedSinks()
    private var rules: RuleBook
    /// The devices of earlier runs that aren't configured any more, and whose connections the ledger still claims.
    private var strays: [DeviceStatus] = []
    private var unsavedStrays = Unsaved<[DeviceStatus]>()
    private var keepsLinks: Bool
    private var offersAll = false
    /// When all changes were committed last.
    private var allKept: Uptime?

    /// Whether the process ends by itself, after some ticks.
    var isOneOff: Bool { poller.isOneOff }

    /// The deadline of the next commit.
    var due: Uptime { min(poller.lifeDue, rules.due, claimEnd) }

    private var claimEnd: Uptime { claimEnds.values.min() ?? .never }

    private mutating func listClaim(of device: DeviceRecord) {
        let end = device.claimEnd
        if end < .never || !claimEnds.isEmpty { claimEnds[device.number] = end < .never ? end : nil }
    }

    /// - Parameters:
    ///   - hasLedger: whether the store has a ledger.
    ///   - isOneOff: whether the process ends by itself, after some ticks.
    package init(
        _ configuration: PollConfiguration, hasLedger: Bool, isOneOff: Bool = false, pid: Int32, at time: Int64
    ) {
        attempts = AttemptLog(hasLedger: hasLedger)
        devices = configuration.devices.enumerated().map {
            DeviceRecord(
                $0.element, number: DeviceNumber($0.offset), attempts: DeviceAttempts($0.element, at: time),
                isOneOff: isOneOff)
        }
        poller = BookedPoller(pid: pid, isOneOff: isOneOff, at: time)
        keepsLinks = configuration.onStop == .keep
        // Some ticks beside the service have no rules: its ledger keeps the service's.
        rules = hasLedger && !isOneOff ? RuleBook(configuration) : RuleBook()
    }

    /// The record of a device; `nil` for one that is gone, or has no row any more.
    subscript(number: DeviceNumber) -> DeviceRecord? {
        devices.index(of: number).flatMap { devices[$0].hasRow ? devices[$0] : nil }
    }

    /// Continues the ledger of an earlier run.
    mutating func resume(_ legacy: EarlierRun.Legacy, at moment: RuleMoment, uptime: Uptime) {
        attempts.resume(legacy.entries)
        rules.resume(legacy.rules, devices: legacy.statuses, readings: legacy.readings, at: moment, uptime: uptime)
        for device in devices { device.attempts.resume(legacy.statuses, entries: legacy.entries, in: &attempts) }
        // If a device comes back in a later run, a connection that is up then may be another program's.
        if !isOneOff { strays = legacy.statuses.filter(\.link.isOurs) }
        for index in strays.indices { strays[index].link = .released }
    }

    /// Takes a new configuration. The next commit takes the status of all devices, for new sinks.
    mutating func apply(_ new: Reconfiguration, at time: Int64) {
        keepsLinks = new.configuration.onStop == .keep
        if attempts.hasLedger, !isOneOff { rules.apply(new.configuration) }
        // The store was read before this change's turn came. Meanwhile, it may have got entries of a device with the same ID.
        let newest = Dictionary(devices.map { ($0.id, $0.attempts.status.entries) }, uniquingKeysWith: max)
        devices.removeAll(where: \.isGone)
        for device in devices where device.hasLeft && device.unsaved.isKept { device.loseRow() }
        for change in new.changes {
            switch change.kind {
            case .joined(let setting):
                var joined = DeviceAttempts(setting.device, after: new.earlier, in: attempts, at: time)
                joined.number(after: newest[setting.device.id] ?? 0)
                devices.append(
                    DeviceRecord(setting.device, number: change.number, attempts: joined, isOneOff: isOneOff))
            case .changed(_, let setting): self[change.number]?.apply(setting.device)
            case .left: self[change.number]?.leave()
            }
        }
        // The row of a device that left belongs to the one that has its ID now.
        let taken = Dictionary(devices.lazy.filter { !$0.hasLeft }.map { ($0.id, $0.work.address) }) { $1 }
        devices.removeAll { $0.hasLeft && taken[$0.id] == $0.work.address }
        for device in devices where device.hasLeft && taken[device.id] != nil { device.loseRow() }
        claimEnds = [:]
        for device in devices {
            if !device.hasLeft { device.unsaved.forget() }
            listClaim(of: device)
        }
        allKept = nil
    }

    // MARK: In

    /// Takes the end of an attempt, and the device's condition after it. Returns lines for the log.
    mutating func record(
        _ attempt: Attempt, _ condition: DeviceCondition, of device: DeviceRecord, at time: Int64
    ) -> [DeviceAttempts.Line] {
        device.attempts.record(attempt, condition: condition, in: &attempts, at: time)
    }

    /// Takes the end of an attempt that concerns all devices.
    mutating func record(_ attempt: Attempt, at time: Int64) { attempts.record(attempt, at: time) }

    /// - Returns: whether other gateways must hear of it soon.
    mutating func apply(_ snapshot: DeviceSnapshot, rssi: Int?, of number: DeviceNumber, at now: Uptime) -> Bool {
        guard let index = devices.index(of: number) else { return false }
        let device = devices[index]
        defer { listClaim(of: device) }
        return device.apply(snapshot, rssi: rssi, at: now)
    }

    /// Counts an attempt to connect a device, and claims the connection and those that blekeep will make in the next
    /// seconds.
    ///
    /// - Returns: whether a commit must come first.
    mutating func claim(_ number: DeviceNumber, at now: Uptime) -> Bool {
        guard let device = self[number] else { return false }
        device.work.connects += 1
        if device.isClaimed { return false }
        for other in devices {
            other.claim(at: now)
            listClaim(of: other)
        }
        return true
    }

    // MARK: Rules

    /// Whether the rules need the readings of an earlier run.
    var needsReadings: Bool { rules.needsReadings }

    /// Takes readings, for the rules. Returns the rules that fire now, and those that are over.
    mutating func observe(_ readings: [Reading], at moment: RuleMoment, uptime: Uptime) -> [RuleMachine.Change] {
        booked(rules.observe(readings, at: moment, uptime: uptime))
    }

    /// Takes the time, for the rules.
    mutating func advance(at moment: RuleMoment, uptime: Uptime) -> [RuleMachine.Change] {
        booked(rules.advance(at: moment, uptime: uptime))
    }

    /// Takes whether a device is paused, or another gateway reads it, for the rules.
    mutating func applyToRules(
        _ snapshot: DeviceSnapshot, of number: DeviceNumber, at moment: @autoclosure () -> RuleMoment
    ) -> [RuleMachine.Change] {
        guard let id = self[number]?.id else { return [] }
        let isSuspended = snapshot.pausedUntil != nil || snapshot.intervalReason == .standby
        return booked(rules.suspend(id, isSuspended, at: moment()))
    }

    /// The status of a device has the rules that fire.
    private mutating func booked(_ changes: [RuleMachine.Change]) -> [RuleMachine.Change] {
        for change in changes { present(change.status.device)?.unsaved.change() }
        return changes
    }

    /// The record of a configured device.
    private func present(_ id: DeviceID) -> DeviceRecord? { devices.first { $0.id == id && !$0.hasLeft } }

    // MARK: Work

    func count(_ readings: [Reading]) {
        for reading in readings { if case .value = reading.outcome { present(reading.id)?.work.values += 1 } }
    }

    /// Gives the next heartbeat the work since the last one that the store holds, without idle devices.
    func offerWork(at now: Uptime) -> [DeviceActivity] { devices.map { $0.offerWork(at: now) }.filter { !$0.isIdle } }

    // MARK: Machine and sinks

    mutating func apply(_ machine: MachineSnapshot) { poller.machine = machine }

    mutating func apply(_ slow: SlowWrites?) { poller.slow = slow }

    /// - Parameter missed: the lines that the readers of the sinks missed.
    mutating func apply(_ sinks: [SinkStatus], missed: MissedLines?) {
        self.sinks.apply(sinks)
        poller.missed = missed
    }

    /// Records the normal end of `poll`.
    mutating func end(at time: Int64) {
        poller.ended = time
        for device in devices { device.unsaved.change() }
    }

    // MARK: Out

    /// After this time, the next commit takes all changes.
    static let pause: Duration = .seconds(25)

    /// Returns the present status of a device.
    func status(of number: DeviceNumber, time: Int64, at now: Uptime) -> DeviceStatus? {
        self[number].map { status(of: $0, time: time, at: now) }
    }

    /// Returns the status that attempts give a device; `nil` for one that isn't configured.
    func status(of device: DeviceID) -> DeviceStatus? { present(device)?.attempts.status }

    private func status(of device: DeviceRecord, time: Int64, at now: Uptime) -> DeviceStatus {
        var status = device.status(isOver: poller.hasEnded, keepsLinks: keepsLinks, time: time, at: now)
        status.firing = device.hasLeft ? [] : rules.firing(of: device.id)
        return status
    }

    /// - Parameter scope: which changes to take at least.
    mutating func changes(_ scope: Scope, _ clocks: ClockReading, time: Int64, at now: Uptime) -> LedgerChanges {
        let isDue = now >= poller.lifeDue || poller.hasEnded || allKept.map { now - $0 >= Self.pause } ?? true
        let scope = isDue ? .all : scope
        // When a claim must end, the commit ends all claims that it can.
        let endsClaims = now >= claimEnd
        var statuses: [DeviceStatus] = []
        for device in devices where device.hasRow {
            device.unsaved.offer(nil)
            if device.unsaved.isKept, now < device.claimEnd { continue }
            var status = status(of: device, time: time, at: now)
            if device.isClaiming(at: now), !poller.hasEnded { status.link = .connecting }
            let changed = device.unsaved.offer(status, scope) {
                !status.isLike($0) || endsClaims && !status.link.hasClaim(of: $0.link)
            }
            if let changed { statuses.append(changed) }
        }
        strays.removeAll { stray in devices.contains { $0.id == stray.id } }
        statuses += unsavedStrays.offer(strays.isEmpty ? nil : strays) ?? []
        offersAll = scope == .all
        let present = devices.lazy.filter { !$0.hasLeft }.map(\.snapshot)
        var changes = LedgerChanges(
            entries: attempts.offer(), statuses: statuses,
            poller: poller.offer(
                scope, SignOfLife(clocks: clocks, silence: SignOfLife.silence(of: present, at: now)), time: time,
                at: now),
            sinks: sinks.offer(scope))
        let left = devices.lazy.filter { $0.hasLeft && $0.unsaved.isOffered }
        changes.leftDevices = Set(left.map(\.id)).union(strays.lazy.map(\.id))
        changes.leftSinks = sinks.left
        changes.rules = rules.offer()
        changes.leftRules = rules.leftRules
        changes.isOneOff = poller.isOneOff
        return changes
    }

    /// Call this when the store holds the last changes, and perhaps a heartbeat with the last work.
    mutating func committed(withHeartbeat: Bool = false, at now: Uptime) {
        attempts.committed()
        if offersAll { allKept = now }
        for device in devices {
            if withHeartbeat { device.workCommitted() }
            if device.unsaved.committed() != nil { listClaim(of: device) }
        }
        if unsavedStrays.committed() == strays { strays = [] }
        poller.committed(at: now)
        sinks.committed()
        rules.committed()
    }
}

/// The newest snapshot of the poller and the machine, and what the store holds of it. Pure.
private struct BookedPoller: Sendable {
    private let pid: Int32
    private let started: Int64
    let isOneOff: Bool
    /// When `poll` ended normally.
    var ended: Int64?
    var machine = MachineSnapshot()
    /// The lines that the readers of the sinks missed.
    var missed: MissedLines?
    var slow: SlowWrites?
    private var unsaved = Unsaved<GatewayStatus>()
    /// When the snapshot must be written again, at least as a sign of life.
    private(set) var lifeDue = Uptime.never

    /// - Parameter isOneOff: whether the process ends by itself, after some ticks.
    init(pid: Int32, isOneOff: Bool, at time: Int64) {
        self.pid = pid
        self.isOneOff = isOneOff
        started = time
    }

    var hasEnded: Bool { ended != nil }

    /// - Returns: what a commit must take; `nil`: nothing.
    mutating func offer(_ scope: LedgerBook.Scope, _ life: SignOfLife, time: Int64, at now: Uptime) -> GatewayStatus? {
        let status = status(life, time: time, at: now)
        return unsaved.offer(status, scope) { !status.isLike($0) }
    }

    /// Call this when the store holds the last offer.
    mutating func committed(at now: Uptime) {
        guard let status = unsaved.committed() else { return }
        lifeDue = ended == nil ? status.life.map { now + $0.silence } ?? .never : .never
    }

    private func status(_ life: SignOfLife, time: Int64, at now: Uptime) -> GatewayStatus {
        var poller = GatewayStatus(pid: pid, started: started, seen: time, power: machine.power)
        poller.isOneOff = isOneOff
        poller.ended = ended
        poller.life = life
        poller.outage = machine.outage
        poller.missed = missed
        poller.slow = slow
        poller.adapters = machine.adapters
        for index in poller.adapters.indices where poller.adapters[index].trouble?.isGrave != true {
            guard let stall = machine.stalls[poller.adapters[index].name] else { continue }
            // Rounded to seconds, so that a small difference between two clocks doesn't look like a change.
            let since = (time - (now - stall.since).wholeMilliseconds) / 1000 * 1000
            poller.adapters[index].trouble = .noNewLinks(since: since, attempts: stall.attempts, devices: stall.devices)
        }
        return poller
    }
}

extension GatewayStatus {
    /// Whether nothing changed that matters to users.
    fileprivate func isLike(_ other: GatewayStatus) -> Bool {
        var same = self
        same.seen = other.seen
        same.life = other.life
        // One more slow write is no news, so that a slow disk gets no commits because of it.
        if slow != nil, other.slow != nil { same.slow = other.slow }
        if missed?.isStalled ?? false == other.missed?.isStalled ?? false { same.missed = other.missed }
        return same == other
    }
}

/// The newest status of the sinks, and what the store holds of it. Pure.
private struct BookedSinks: Sendable {
    private var newest: [SinkStatus] = []
    private var unsaved: [String: Unsaved<SinkStatus>] = [:]

    /// The names of the sinks that are in the store, but no longer in the configuration.
    var left: Set<String> {
        Set(unsaved.filter { $0.value.kept != nil }.keys).subtracting(newest.map(\.name))
    }

    mutating func apply(_ sinks: [SinkStatus]) { newest = sinks }

    /// - Returns: what a commit must take.
    mutating func offer(_ scope: LedgerBook.Scope) -> [SinkStatus] {
        newest.compactMap { sink in
            unsaved[sink.name, default: Unsaved()].offer(sink, scope) { !sink.isLike($0) }
        }
    }

    /// Call this when the store holds the last offer.
    mutating func committed() {
        unsaved = unsaved.filter { entry in newest.contains { $0.name == entry.key } }
        for name in unsaved.keys { unsaved[name]?.committed() }
    }
}

/// A value with the copy of it that the store holds. It asks two things: whether the value can have changed, by its
/// edition, so that most devices cost a commit nothing; and whether a change is news, or may wait for the next commit that
/// takes all. Before it, `DeviceMachine` asks whether a step changed its snapshot: a snapshot has times of this run, and
/// changes more often than the status that the store holds.
struct Unsaved<Value: Sendable & Equatable>: Sendable {
    /// The value in the store; `nil` for none, or for one that must be written again.
    private(set) var kept: Value?
    /// Rises with each change, so that a value that can't have changed needn't be made.
    private var edition = 1
    private var keptEdition = 0
    private var offered: (value: Value, edition: Int)?

    /// Whether the value hasn't changed since the store took it.
    var isKept: Bool { keptEdition == edition }

    /// Whether the commit in progress has the value.
    var isOffered: Bool { offered != nil }

    mutating func change() { edition += 1 }

    /// Makes the next commit take the value, even if the store has it or is about to.
    mutating func forget() {
        kept = nil
        offered = nil
        change()
    }

    /// Gives the commit in progress a value; `nil` for none.
    /// Returns what must be written; `nil` if the store has the same.
    @discardableResult
    mutating func offer(_ value: Value?) -> Value? {
        offered = value.map { ($0, edition) }
        return value == kept ? nil : value
    }

    /// Gives the commit in progress a value if it takes all, or if the value is news to users.
    ///
    /// - Parameter isNews: returns whether the value differs from that in the store in a way that matters to users.
    mutating func offer(_ value: Value, _ scope: LedgerBook.Scope, isNews: (Value) -> Bool) -> Value? {
        offer(scope == .all || kept.map(isNews) ?? true ? value : nil)
    }

    /// Call this when the store holds the offer. Returns the offer; `nil` without one.
    @discardableResult
    mutating func committed() -> Value? {
        guard let offered else { return nil }
        self.offered = nil
        kept = offered.value
        keptEdition = offered.edition
        return offered.value
    }
}
