import RunLoop

/// Decides whether this gateway reads a device that several gateways of a fleet may read. Pure.
///
/// Each gateway says what it does with the device, and follows the same rules: the first of the user's order reads it, and
/// the next one when that can't. There is no vote, and no comparison of signals. A gateway that reads the device goes on
/// without the broker; one that stands by starts nothing then.
struct Standby: Sendable {
    /// What a gateway says of the device.
    enum Report: String, Sendable, CaseIterable {
        /// It reads the device.
        case reads
        /// It should read the device, and can't.
        case lost
        /// It stands by, and hears the device.
        case hears
        /// It stands by, and doesn't hear the device.
        case silent
    }

    /// What this gateway does with the device.
    struct Own: Sendable, Hashable {
        var report: Report
        var isInCharge: Bool
        /// Whether it keeps a connection between its reads.
        var isHeld = false
        /// Whether BlueZ has keys for the device here.
        var isBonded = false
    }

    enum Decision: Sendable, Hashable {
        case takeOver(because: String)
        /// - Parameter atLinkEnd: whether a connection goes on until it ends by itself.
        case standBy(because: String, atLinkEnd: Bool)
    }

    private struct Peer: Sendable {
        let name: String
        /// Whether the broker said anything of it.
        var isKnown = false
        var isOnline: Bool { saysOnline && !isSilent }
        var saysOnline = false
        /// Whether it said nothing itself, though the broker keeps its `online`.
        var isSilent = false
        /// When it counts as silent; `.never` once it said anything itself.
        var silentAt = Uptime.never
        var report: Report?
        var isBonded = false
        var onlineSince = Uptime.start
        var hearsSince = Uptime.start
        /// Since when it hasn't been able to read the device.
        var unableSince = Uptime.start

        var reads: Bool { isOnline && report == .reads }
        var hears: Bool { isOnline && report == .hears }
        /// Whether it neither reads the device nor would, if it should.
        var isUnable: Bool { !reads && !hears }

        /// Whether it has been unable for so long that another gateway takes over.
        ///
        /// - Parameter since: the time before which nothing counts.
        func isDoubted(since: Uptime, at now: Uptime) -> Bool { isUnable && now >= doubtAt(since: since) }
        /// A broker that lost what it retained hears of a gateway again within a minute.
        func doubtAt(since: Uptime) -> Uptime {
            max(unableSince, since) + (isKnown ? Standby.patience : Standby.patience * 3)
        }

        /// Why it doesn't read the device.
        var reason: String {
            switch report {
            case _ where !isOnline: "\(name) is gone"
            case .lost: "\(name) can't read it"
            case .silent: "\(name) doesn't hear it"
            case .reads, .hears, nil: "\(name) doesn't read it"
            }
        }

        mutating func change(at now: Uptime, _ body: (inout Peer) -> Void) {
            let before = self
            body(&self)
            isKnown = true
            if isOnline != before.isOnline { onlineSince = now }
            if hears != before.hears { hearsSince = now }
            if isUnable != before.isUnable { unableSince = now }
        }
    }

    /// This gateway's name.
    private let name: String
    /// The gateways of the user's order, without this one.
    private var peers: [Peer]
    /// How many of them come before this one.
    private let earlier: Int
    private let start: Uptime
    /// Whether the broker has said what it retains.
    private var isLooking = false
    private var hasLooked = false
    /// Until when this gateway waits for what others say, after the broker was away and came back without it.
    private var awaitsOthersUntil = Uptime.start
    /// Since when this gateway stands by.
    private var restingSince: Uptime
    private var wasInCharge = false
    /// The last decision, until it is carried out.
    private var asked: Decision?
    /// When this gateway was last ready to let go of a connection that it holds, or took over from a gateway that can't
    /// read the device.
    private var offeredAt: Uptime?
    /// Where a user has moved the device, and until when only that gateway may take it.
    private var move: (gateway: String, until: Uptime)?

    /// How long a gateway must have been unable before the next one takes over; and how long the first waits for a broker
    /// when it starts.
    static let patience: Duration = .seconds(30)
    /// How long an earlier gateway must have heard the device before it gets the device back.
    static let proof: Duration = .seconds(600)
    /// The shortest time between two occasions on which a gateway doesn't renew a connection that it held, so that an
    /// earlier gateway may hear the device.
    static let offers: Duration = .seconds(3600)
    /// How long only the gateway may take the device that a user named.
    static let moves: Duration = .seconds(60)
    /// How long a gateway counts as online because the broker keeps that: each says something once a minute. A broker
    /// that loses its power together with a gateway keeps the gateway's `online` for a day, or for ever.
    static let signOfLife: Duration = .seconds(90)

    /// - Parameter order: the names of the gateways that may read the device; `own` is among them.
    init(order: [String], own: String, at start: Uptime) {
        name = own
        earlier = order.firstIndex(of: own) ?? order.count
        peers = order.filter { $0 != own }.map { Peer(name: $0) }
        for index in peers.indices { peers[index].unableSince = start }
        self.start = start
        restingSince = start
    }

    // MARK: What happens

    /// The broker has said what it retains. After it was away, it may have lost all of it, and nobody rushes: each
    /// gateway says again what it does, within a minute.
    mutating func looked(at now: Uptime) {
        if hasLooked, !isLooking {
            awaitsOthersUntil = now + Self.patience * 3
            for index in peers.indices where !peers[index].isKnown { peers[index].unableSince = now }
        }
        (isLooking, hasLooked) = (true, true)
    }

    /// The broker answers, and has another machine of this gateway's name: that isn't silence, in which the first one
    /// begins.
    mutating func refused() { hasLooked = true }

    /// The broker is away. What others said doesn't count any more.
    mutating func disconnected(at now: Uptime) {
        isLooking = false
        for index in peers.indices {
            peers[index].change(at: now) {
                ($0.saysOnline, $0.report, $0.isSilent, $0.silentAt) = (false, nil, false, .never)
            }
            peers[index].isKnown = false
        }
    }

    mutating func heard(of gateway: String, isOnline: Bool, at now: Uptime) {
        change(gateway, at: now) { $0.saysOnline = isOnline }
    }

    /// - Parameter report: `nil` when the gateway doesn't mention the device.
    /// - Returns: whether the gateway had the device, and has let go of it.
    @discardableResult
    mutating func heard(of gateway: String, _ report: Report?, isBonded: Bool, at now: Uptime) -> Bool {
        let had = peers.contains { $0.name == gateway && ($0.report == .reads || $0.report == .lost) }
        change(gateway, at: now) { ($0.report, $0.isBonded) = (report, isBonded) }
        return had && report != .reads && report != .lost
    }

    /// - Parameter isLive: whether the gateway said that now. Otherwise the broker kept it.
    mutating func heard(of gateway: String, isLive: Bool, at now: Uptime) {
        change(gateway, at: now) {
            $0.silentAt = isLive ? .never : now + Self.signOfLife
            if isLive { $0.isSilent = false }
        }
    }

    /// A user moved the device to a gateway. One that isn't of the order is ignored.
    mutating func moved(to gateway: String, at now: Uptime) {
        if gateway == name || peers.contains(where: { $0.name == gateway }) { move = (gateway, now + Self.moves) }
    }

    private mutating func change(_ gateway: String, at now: Uptime, _ body: (inout Peer) -> Void) {
        guard let index = peers.firstIndex(where: { $0.name == gateway }) else { return }
        peers[index].change(at: now, body)
    }

    // MARK: The decision

    /// - Returns: `nil` when all stays as it is.
    mutating func decide(_ own: Own, at now: Uptime) -> Decision? {
        if let move, now >= move.until { self.move = nil }
        for index in peers.indices where now >= peers[index].silentAt {
            peers[index].change(at: now) { ($0.isSilent, $0.silentAt) = (true, .never) }
        }
        if wasInCharge, !own.isInCharge { restingSince = now }
        wasInCharge = own.isInCharge
        let decision = own.isInCharge ? reasonToStop(own, at: now) : reasonToBegin(own, at: now)
        guard decision != asked else { return nil }
        asked = decision
        if case .takeOver? = decision, peers.prefix(earlier).contains(where: \.isOnline) { offeredAt = now }
        return decision
    }

    private func reasonToBegin(_ own: Own, at now: Uptime) -> Decision? {
        guard isLooking else {
            let isAlone = !hasLooked && earlier == 0 && now >= start + Self.patience
            return isAlone ? .takeOver(because: "the broker doesn't answer, and it is the first of its gateways") : nil
        }
        // Only the gateway with the keys can read a bonded device.
        if !own.isBonded, peers.contains(where: \.isBonded) { return nil }
        if peers.contains(where: \.reads) { return nil }
        if let move {
            if move.gateway == name { return .takeOver(because: "a user moved it here") }
            if peers.contains(where: { $0.name == move.gateway && $0.isOnline }) { return nil }
        }
        if earlier == 0 {
            // One that reads it may not have said so again.
            if now < awaitsOthersUntil, peers.contains(where: { !$0.isKnown }) { return nil }
            let isLeftToOthers = own.report != .hears && !own.isBonded && peers.contains(where: \.hears)
            return isLeftToOthers ? nil : .takeOver(because: "it is the first of its gateways")
        }
        guard own.report == .hears,
            peers.prefix(earlier).allSatisfy({ $0.isDoubted(since: restingSince, at: now) })
        else { return nil }
        return .takeOver(because: peers.prefix(earlier).map(\.reason).joined(separator: ", "))
    }

    private mutating func reasonToStop(_ own: Own, at now: Uptime) -> Decision? {
        guard isLooking else { return nil }
        if let reader = peers.prefix(own.report == .lost ? peers.count : earlier).first(where: \.reads) {
            return .standBy(because: "\(reader.name) reads it", atLinkEnd: false)
        }
        if let move, peers.contains(where: { $0.name == move.gateway && $0.isOnline }) {
            return .standBy(because: "a user moved it to \(move.gateway)", atLinkEnd: false)
        }
        if own.isBonded { return nil }
        if let better = peers.prefix(earlier).first(where: { $0.hears && now >= $0.hearsSince + Self.proof }) {
            return .standBy(because: "\(better.name) hears it again", atLinkEnd: true)
        }
        // A device that is connected doesn't advertise, so that no other gateway hears it.
        guard own.isHeld, offeredAt.map({ now >= $0 + Self.offers }) ?? true,
            let better = peers.prefix(earlier).first(where: {
                $0.isOnline && $0.report == .silent && now >= $0.onlineSince + Self.proof
            })
        else { return nil }
        offeredAt = now
        return .standBy(because: "\(better.name) may hear it again", atLinkEnd: true)
    }

    /// The next time when a decision may be due.
    func nextDecision(_ own: Own, after now: Uptime) -> Uptime {
        var times = peers.prefix(earlier).flatMap { peer in
            own.isInCharge
                ? [peer.hearsSince + Self.proof, peer.onlineSince + Self.proof]
                : [peer.doubtAt(since: restingSince)]
        }
        times += peers.map(\.silentAt) + [awaitsOthersUntil]
        if let move { times.append(move.until) }
        if !hasLooked { times.append(start + Self.patience) }
        if own.isInCharge, let offeredAt { times.append(offeredAt + Self.offers) }
        return times.filter { $0 > now }.min() ?? .never
    }
}
