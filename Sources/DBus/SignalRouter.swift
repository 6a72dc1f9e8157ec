/// The services that a connection follows, with their owners and followers.
///
/// Only signals from the current owner of a followed service count. Any local process can send signals to this connection,
/// and match rules don't prevent that.
final class SignalRouter {
    private var services: [BusName: FollowedService] = [:]
    /// The services with an owner. One connection may own several.
    private var owned: [FollowedService] = []

    /// - Returns: whether this is the first follower, so that the daemon must report owners from now on.
    func add(_ service: BusName, follower: Follower) -> Bool {
        // Earlier matches alone don't report owners.
        let isFirst = !follows(service)
        followed(service).add(follower)
        return isFirst
    }

    /// Removes the followers of a service whose owners the daemon doesn't report.
    func removeFollowers(of service: BusName) { services[service]?.removeFollowers() }

    /// The number of match rules that the daemon has for all services.
    var ruleCount: Int {
        services.values.reduce(0) { $0 + $1.matchCount + ($1.followers.isEmpty ? 0 : 1) }
    }

    /// The filter and handler of a follower.
    enum Follower {
        case everything((ServiceEvent) -> Void)
        case owner((BusName?) -> Void)

        func hear(_ owner: BusName?) {
            switch self {
            case .everything(let handler): handler(.owner(owner))
            case .owner(let handler): handler(owner)
            }
        }
    }

    private func followed(_ name: BusName) -> FollowedService {
        if let service = services[name] { return service }
        let service = FollowedService()
        services[name] = service
        return service
    }

    func owner(of service: BusName) -> BusName? { services[service]?.owner }

    /// Whether the daemon reported the owner.
    func knowsOwner(of service: BusName) -> Bool { services[service]?.isOwnerKnown == true }

    func follows(_ service: BusName) -> Bool { services[service]?.followers.isEmpty == false }

    /// - Returns: whether the match is new, so that the daemon needs it.
    func add(_ match: SignalMatch, of service: BusName) -> Bool { followed(service).add(match) }

    /// - Returns: whether no follower needs the match any more.
    func remove(_ match: SignalMatch, of service: BusName) -> Bool { services[service]?.remove(match) ?? false }

    /// Forgets a unique name whose connection closed, because no later connection gets that name.
    /// Returns whether it was removed. Then the daemon needn't report its owners.
    @discardableResult
    func setOwner(of name: BusName, to owner: BusName?) -> Bool {
        guard let service = services[name] else { return false }
        let hasLeft = name.isUnique && owner == nil
        if hasLeft { services[name] = nil }
        owned.removeAll { $0 === service }
        service.owner = owner
        service.isOwnerKnown = true
        if owner != nil { owned.append(service) }
        for follower in service.followers { follower.hear(owner) }
        return hasLeft
    }

    func services(of sender: BusName) -> [FollowedService] { owned.filter { $0.owner == sender } }
}

final class FollowedService {
    fileprivate(set) var owner: BusName?
    /// Whether the owner is known, or known to be missing.
    fileprivate var isOwnerKnown = false
    fileprivate private(set) var followers: [SignalRouter.Follower] = []
    /// The followers that get signals.
    private var handlers: [(ServiceEvent) -> Void] = []
    /// The matches by path, so that each signal is compared with few.
    private var byPath: [ObjectPath: [Listening]] = [:]
    private var ofAnyPath: [Listening] = []

    /// A match, and the number of its followers.
    private struct Listening {
        let match: SignalMatch
        var count = 1
    }

    fileprivate func add(_ follower: SignalRouter.Follower) {
        followers.append(follower)
        if case .everything(let handler) = follower { handlers.append(handler) }
    }

    fileprivate func removeFollowers() {
        followers = []
        handlers = []
    }

    fileprivate var matchCount: Int { byPath.values.reduce(ofAnyPath.count) { $0 + $1.count } }

    fileprivate func add(_ match: SignalMatch) -> Bool {
        if let path = match.path { return Self.add(match, to: &byPath[path, default: []]) }
        return Self.add(match, to: &ofAnyPath)
    }

    private static func add(_ match: SignalMatch, to list: inout [Listening]) -> Bool {
        guard let place = list.firstIndex(where: { $0.match == match }) else {
            list.append(Listening(match: match))
            return true
        }
        list[place].count += 1
        return false
    }

    fileprivate func remove(_ match: SignalMatch) -> Bool {
        guard let path = match.path else { return Self.remove(match, from: &ofAnyPath) }
        guard var list = byPath.removeValue(forKey: path) else { return false }
        let wasLast = Self.remove(match, from: &list)
        if !list.isEmpty { byPath[path] = list }
        return wasLast
    }

    private static func remove(_ match: SignalMatch, from list: inout [Listening]) -> Bool {
        guard let place = list.firstIndex(where: { $0.match == match }) else { return false }
        list[place].count -= 1
        guard list[place].count == 0 else { return false }
        list.remove(at: place)
        return true
    }

    func deliver(_ signal: Signal) {
        guard !handlers.isEmpty, accepts(signal) else { return }
        let event = ServiceEvent.signal(signal)
        for place in handlers.indices { handlers[place](event) }
    }

    /// Compares first with the matches for the path, which most signals match. Loops over indices, because a closure would
    /// get a copy of each match.
    private func accepts(_ signal: Signal) -> Bool {
        if let list = byPath[signal.path] {
            for place in list.indices where list[place].match.accepts(signal) { return true }
        }
        for place in ofAnyPath.indices where ofAnyPath[place].match.accepts(signal) { return true }
        return false
    }

    /// Returns whether any match may accept a signal of this path, interface and member.
    func mayWant(_ path: ObjectPath, interface: InterfaceName, member: MemberName) -> Bool {
        func mayAccept(_ match: SignalMatch) -> Bool {
            match.interface == interface && (match.member == nil || match.member == member)
        }
        return byPath[path]?.contains { mayAccept($0.match) } == true || ofAnyPath.contains { mayAccept($0.match) }
    }
}
