import Blekeep
import BlekeepOutputs

/// What a fleet's database does with ownership, in memory: the rules of `blekeep.tick_1` once more. Some time passes between
/// any two calls.
package struct ModelStore: Sendable {
    package struct Owner: Sendable, Hashable {
        package var gateway: String?
        package var epoch: Int64 = 1
        package var since: Int
        package var goodUntil: Int
        package var isBonded = false
        package var heir: String?
    }

    private struct Member: Sendable {
        /// When it last said anything.
        var seen: Int
        /// The last call.
        var call: Int
        /// Since when it has never missed a tick: the time and the call.
        var steady: (since: Int, call: Int)
        /// Whether it said that it ends.
        var hasLeft = false
    }

    private struct Heard: Sendable {
        var rssi: Int?
        var time: Int
    }

    /// By ID.
    package private(set) var owners: [String: Owner] = [:]
    private var members: [String: Member] = [:]
    private var calls = 0
    private var heard: [String: [String: Heard]] = [:]
    /// Seconds.
    package var now = 0

    package init() {}

    /// Whether so many gateways went silent at once that nothing changes hands.
    package var isBraked: Bool {
        let recent = members.values.filter { $0.seen > now - 150 && !$0.hasLeft }
        let silent = recent.filter { $0.seen <= now - 19 }
        return silent.count >= 2 && silent.count * 4 >= recent.count && silent.contains { $0.seen > now - 90 }
    }

    private func isAlive(_ gateway: String) -> Bool {
        members[gateway].map { !$0.hasLeft && $0.seen > now - 30 } ?? false
    }

    private func isFree(_ device: String, for claimer: String, isBraked: Bool) -> Bool {
        guard let owner = owners[device] else { return true }
        guard let gateway = owner.gateway else {
            return owner.heir == nil || owner.heir == claimer || owner.since <= now - 60
        }
        if gateway == claimer || owner.isBonded && owner.heir != claimer { return false }
        guard let member = members[gateway], let steady = members[claimer]?.steady else { return false }
        if isAlive(gateway) { return owner.goodUntil <= now }
        return !isBraked && (steady.call <= member.call || steady.since <= now - 120)
    }

    package mutating func tick(_ gateway: String, _ tick: OwnershipTick) -> OwnershipAnswer {
        calls += 1
        let before = members[gateway].flatMap { $0.hasLeft || $0.seen <= now - 15 ? nil : $0.steady }
        members[gateway] = Member(seen: now, call: calls, steady: before ?? (now, calls))
        for device in tick.devices where device.isHeard {
            let (id, time) = (device.id.description, now - device.heardAge)
            let old = heard[id]?[gateway]
            guard old.map({ $0.rssi != device.rssi || $0.time <= time - 20 }) ?? true else { continue }
            heard[id, default: [:]][gateway] = Heard(rssi: device.rssi, time: time)
        }
        for (id, heir) in tick.gives where owners[id.description]?.gateway == gateway {
            let epoch = owners[id.description]?.epoch ?? 0
            owners[id.description] = Owner(
                gateway: nil, epoch: epoch + 1, since: now, goodUntil: owners[id.description]?.goodUntil ?? now,
                heir: heir)
        }
        for device in tick.devices {
            guard let owner = owners[device.id.description], owner.gateway == gateway else { continue }
            let since = max(now - device.valueAge, members[gateway]?.steady.since ?? now, owner.since)
            let until = since + device.patience
            guard owner.isBonded != device.isBonded || owner.goodUntil <= until - 60 else { continue }
            owners[device.id.description]?.isBonded = device.isBonded
            owners[device.id.description]?.goodUntil = until
        }
        let isBraked = isBraked
        let ids = tick.devices.map(\.id.description)
        for id in tick.claims.map(\.description) where ids.contains(id) {
            guard isFree(id, for: gateway, isBraked: isBraked) else { continue }
            owners[id] = Owner(
                gateway: gateway, epoch: (owners[id]?.epoch ?? 0) + 1, since: now, goodUntil: now + 300)
        }
        return OwnershipAnswer(devices: ids.map { answer($0, for: gateway, isBraked: isBraked) })
    }

    private func answer(_ id: String, for gateway: String, isBraked: Bool) -> OwnershipAnswer.Device {
        var device = OwnershipAnswer.Device(device: id)
        device.owner = owners[id]?.gateway
        device.epoch = owners[id]?.epoch ?? 0
        device.isFree = isFree(id, for: gateway, isBraked: isBraked)
        device.heir = owners[id]?.heir
        device.hearers = (heard[id] ?? [:]).filter { other, heard in
            other != gateway && heard.time > now - 60 && isAlive(other)
        }
        .sorted { $0.key < $1.key }.map { .init(gateway: $0.key, rssi: $0.value.rssi) }
        return device
    }

    package mutating func leave(_ gateway: String) {
        guard var member = members[gateway] else { return }
        calls += 1
        (member.seen, member.call, member.hasLeft) = (now, calls, true)
        members[gateway] = member
    }

    /// - Returns: whether the gateway is online.
    package mutating func move(_ device: DeviceID, to gateway: String) -> Bool {
        guard isAlive(gateway) else { return false }
        var owner =
            owners[device.description] ?? Owner(gateway: nil, since: now, goodUntil: now + 300)
        owner.heir = gateway
        if owner.gateway == nil { owner.since = now }
        owners[device.description] = owner
        return true
    }
}

/// What a fleet's database does with configurations, in memory: the rules of `blekeep.configure_1`, `apply_1` and `rollback_1`
/// once more. Some time passes between any two calls.
package struct ModelRollouts: Sendable {
    package struct Rollout: Sendable {
        package let version: Int
        /// What gateways that aren't in `first` have meanwhile.
        package let before: Int?
        package let first: [String]
        package let soak: Int
        package fileprivate(set) var state: FleetRollout.State
    }

    /// What a gateway says when it asks.
    package struct Report: Sendable {
        package var version: Int?
        package var refused: Int?
        package var devices: Int
        package var lost: Int
        package var uptime: Int

        package init(version: Int?, refused: Int? = nil, devices: Int, lost: Int, uptime: Int) {
            (self.version, self.refused, self.devices) = (version, refused, devices)
            (self.lost, self.uptime) = (lost, uptime)
        }
    }

    private struct Running: Sendable {
        var report: Report
        var lostBefore: Int
        var lostKept = 0
        var since: Int
        var seen: Int
        var steady: Int
    }

    private var texts: [String] = []
    package private(set) var rollouts: [Rollout] = []
    private var running: [String: Running] = [:]
    /// Seconds.
    package var now = 0

    package init() {}

    package mutating func apply(_ text: String, first: [String], soak: Int) -> Int {
        if !texts.contains(text) { texts.append(text) }
        let version = (texts.firstIndex(of: text) ?? 0) + 1
        let last = rollouts.last
        if last?.version == version, last?.state == .all || last?.state == .first && !first.isEmpty { return version }
        rollouts.append(
            Rollout(
                version: version, before: last?.state == .all ? last?.version : last?.before, first: first, soak: soak,
                state: first.isEmpty ? .all : .first))
        return version
    }

    package mutating func rollBack(to version: Int? = nil) -> Int? {
        let last = rollouts.last
        guard let version = version ?? last?.before, texts.indices.contains(version - 1) else { return nil }
        if last?.version != version || last?.state != .all {
            rollouts.append(Rollout(version: version, before: version, first: [], soak: 0, state: .all))
        }
        return version
    }

    /// - Returns: the version that the gateway is to have; `nil` when it has it, or has just refused it.
    package mutating func ask(_ gateway: String, _ report: Report) -> Int? {
        var new = Running(report: report, lostBefore: report.lost, since: now, seen: now, steady: now)
        if let old = running[gateway] {
            if old.seen > now - 30 { new.steady = old.steady }
            if old.report.version == report.version {
                (new.lostBefore, new.since) = (old.lostBefore, max(old.since, now - report.uptime))
                let hasRestarted = old.since < now - report.uptime - 5
                new.lostKept = hasRestarted ? max(old.report.lost, old.lostKept) : old.lostKept
            } else {
                new.lostBefore = old.report.lost
            }
        }
        running[gateway] = new
        advance(gateway)
        guard let last = rollouts.last else { return nil }
        let wanted = last.state == .all || last.first.contains(gateway) ? last.version : last.before
        return wanted == report.version || wanted == report.refused ? nil : wanted
    }

    private mutating func advance(_ caller: String) {
        guard let last = rollouts.last, last.state == .first else { return }
        let first = last.first.map { running[$0] }
        let known = first.compactMap(\.self)
        var isBad = known.contains { $0.report.refused == last.version }
        if let caller = running[caller], caller.steady <= now - 120 {
            isBad = isBad || known.contains { $0.report.version == last.version && $0.seen <= now - 75 }
        }
        if !isBad {
            let isRunByAll = first.allSatisfy { gateway in
                guard let gateway, gateway.report.version == last.version else { return false }
                return gateway.since <= now - last.soak && gateway.seen > now - 30
            }
            guard isRunByAll else { return }
            isBad = known.contains { max($0.report.lost, $0.lostKept) > $0.lostBefore + $0.report.devices / 50 }
        }
        rollouts[rollouts.count - 1].state = isBad ? .stopped : .all
    }
}
