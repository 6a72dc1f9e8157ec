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

    private var attempts: AttemptLog
    private var devices: [BookedDevice]
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

    private mutating func listClaim(at index: Int) {
        let end = devices[index].claimEnd
        if end < .never || !claimEnds.isEmpty { claimEnds[devices[index].number] = end < .never ? end : nil }
    }

    /// - Parameters:
    ///   - hasLedger: whether the store has a ledger.
    ///   - isOneOff: whether the process ends by itself, after some ticks.
    ///   - time: milliseconds since 1970.
    package init(
        _ configuration: PollConfiguration, hasLedger: Bool, isOneOff: Bool = false, pid: Int32, at time: Int64
    ) {
        attempts = AttemptLog(hasLedger: hasLedger)
        devices = configuration.devices.enumerated().map {
            BookedDevice(
                $0.element, number: DeviceNumber($0.offset), attempts: DeviceAttempts($0.element, at: time),
                isOneOff: isOneOff)
        }
        poller = BookedPoller(pid: pid, isOneOff: isOneOff, at: time)
        keepsLinks = configuration.onStop == .keep
        // Some ticks beside the service have no rules: its ledger keeps the service's.
        rules = hasLedger && !isOneOff ? RuleBook(configuration) : RuleBook()
    }

    /// Continues the ledger of an earlier run.
    mutating func resume(_ legacy: EarlierRun.Legacy, at moment: RuleMoment, uptime: Uptime) {
        attempts.resume(legacy.entries)
        rules.resume(
            legacy.rules, devices: legacy.statuses, readings: legacy.readings, at: moment, uptime: uptime)
        for index in devices.indices {
            devices[index].attempts.resume(legacy.statuses, entries: legacy.entries, in: &attempts)
            devices[index].unsaved.change()
        }
        // If a device comes back in a later run, a connection that is up then may be another program's.
        if !isOneOff { strays = legacy.statuses.filter(\.link.isOurs) }
        for index in strays.indices { strays[index].link = .released }
    }

    /// Takes a new configuration. The next commit takes the status of all devices, for new sinks.
    ///
    /// - Parameter time: milliseconds since 1970.
    mutating func apply(_ new: Reconfiguration, at time: Int64) {
        keepsLinks = new.configuration.onStop == .keep
        if attempts.hasLedger, !isOneOff { rules.apply(new.configuration) }
        // The store was read before this change's turn came. Meanwhile, it may have got entries of a device with the same ID.
        let newest = Dictionary(devices.map { ($0.id, $0.attempts.status.entries) }, uniquingKeysWith: max)
        devices.removeAll { $0.hasLeft && $0.unsaved.isKept }
        for change in new.changes {
            switch change.kind {
            case .joined(let setting):
                var joined = DeviceAttempts(setting.device, after: new.earlier, in: attempts, at: time)
                joined.number(after: newest[setting.device.id] ?? 0)
                devices.append(
                    BookedDevice(setting.device, number: change.number, attempts: joined, isOneOff: isOneOff))
            case .changed(_, let setting):
                if let index = devices.index(of: change.number) {
                    devices[index].attempts.status.name = setting.device.name
                    devices[index].connects = setting.device.mode != .passive
                }
            case .left: if let index = devices.index(of: change.number) { devices[index].leave() }
            }
        }
        // The row of a device that left belongs to the one that has its ID now.
        let taken = Set(devices.lazy.filter { !$0.hasLeft }.map(\.id))
        devices.removeAll { $0.hasLeft && taken.contains($0.id) }
        for index in devices.indices where !devices[index].hasLeft { devices[index].unsaved.forget() }
        claimEnds = [:]
        for index in devices.indices { listClaim(at: index) }
        allKept = nil
    }

    // MARK: In

    /// Takes the end of an attempt, and the device's condition after it.
    ///
    /// - Returns: lines for the log.
    mutating func record(
        _ attempt: Attempt, _ condition: DeviceCondition, of number: DeviceNumber, at time: Int64
    ) -> [DeviceAttempts.Line] {
        guard let index = devices.index(of: number) else { return [] }
        devices[index].unsaved.change()
        return devices[index].attempts.record(attempt, condition: condition, in: &attempts, at: time)
    }

    /// Takes the end of an attempt that concerns all devices.
    mutating func record(_ attempt: Attempt, at time: Int64) { attempts.record(attempt, at: time) }

    /// - Returns: whether other gateways must hear of it soon.
    mutating func apply(_ snapshot: DeviceSnapshot, rssi: Int?, of number: DeviceNumber, at now: Uptime) -> Bool {
        guard let index = devices.index(of: number) else { return false }
        defer { listClaim(at: index) }
        return devices[index].apply(snapshot, rssi: rssi, at: now)
    }

    /// Claims a connection that blekeep is about to make, and those that it will make in the next seconds.
    ///
    /// - Returns: whether a commit must come first.
    mutating func claim(_ number: DeviceNumber, at now: Uptime) -> Bool {
        guard let index = devices.index(of: number), !devices[index].isClaimed else { return false }
        for other in devices.indices {
            devices[other].claim(at: now)
            listClaim(at: other)
        }
        return true
    }

    // MARK: Rules

    /// Whether the rules need the readings of an earlier run.
    var needsReadings: Bool { rules.needsReadings }

    /// Takes readings, for the rules.
    ///
    /// - Returns: the rules that fire now, and those that are over.
    mutating func observe(_ readings: [Reading], at moment: RuleMoment, uptime: Uptime) -> [RuleMachine.Change] {
        booked(rules.observe(readings, at: moment, uptime: uptime))
    }

    /// Takes the time, for the rules.
    mutating func advance(at moment: RuleMoment, uptime: Uptime) -> [RuleMachine.Change] {
        booked(rules.advance(at: moment, uptime: uptime))
    }

    /// Takes whether a device is paused, or another gateway reads it, for the rules.
    mutating func applyToRules(
        _ snapshot: DeviceSnapshot, of number: DeviceNumber, at moment: () -> RuleMoment
    ) -> [RuleMachine.Change] {
        guard let index = devices.index(of: number) else { return [] }
        let isSuspended = snapshot.pausedUntil != nil || snapshot.intervalReason == .standby
        guard rules.isSuspended(devices[index].id) != isSuspended else { return [] }
        return booked(rules.suspend(devices[index].id, isSuspended, at: moment()))
    }

    /// The status of a device has the rules that fire.
    private mutating func booked(_ changes: [RuleMachine.Change]) -> [RuleMachine.Change] {
        for change in changes {
            if let index = devices.firstIndex(where: { $0.id == change.status.device && !$0.hasLeft }) {
                devices[index].unsaved.change()
            }
        }
        return changes
    }

    mutating func apply(_ dropped: DroppedValues, of number: DeviceNumber) {
        guard let index = devices.index(of: number) else { return }
        devices[index].dropped = dropped
        devices[index].unsaved.change()
    }

    mutating func recognize(_ number: DeviceNumber, as identity: BroadcastIdentity) {
        guard let index = devices.index(of: number) else { return }
        devices[index].attempts.status.identity = identity
        devices[index].unsaved.change()
    }

    mutating func apply(_ machine: MachineSnapshot) { poller.apply(machine) }

    mutating func apply(_ slow: SlowWrites?) { poller.apply(slow) }

    /// - Parameter missed: the lines that the readers of the sinks missed.
    mutating func apply(_ sinks: [SinkStatus], missed: MissedLines?) {
        self.sinks.apply(sinks)
        poller.apply(missed)
    }

    /// Records the normal end of `poll`.
    mutating func end(at time: Int64) {
        poller.end(at: time)
        for index in devices.indices { devices[index].unsaved.change() }
    }

    // MARK: Out

    /// After this time, the next commit takes all changes.
    static let pause: Duration = .seconds(25)

    /// Returns the present status of a device.
    ///
    /// - Parameter time: milliseconds since 1970.
    func status(of number: DeviceNumber, time: Int64, at now: Uptime) -> DeviceStatus? {
        devices.index(of: number).map { status(at: $0, time: time, at: now) }
    }

    /// Returns the status that attempts give a device; `nil` for one that isn't configured.
    func status(of device: DeviceID) -> DeviceStatus? {
        devices.first { $0.id == device && !$0.hasLeft }?.attempts.status
    }

    private func status(at index: Int, time: Int64, at now: Uptime) -> DeviceStatus {
        var status = devices[index].status(isOver: poller.hasEnded, keepsLinks: keepsLinks, time: time, at: now)
        status.firing = devices[index].hasLeft ? [] : rules.firing(of: devices[index].id)
        return status
    }

    /// - Parameters:
    ///   - scope: which changes to take at least.
    ///   - time: milliseconds since 1970.
    mutating func changes(_ scope: Scope, _ clocks: ClockReading, time: Int64, at now: Uptime) -> LedgerChanges {
        let isDue = now >= poller.lifeDue || poller.hasEnded || allKept.map { now - $0 >= Self.pause } ?? true
        let scope = isDue ? .all : scope
        // When a claim must end, the commit ends all claims that it can.
        let endsClaims = now >= claimEnd
        var statuses: [DeviceStatus] = []
        for index in devices.indices {
            devices[index].unsaved.offer(nil)
            if devices[index].unsaved.isKept, now < devices[index].claimEnd { continue }
            var status = status(at: index, time: time, at: now)
            if devices[index].isClaiming(at: now), !poller.hasEnded { status.link = .connecting }
            guard scope == .all || devices[index].isNews(status, endsClaims: endsClaims) else { continue }
            if let changed = devices[index].unsaved.offer(status) { statuses.append(changed) }
        }
        strays.removeAll { stray in devices.contains { $0.id == stray.id } }
        statuses += unsavedStrays.offer(strays.isEmpty ? nil : strays) ?? []
        offersAll = scope == .all
        // By index, because an element would be copied.
        let all = devices
        let present = all.indices.lazy.filter { !all[$0].hasLeft }.map { all[$0].snapshot }
        var changes = LedgerChanges(
            entries: attempts.offer(), statuses: statuses,
            poller: poller.offer(
                scope, SignOfLife(clocks: clocks, silence: SignOfLife.silence(of: present, at: now)), time: time,
                at: now),
            sinks: sinks.offer(scope))
        let left = all.indices.filter { all[$0].hasLeft && all[$0].unsaved.isOffered }
        changes.leftDevices = Set(left.map { all[$0].id }).union(strays.lazy.map(\.id))
        changes.leftSinks = sinks.left
        changes.rules = rules.offer()
        changes.leftRules = rules.leftRules
        changes.isOneOff = poller.isOneOff
        return changes
    }

    /// Call this when the store holds the last changes.
    mutating func committed(at now: Uptime) {
        attempts.committed()
        if offersAll { allKept = now }
        for index in devices.indices where devices[index].unsaved.committed() != nil { listClaim(at: index) }
        if unsavedStrays.committed() == strays { strays = [] }
        poller.committed(at: now)
        sinks.committed()
        rules.committed()
    }
}

/// A device's attempts, its status for the ledger, and the status that the ledger holds.
private struct BookedDevice: Sendable, DevicePart {
    let number: DeviceNumber
    let id: DeviceID
    var attempts: DeviceAttempts
    /// Whether blekeep connects the device at all.
    var connects: Bool
    /// Whether the device has left the configuration.
    private(set) var hasLeft = false
    private(set) var snapshot: DeviceSnapshot
    private var rssi: Int?
    var dropped = DroppedValues()
    /// The status, and what the store holds of it.
    var unsaved = Unsaved<DeviceStatus>()
    /// Until this time, the store may show blekeep's connection before it begins or after it ended.
    private var claimedUntil = Uptime.start

    /// The longest time that the store claims a connection that ended. Otherwise, blekeep could take another program's
    /// next connection for its own.
    static let maxClaim: Duration = .seconds(10)

    /// - Parameter isOneOff: whether the process ends by itself, after some ticks.
    init(_ device: DeviceConfiguration, number: DeviceNumber, attempts: DeviceAttempts, isOneOff: Bool) {
        self.number = number
        self.attempts = attempts
        id = device.id
        connects = device.mode != .passive
        // Until the poller says more.
        snapshot = DeviceSnapshot(intervalReason: device.isShared && !isOneOff ? .standby : .configured)
    }

    /// Takes the device's absence from the configuration. The next commit takes its last status.
    mutating func leave() {
        hasLeft = true
        unsaved.forget()
    }

    /// - Returns: whether other gateways must hear of it soon.
    mutating func apply(_ snapshot: DeviceSnapshot, rssi: Int?, at now: Uptime) -> Bool {
        if snapshot.link.isIdle, !self.snapshot.link.isIdle { claimedUntil = now + Self.maxClaim }
        let before = self.snapshot
        self.snapshot = snapshot
        self.rssi = rssi
        unsaved.change()
        let (isResting, hasRested) = (snapshot.intervalReason == .standby, before.intervalReason == .standby)
        return isResting != hasRested || isResting && snapshot.link != before.link
    }

    // MARK: Claims

    /// Whether the store claims a connection to the device for blekeep.
    var isClaimed: Bool { unsaved.kept?.link.isOurs == true }

    /// When the claim in the store must end.
    var claimEnd: Uptime {
        guard isClaimed, !snapshot.link.isOurs else { return .never }
        return snapshot.link.isIdle ? claimedUntil : .start
    }

    /// Claims a connection that blekeep is likely to make in the next seconds.
    mutating func claim(at now: Uptime) {
        guard isSoonConnected(at: now) else { return }
        claimedUntil = now + Self.maxClaim
        unsaved.change()
    }

    /// Whether the store must claim a connection that doesn't exist yet.
    func isClaiming(at now: Uptime) -> Bool { !hasLeft && now < claimedUntil && isSoonConnected(at: now) }

    private func isSoonConnected(at now: Uptime) -> Bool {
        connects && snapshot.link.isIdle && snapshot.notBefore <= now
            && (snapshot.hasTick || snapshot.nextTick <= now + Self.maxClaim / 2)
    }

    // MARK: Out

    /// Returns the present status.
    ///
    /// - Parameters:
    ///   - isOver: whether `poll` ends.
    ///   - time: milliseconds since 1970.
    func status(isOver: Bool, keepsLinks: Bool, time: Int64, at now: Uptime) -> DeviceStatus {
        var status = attempts.status
        status.interval = snapshot.interval
        status.intervalReason = snapshot.intervalReason
        status.dropped = dropped
        status.isBonded = snapshot.isBonded
        status.pause = snapshot.pausedUntil.map { end in
            end == .never ? .untilResumed : .until(time + (end - now).wholeMilliseconds)
        }
        if !isOver || keepsLinks && snapshot.link.isOurs && snapshot.link.isConnected { status.link = snapshot.link }
        guard !isOver, !hasLeft else { return status }
        status.rssi = rssi
        let isPaused = status.condition.trouble != nil && snapshot.notBefore > now
        let next = isPaused ? snapshot.notBefore : snapshot.nextTick
        status.next = next == .never ? nil : time + (next - now).wholeMilliseconds
        return status
    }

    /// Whether the status changed in a way that matters to users.
    ///
    /// - Parameter endsClaims: whether another claim is due to end. The commit then ends all of them.
    func isNews(_ status: DeviceStatus, endsClaims: Bool) -> Bool {
        guard let kept = unsaved.kept, status.isLike(kept) else { return true }
        return endsClaims && !status.link.hasClaim(of: kept.link)
    }
}

extension DeviceStatus {
    private func hasPause(of other: DeviceStatus) -> Bool {
        guard let pause, let otherPause = other.pause else { return pause == other.pause }
        return pause.isLike(otherPause)
    }

    /// Whether nothing changed that matters to users.
    fileprivate func isLike(_ other: DeviceStatus) -> Bool {
        state == other.state && failure == other.failure && link.isLike(other.link) && interval == other.interval
            && entries == other.entries && condition.failedInARow == other.condition.failedInARow && hasPause(of: other)
            && identity == other.identity && isBonded == other.isBonded && firing == other.firing
            && isStandingBy == other.isStandingBy && (!isStandingBy || link == other.link)
    }
}

extension DeviceStatus.Link {
    /// Whether the next run would take it for the same.
    fileprivate func hasClaim(of other: DeviceStatus.Link) -> Bool {
        isOurs == other.isOurs && isIdle == other.isIdle && isConnected == other.isConnected
    }

    /// Whether the stored value may stay: it shows the same owner, or for a few seconds a connection of blekeep's that
    /// has ended or is about to begin.
    fileprivate func isLike(_ stored: DeviceStatus.Link) -> Bool {
        self == stored || self != .foreign && (stored.isOurs || isIdle && stored.isIdle)
    }
}

/// The newest snapshot of the poller and the machine, and what the store holds of it. Pure.
private struct BookedPoller: Sendable {
    private let pid: Int32
    private let started: Int64
    let isOneOff: Bool
    private var ended: Int64?
    private var machine = MachineSnapshot()
    private var missed: MissedLines?
    private var slow: SlowWrites?
    private var unsaved = Unsaved<GatewayStatus>()
    /// When the snapshot must be written again, at least as a sign of life.
    private(set) var lifeDue = Uptime.never

    /// - Parameters:
    ///   - isOneOff: whether the process ends by itself, after some ticks.
    ///   - time: milliseconds since 1970.
    init(pid: Int32, isOneOff: Bool, at time: Int64) {
        self.pid = pid
        self.isOneOff = isOneOff
        started = time
    }

    var hasEnded: Bool { ended != nil }

    mutating func apply(_ machine: MachineSnapshot) {
        self.machine = machine
        unsaved.change()
    }

    mutating func apply(_ missed: MissedLines?) {
        guard missed != self.missed else { return }
        self.missed = missed
        unsaved.change()
    }

    mutating func apply(_ slow: SlowWrites?) {
        self.slow = slow
        unsaved.change()
    }

    /// Records the normal end of `poll`.
    mutating func end(at time: Int64) {
        ended = time
        unsaved.change()
    }

    /// - Parameter time: milliseconds since 1970.
    /// - Returns: what a commit must take; `nil`: nothing.
    mutating func offer(_ scope: LedgerBook.Scope, _ life: SignOfLife, time: Int64, at now: Uptime) -> GatewayStatus? {
        let status = status(life, time: time, at: now)
        let isNews = scope == .all || unsaved.kept.map { !status.isLike($0) } ?? true
        return unsaved.offer(isNews ? status : nil)
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
            poller.adapters[index].trouble = .noNewLinks(
                since: since, attempts: stall.attempts, devices: stall.devices)
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
            let kept = unsaved[sink.name]?.kept
            let isNews = scope == .all || kept.map { !sink.isLike($0) } ?? true
            return unsaved[sink.name, default: Unsaved()].offer(isNews ? sink : nil)
        }
    }

    /// Call this when the store holds the last offer.
    mutating func committed() {
        unsaved = unsaved.filter { entry in newest.contains { $0.name == entry.key } }
        for name in unsaved.keys { unsaved[name]?.committed() }
    }
}

/// A value with the copy of it that the store holds.
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
    ///
    /// - Returns: what must be written; `nil` if the store has the same.
    @discardableResult
    mutating func offer(_ value: Value?) -> Value? {
        offered = value.map { ($0, edition) }
        return value == kept ? nil : value
    }

    /// Call this when the store holds the offer.
    ///
    /// - Returns: the offer; `nil` without one.
    @discardableResult
    mutating func committed() -> Value? {
        guard let offered else { return nil }
        self.offered = nil
        kept = offered.value
        keptEdition = offered.edition
        return offered.value
    }
}
