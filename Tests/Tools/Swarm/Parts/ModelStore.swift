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

    private struct Heard: Sendable {
        var rssi: Int?
        var time: Int
    }

    /// By ID.
    package private(set) var owners: [String: Owner] = [:]
    private var aliveUntil: [String: Int] = [:]
    private var steady: [String: Int] = [:]
    private var left: Set<String> = []
    private var heard: [String: [String: Heard]] = [:]
    /// Seconds.
    package var now = 0

    package init() {}

    /// Whether so many gateways went silent at once that nothing changes hands.
    package var isBraked: Bool {
        let recent = aliveUntil.filter { $0.value > now - 120 && !left.contains($0.key) }.values
        let silent = recent.filter { $0 <= now + 11 }
        return silent.count >= 2 && silent.count * 4 >= recent.count && silent.contains { $0 > now - 60 }
    }

    private func isFree(_ device: String, for claimer: String, isBraked: Bool) -> Bool {
        guard let owner = owners[device] else { return true }
        guard let gateway = owner.gateway else {
            return owner.heir == nil || owner.heir == claimer || owner.since <= now - 60
        }
        if gateway == claimer || owner.isBonded && owner.heir != claimer { return false }
        guard let alive = aliveUntil[gateway], let since = steady[claimer] else { return false }
        if alive > now { return owner.goodUntil <= now }
        return !isBraked && (since < alive || since <= now - 120)
    }

    package mutating func tick(_ gateway: String, _ tick: OwnershipTick) -> OwnershipAnswer {
        if aliveUntil[gateway].map({ $0 <= now }) ?? true { steady[gateway] = now }
        aliveUntil[gateway] = now + 30
        left.remove(gateway)
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
            let until = now + device.patience - device.valueAge
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
            other != gateway && heard.time > now - 60 && aliveUntil[other].map { $0 > now } ?? false
        }
        .sorted { $0.key < $1.key }.map { .init(gateway: $0.key, rssi: $0.value.rssi) }
        return device
    }

    package mutating func leave(_ gateway: String) {
        guard let alive = aliveUntil[gateway] else { return }
        aliveUntil[gateway] = min(alive, now)
        left.insert(gateway)
    }

    /// - Returns: whether the gateway is online.
    package mutating func move(_ device: DeviceID, to gateway: String) -> Bool {
        guard aliveUntil[gateway].map({ $0 > now }) ?? false else { return false }
        var owner =
            owners[device.description] ?? Owner(gateway: nil, since: now, goodUntil: now + 300)
        owner.heir = gateway
        if owner.gateway == nil { owner.since = now }
        owners[device.description] = owner
        return true
    }
}
