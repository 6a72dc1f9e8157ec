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
            guard let owner = owners[device.id.description], owner.gateway == gateway,
                owner.heir == nil || owner.heir == gateway
            else { continue }
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
        let near = Set([gateway] + ids.flatMap { (heard[$0] ?? [:]).filter { $0.value.time > now - 60 }.keys })
        let loads = Dictionary(grouping: owners.values.compactMap(\.gateway).filter(near.contains)) { $0 }.mapValues(
            \.count)
        return OwnershipAnswer(devices: ids.map { answer($0, for: gateway, isBraked: isBraked) }, loads: loads)
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
        (owner.heir, owner.goodUntil) = (gateway, min(owner.goodUntil, now + 60))
        if owner.gateway == nil { owner.since = now }
        owners[device.description] = owner
        return true
    }
}
