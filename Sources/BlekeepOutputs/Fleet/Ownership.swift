import BlekeepRecords
import RunLoop

internal import struct Foundation.Data
internal import class Foundation.JSONDecoder

/// Decides whether this gateway claims a device that several gateways of a fleet may read, and whether it gives one back.
/// Pure.
///
/// The fleet's database has a row for each device with the gateway that owns it. A gateway asks every 10 s, and its claim
/// succeeds or fails there, in one statement. What a gateway owns stays its own until it gives it back, or until the database
/// hasn't heard of the gateway for 30 s. Without the database, nothing changes hands.
struct Ownership: Sendable {
    enum Request: Sendable, Hashable {
        case claim
        /// - Parameter to: the gateway that may have it first.
        case give(to: String)
    }

    /// This gateway's name.
    private let name: String
    /// The gateways that the user prefers to this one.
    private let earlier: [String]
    /// Whether the user names this gateway first.
    private let isFirst: Bool
    /// Whether the user prefers no gateway to this one, nor this one to others.
    private var isAny: Bool { earlier.isEmpty && !isFirst }
    /// Whether this gateway owned the device when it ran before.
    private let wasOwned: Bool
    private let start: Uptime
    /// What the database said last; `nil` before.
    private(set) var answer: OwnershipAnswer.Device?
    private var answeredAt = Uptime.start
    private var signal = SignalMean()
    /// In dBm.
    private var rssi: Double? { signal.mean }
    /// Since when the device has been free and heard here, by each answer.
    private var freeSince: Uptime?
    /// Since when another gateway has heard the device much better, by each answer.
    private var weakSince: Uptime?
    /// Since when this gateway owns the device.
    private(set) var ownedSince: Uptime?
    /// Whether a user moved the device here.
    private var isMoved = false
    /// When this gateway gave the device back.
    private var gaveAt: Uptime?
    /// Since when an earlier gateway has heard the device well.
    private var earlierSince: [String: Uptime] = [:]
    /// The gateway that gets the device as soon as this one has stopped; `nil` while the device stays.
    private(set) var heir: String?

    /// How many earlier gateways this one lets come first.
    private static let maxEarlier = 3
    /// A signal that is weaker by no more than this elsewhere lets the device move there for equal shares. It would come back
    /// at `minGain`.
    private static let margin = 6.0
    /// A signal that is this much stronger elsewhere lets the device move.
    private static let minGain = 16.0
    /// The same, when this gateway has given the device back within `memory`.
    private static let minGainAgain = 22.0
    private static let memory: Duration = .seconds(3600)
    /// A stronger signal than this is good enough here.
    private static let weak = -80.0
    /// A gateway that hears the device as well as this claims it at once.
    private static let near = -65.0
    /// A weaker signal is no reason to claim.
    private static let tooWeak = -92.0
    /// The shortest time between two gateways that own the device, and for which an earlier one must have heard it.
    private static let stay: Duration = .seconds(600)
    /// How long a reason to move must hold: three answers.
    private static let proof = turn * 2
    /// How long a gateway lets one that hears the device better come first: to the next answer.
    private static let turn: Duration = .seconds(9)
    /// What the database said longer ago doesn't count.
    private static let freshness: Duration = .seconds(30)
    /// How long the first gateway waits for a database when it starts, and the one that owned the device before.
    static let patience: Duration = .seconds(300)
    static let ownPatience: Duration = .seconds(30)

    /// - Parameters:
    ///   - gateways: the user's order, with `any` for each gateway.
    ///   - wasOwned: whether this gateway owned the device when it ran before.
    init(of gateways: [String], own: String, wasOwned: Bool = false, at start: Uptime) {
        name = own
        self.wasOwned = wasOwned
        earlier = Array(gateways.prefix { $0 != own && $0 != DeviceConfiguration.anyGateway })
        isFirst = gateways.first == own
        self.start = start
    }

    // MARK: What happens

    /// blekeep heard the device.
    mutating func heard(_ rssi: Int, at now: Uptime) { signal.heard(rssi, at: now) }

    /// The signal strength and its age in seconds, for other gateways; `nil` when the device isn't heard here.
    func signal(_ own: Standby.Own, at now: Uptime) -> (rssi: Int?, age: Int)? {
        if let age = signal.age(at: now) { return (rssi.map { Int($0.rounded()) }, Int(age.components.seconds)) }
        return own.report == .hears ? (nil, 0) : nil
    }

    // MARK: Requests

    /// Returns what the next tick asks the database for.
    func request(_ own: Standby.Own, at now: Uptime) -> Request? {
        guard let answer, now < answeredAt + Self.freshness else { return nil }
        if answer.owner == name {
            // A connection that is about to end still keeps others from the device.
            guard let heir, !own.isInCharge, own.report == .hears || own.report == .silent else { return nil }
            return .give(to: heir)
        }
        return freeSince.map { now >= $0 + Self.turn * turns(own) } ?? false ? .claim : nil
    }

    /// How many answers this gateway lets pass. The nearest gateway is the first to claim a device, and those that the user
    /// prefers come before this one.
    private func turns(_ own: Standby.Own) -> Int {
        if isFirst || own.isInCharge || own.isBonded || answer?.heir == name { return 0 }
        let strength = rssi.map { $0 >= Self.near ? 0 : $0 >= Self.weak ? 1 : 2 } ?? 2
        return min(earlier.count, Self.maxEarlier) + strength
    }

    // MARK: Answers

    /// Takes what the database says.
    mutating func answered(_ new: OwnershipAnswer.Device, own: Standby.Own, at now: Uptime) -> Standby.Decision? {
        (answer, answeredAt) = (new, now)
        guard new.owner == name else { return notOwned(new, own: own, at: now) }
        freeSince = nil
        if ownedSince == nil { (ownedSince, heir, weakSince, earlierSince) = (now, nil, nil, [:]) }
        if heir == nil, let (gateway, reason, atLinkEnd) = reasonToGive(new, own: own, at: now) {
            heir = gateway
            if own.isInCharge { return .standBy(because: reason, atLinkEnd: atLinkEnd) }
        }
        guard heir == nil, !own.isInCharge else { return nil }
        return .takeOver(because: "no other gateway has it")
    }

    private mutating func notOwned(
        _ new: OwnershipAnswer.Device, own: Standby.Own, at now: Uptime
    ) -> Standby.Decision? {
        if ownedSince != nil { gaveAt = now }
        (ownedSince, heir) = (nil, nil)
        // One that gives the device by itself names its heir when nobody has it any more.
        isMoved = new.heir == name && (isMoved || new.owner != nil)
        let isWanted = own.isInCharge || own.report == .hears && (rssi ?? Self.near) >= Self.tooWeak
        freeSince = new.isFree && isWanted ? freeSince ?? now : nil
        // What another gateway had is this one's as soon as the database says so.
        guard own.isInCharge, let owner = new.owner, !new.isFree else { return nil }
        return .standBy(because: "\(Untrusted(owner)) reads it", atLinkEnd: false)
    }

    private mutating func reasonToGive(
        _ answer: OwnershipAnswer.Device, own: Standby.Own, at now: Uptime
    ) -> (to: String, because: String, atLinkEnd: Bool)? {
        if let heir = answer.heir, heir != name { return (heir, "a user moved it to \(Untrusted(heir))", false) }
        // Only the gateway with the keys can read it.
        if own.isBonded { return nil }
        let others = answer.hearers.filter { $0.gateway != name }
        let best = others.max { ($0.rssi ?? .min, $1.gateway) < ($1.rssi ?? .min, $0.gateway) }
        if own.report == .lost { return best.map { ($0.gateway, "\(Untrusted($0.gateway)) hears it", false) } }
        for gateway in earlier {
            let hearsWell = others.contains { $0.gateway == gateway && Double($0.rssi ?? .min) >= Self.weak }
            earlierSince[gateway] = hearsWell ? earlierSince[gateway] ?? now : nil
        }
        if let back = earlier.first(where: { earlierSince[$0].map { now >= $0 + Self.stay } ?? false }) {
            return (back, "\(back) hears it again", true)
        }
        guard let best, isMuchBetter(best, own: own, at: now) else {
            weakSince = nil
            return nil
        }
        let since = weakSince ?? now
        weakSince = since
        return now < since + Self.proof ? nil : (best.gateway, "\(Untrusted(best.gateway)) hears it much better", false)
    }

    private func isMuchBetter(_ other: OwnershipAnswer.Hearer, own: Standby.Own, at now: Uptime) -> Bool {
        guard !own.isHeld, let rssi, rssi < Self.weak, let theirs = other.rssi,
            let ownedSince, now >= ownedSince + Self.stay
        else { return false }
        let isAgain = gaveAt.map { now < $0 + Self.memory } ?? false
        return Double(theirs) >= rssi + (isAgain ? Self.minGainAgain : Self.minGain)
    }

    // MARK: Equal shares

    /// Returns who may have the device instead, when this gateway has more devices than others that hear it well, and how
    /// strongly this one hears it. Only the one with most devices gives any, so that not all give to the same one.
    ///
    /// - Parameter loads: how many devices each gateway has.
    func relief(_ loads: [String: Int], own: Standby.Own, at now: Uptime) -> (to: String, rssi: Double)? {
        guard let answer, own.isInCharge, own.report == .reads, !own.isHeld, !own.isBonded, isAny, !isMoved,
            let rssi, rssi < Self.near, let ownedSince, now >= ownedSince + Self.stay, let load = loads[name],
            answer.hearers.allSatisfy({ (loads[$0.gateway] ?? 0, $0.gateway) < (load, name) })
        else { return nil }
        // With one device fewer, this one then has no less than the other.
        let lighter = answer.hearers.filter { other in
            let theirs = Double(other.rssi ?? .min)
            return (loads[other.gateway] ?? 0) + 2 <= load
                && (theirs >= rssi || theirs >= max(Self.weak, rssi - Self.margin))
        }
        let best = lighter.max { ($0.rssi ?? .min, $1.gateway) < ($1.rssi ?? .min, $0.gateway) }
        return best.map { ($0.gateway, rssi) }
    }

    mutating func relieve(_ gateway: String) -> Standby.Decision {
        heir = gateway
        return .standBy(because: "\(Untrusted(gateway)) reads fewer devices, and hears it well", atLinkEnd: false)
    }

    // MARK: Without the database

    /// Why the gateway begins without the database, which hasn't answered since the start.
    func reasonToBegin(_ own: Standby.Own, at now: Uptime) -> String? {
        guard answer == nil, !own.isInCharge, own.report == .hears else { return nil }
        if wasOwned, now >= start + Self.ownPatience { return "the database doesn't answer, and it had it before" }
        guard isFirst, now >= start + Self.patience else { return nil }
        return "the database doesn't answer, and it is the first of its gateways"
    }
}

/// What a gateway tells the fleet's database every 10 s, and what it asks for.
package struct OwnershipTick: Sendable, Hashable {
    package struct Device: Sendable, Hashable {
        package var id: DeviceID
        /// Whether this gateway hears it, or heard it in the last minute.
        package var isHeard = false
        /// The mean signal strength in dBm.
        package var rssi: Int?
        /// When it was heard last, in seconds before the tick.
        package var heardAge = 0
        package var isBonded = false
        /// When a value came last, also before a restart, in seconds before the tick.
        package var valueAge = 0
        /// How many seconds without a value let another gateway have the device.
        package var patience = 300

        package init(_ id: DeviceID) { self.id = id }
    }

    package var devices: [Device] = []
    package var claims: [DeviceID] = []
    /// What the gateway gives back, with the gateway that may claim it first, if any.
    package var gives: [DeviceID: String?] = [:]

    package init() {}
}

/// What the fleet's database says of the devices of a gateway.
package struct OwnershipAnswer: Sendable, Hashable, Decodable {
    package struct Hearer: Sendable, Hashable, Decodable {
        package var gateway: String
        /// In dBm.
        package var rssi: Int?

        package init(gateway: String, rssi: Int? = nil) { (self.gateway, self.rssi) = (gateway, rssi) }
    }

    package struct Device: Sendable, Hashable, Decodable {
        /// The device's ID.
        package var device: String
        package var owner: String?
        /// How often the device has changed hands.
        package var epoch: Int64 = 0
        /// Whether the gateway that asks may claim it.
        package var isFree = true
        /// The gateway that may have it next.
        package var heir: String?
        /// The other gateways that hear it.
        package var hearers: [Hearer] = []

        package init(device: String) { self.device = device }
    }

    package var devices: [Device]
    /// How many devices each gateway has that hears one of them, and the gateway that asks.
    package var loads: [String: Int]

    package init(devices: [Device] = [], loads: [String: Int] = [:]) { (self.devices, self.loads) = (devices, loads) }

    /// - Parameter json: what the database says. Of another text, nothing is known.
    package init(_ json: String) {
        self = (try? JSONDecoder().decode(Self.self, from: Data(json.utf8))) ?? OwnershipAnswer()
    }
}

/// What this gateway says in its fleet's database, and which of the devices it claims there. Pure.
package struct FleetClaims: Sendable {
    let gateway: String
    private var member: FleetMember
    private var claims: [DeviceID: Claim] = [:]
    /// What this gateway owned and may read no more, until the database knows that.
    private var left: Set<DeviceID>

    private struct Claim: Sendable {
        var ownership: Ownership
        /// The time between ticks; `nil` while the device isn't read here.
        var interval: Duration?
        /// When the last value came, by the wall clock and by the loop's; `nil` when none is known.
        var lastValue: Int64?
        var valueAt: Uptime?
    }

    /// The age of a value in seconds that there never was, or that is older: three years.
    private static let maxAge = 100_000_000

    /// - Parameters:
    ///   - fleet: the database's name.
    ///   - owned: what this gateway owned when it ran before.
    package init(
        fleet: String, gateway: String, _ configured: [DeviceConfiguration], owned: [DeviceID] = [], at start: Uptime
    ) {
        let owned = Set(owned)
        self.gateway = gateway
        member = FleetMember(fleet: fleet, gateway: gateway, configured, at: start)
        left = owned
        for device in configured where device.isPolled && device.isShared {
            left.remove(device.id)
            let ownership = Ownership(of: device.gateways, own: gateway, wasOwned: owned.contains(device.id), at: start)
            claims[device.id] = Claim(ownership: ownership)
        }
    }

    /// Whether there is any device that other gateways may read, too.
    package var hasShared: Bool { !claims.isEmpty || !left.isEmpty }

    /// What this gateway says of its devices.
    package var payload: [UInt8] { member.payload }

    /// Takes this gateway's own state.
    ///
    /// - Returns: whether it says something else of a device now.
    package mutating func apply(_ changes: LedgerChanges, time: Int64, at now: Uptime) -> Bool {
        for status in changes.statuses {
            guard let claim = claims[status.id] else { continue }
            claims[status.id]?.interval = status.interval
            guard let value = status.lastValue, value != claim.lastValue else { continue }
            claims[status.id]?.lastValue = value
            // The first is one from before the start.
            let age = claim.lastValue == nil ? max(0, time.subtractingReportingOverflow(value).partialValue) : 0
            claims[status.id]?.valueAt = now + .milliseconds(-age)
        }
        return member.apply(changes, time: time)
    }

    package mutating func heard(_ device: DeviceID, rssi: Int, at now: Uptime) {
        claims[device]?.ownership.heard(rssi, at: now)
    }

    /// Returns what to tell the database now.
    package func tick(at now: Uptime) -> OwnershipTick {
        var tick = OwnershipTick()
        for id in left { tick.gives.updateValue(nil, forKey: id) }
        for (id, claim) in claims.sorted(by: { $0.key < $1.key }) {
            guard let own = member.state(of: id) else { continue }
            var device = OwnershipTick.Device(id)
            if let signal = claim.ownership.signal(own, at: now) {
                (device.isHeard, device.rssi, device.heardAge) = (true, signal.rssi, signal.age)
            }
            device.isBonded = own.isBonded
            let age = claim.valueAt.map { Int((now - $0).components.seconds) } ?? Self.maxAge
            device.valueAge = min(age, Self.maxAge)
            device.patience = max(300, Int(((claim.interval ?? .zero) * 3).components.seconds))
            tick.devices.append(device)
            switch claim.ownership.request(own, at: now) {
            case .claim: tick.claims.append(id)
            case .give(let heir): tick.gives[id] = .some(heir)
            case nil: break
            }
        }
        return tick
    }

    /// Takes the database's answer to a tick. Returns what this gateway decides.
    package mutating func answered(_ answer: OwnershipAnswer, at now: Uptime) -> [DeviceCommand] {
        left = []
        var commands: [DeviceCommand] = []
        for device in answer.devices {
            guard let id = DeviceID(device.device), let own = member.state(of: id) else { continue }
            if let decision = claims[id]?.ownership.answered(device, own: own, at: now) {
                commands.append(DeviceCommand(decided: decision, id))
            }
        }
        return commands + relief(answer.loads, at: now)
    }

    /// Gives one device at a time, that which this gateway hears worst.
    private mutating func relief(_ loads: [String: Int], at now: Uptime) -> [DeviceCommand] {
        guard claims.values.allSatisfy({ $0.ownership.heir == nil }) else { return [] }
        let offers = claims.compactMap { id, claim in
            member.state(of: id).flatMap { own in
                claim.ownership.relief(loads, own: own, at: now).map { (id: id, to: $0.to, rssi: $0.rssi) }
            }
        }
        guard let offer = offers.min(by: { ($0.rssi, $0.id) < ($1.rssi, $1.id) }),
            let decision = claims[offer.id]?.ownership.relieve(offer.to)
        else { return [] }
        return [DeviceCommand(decided: decision, offer.id)]
    }

    /// Another machine has this gateway's name, so that what that one reads isn't this one's.
    /// Returns what this gateway decides.
    func refused() -> [DeviceCommand] {
        claims.keys.sorted().filter { member.state(of: $0)?.isInCharge == true }.map {
            DeviceCommand(.standBy(because: "another machine has this gateway's name", atLinkEnd: false), $0)
        }
    }

    /// What this gateway owns, in order.
    package var owned: [DeviceID] { claims.filter { $0.value.ownership.ownedSince != nil }.keys.sorted() }

    /// Whether the next tick claims or gives a device, so that it need not wait.
    package func isUrgent(at now: Uptime) -> Bool {
        claims.contains { id, claim in
            member.state(of: id).map { claim.ownership.request($0, at: now) != nil } ?? false
        }
    }

    /// Returns what this gateway decides without the database.
    package func decideAlone(at now: Uptime) -> [DeviceCommand] {
        claims.sorted { $0.key < $1.key }.compactMap { id, claim in
            guard let own = member.state(of: id) else { return nil }
            return claim.ownership.reasonToBegin(own, at: now).map { DeviceCommand(.takeOver(because: $0), id) }
        }
    }
}

/// Asks a fleet's database each 10 s which devices are this gateway's own.
package final class OwnershipTicker {
    private var claims: FleetClaims
    /// Called with each question.
    package var onTick: ((OwnershipTick) -> Void)?
    /// Called with what this gateway decides.
    package var onDecision: ((DeviceCommand) -> Void)?
    private let decides: Bool
    private let loop: RunLoop
    private var random: SplitMix64
    private var isConnected = false
    private lazy var timer = ClosureTimer { [weak self] in self?.tickDue() }
    private lazy var alone = ClosureTimer { [weak self] in self?.lookAlone() }

    /// The time between two ticks, and between an answer and a claim that follows from it.
    private static let interval: Duration = .seconds(10)
    private static let urgent: Duration = .milliseconds(500)

    /// - Parameter decides: whether the database decides which gateway reads a device, and not a broker.
    package init(_ claims: FleetClaims, decides: Bool = true, on loop: RunLoop) {
        self.claims = claims
        self.decides = decides
        self.loop = loop
        random = SplitMix64(seed: claims.gateway)
        if isNeeded { loop.arm(alone, at: loop.now + Ownership.ownPatience) }
    }

    /// What this gateway says of its devices.
    package var payload: [UInt8] { claims.payload }

    /// What this gateway owns, in order.
    package var owned: [DeviceID] { claims.owned }

    /// Whether there is anything to ask.
    package var isNeeded: Bool { decides && claims.hasShared }

    /// The database is there.
    package func begin() {
        isConnected = true
        if isNeeded { loop.arm(timer, at: loop.now) }
    }

    /// The database is away.
    package func pause() {
        isConnected = false
        loop.disarm(timer)
    }

    package func end() {
        pause()
        loop.disarm(alone)
    }

    /// Takes this gateway's own state.
    ///
    /// - Returns: whether it says something else of a device now.
    package func apply(_ changes: LedgerChanges, time: Int64) -> Bool {
        defer { hurry() }
        return claims.apply(changes, time: time, at: loop.now)
    }

    package func heard(_ device: DeviceID, rssi: Int) { claims.heard(device, rssi: rssi, at: loop.now) }

    package func answered(_ answer: OwnershipAnswer) {
        loop.disarm(alone)
        for command in claims.answered(answer, at: loop.now) { onDecision?(command) }
        hurry()
    }

    /// The database refuses what this gateway says: another machine has its name. That isn't silence, in which it would
    /// begin.
    package func refused() {
        loop.disarm(alone)
        for command in claims.refused() { onDecision?(command) }
    }

    /// Lets the next tick come soon if it claims or gives anything.
    private func hurry() {
        guard isConnected, isNeeded, claims.isUrgent(at: loop.now) else { return }
        loop.arm(timer, at: min(timer.deadline, loop.now + Self.urgent))
    }

    private func tickDue() {
        // Gateways that start at one time don't ask at one time.
        loop.arm(timer, at: loop.now + Self.interval + .milliseconds(Int.random(in: -1000...1000, using: &random)))
        onTick?(claims.tick(at: loop.now))
    }

    private func lookAlone() {
        for command in claims.decideAlone(at: loop.now) { onDecision?(command) }
        loop.arm(alone, at: loop.now + Self.interval)
    }
}
