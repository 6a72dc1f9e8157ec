import RunLoop

/// The newest snapshot of the keeper and the machine, and what the store holds of it. Pure.
struct BookedKeeper: Sendable {
    private let pid: Int32
    private let started: Int64
    let isOneOff: Bool
    private var ended: Int64?
    private var machine = MachineSnapshot()
    private var missed: MissedLines?
    private var slow: SlowWrites?
    private var edition = Edition()
    private var kept: GatewayStatus?
    private var offered: (status: GatewayStatus, edition: Int)?
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

    mutating func take(_ machine: MachineSnapshot) {
        self.machine = machine
        edition.change()
    }

    mutating func take(_ missed: MissedLines?) {
        guard missed != self.missed else { return }
        self.missed = missed
        edition.change()
    }

    mutating func take(_ slow: SlowWrites?) {
        self.slow = slow
        edition.change()
    }

    /// Records the normal end of `poll`.
    mutating func end(at time: Int64) {
        ended = time
        edition.change()
    }

    /// - Parameters:
    ///   - devices: their snapshots.
    ///   - time: milliseconds since 1970.
    /// - Returns: what a commit must take; `nil`: nothing.
    mutating func offer(
        _ scope: LedgerBook.Scope, _ clocks: ClockReading, of devices: [DeviceSnapshot], time: Int64, at now: Uptime
    ) -> GatewayStatus? {
        let status = status(clocks, devices, time: time, at: now)
        let isNews = scope == .all || kept.map { !status.isLike($0) } ?? true
        offered = isNews ? (status, edition.number) : nil
        return offered?.status
    }

    /// Call this when the store holds the last offer.
    mutating func taken(at now: Uptime) {
        guard let offered else { return }
        self.offered = nil
        kept = offered.status
        edition.keep(offered.edition)
        lifeDue = ended == nil ? offered.status.life.map { now + $0.silence } ?? .never : .never
    }

    private func status(
        _ clocks: ClockReading, _ devices: [DeviceSnapshot], time: Int64, at now: Uptime
    ) -> GatewayStatus {
        var keeper = GatewayStatus(pid: pid, started: started, seen: time, power: machine.power)
        keeper.isOneOff = isOneOff
        keeper.ended = ended
        keeper.life = SignOfLife(
            clocks: clocks, silence: SignOfLife.silence(of: devices, at: now))
        keeper.outage = machine.outage
        keeper.missed = missed
        keeper.slow = slow
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
