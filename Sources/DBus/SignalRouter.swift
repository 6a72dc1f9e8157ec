/// Which services a connection follows, who owns them, and where their signals go.
///
/// A signal counts only when its sender is the current unique owner of a service that we follow: any local process
/// can address a signal to us, and no match rule keeps it away.
final class SignalRouter {
    @exclusivity(unchecked) private var services: [BusName: FollowedService] = [:]
    /// A daemon may own several of them.
    @exclusivity(unchecked) private var owned: [FollowedService] = []

    /// Whether this is the first follower, so that the daemon must be asked to tell us of owners.
    func add(_ service: BusName, _ follower: Follower) -> Bool {
        // Matches may have been added before: they alone tell us nothing of owners.
        let isFirst = !follows(service)
        followed(service).add(follower)
        return isFirst
    }

    /// What somebody wants to hear of a service.
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

    /// Whether the owner is known from a signal or an answer of the daemon.
    func knowsOwner(of service: BusName) -> Bool { services[service]?.isOwnerKnown == true }

    func follows(_ service: BusName) -> Bool { services[service]?.followers.isEmpty == false }

    /// Whether the daemon must be told of this match: it is new.
    func add(_ match: SignalMatch, of service: BusName) -> Bool { followed(service).add(match) }

    /// Whether nobody wants this match any more.
    func remove(_ match: SignalMatch, of service: BusName) -> Bool { services[service]?.remove(match) ?? false }

    func setOwner(of service: BusName, to owner: BusName?) {
        guard let service = services[service] else { return }
        owned.removeAll { $0 === service }
        service.owner = owner
        service.isOwnerKnown = true
        if owner != nil { owned.append(service) }
        for follower in service.followers { follower.hear(owner) }
    }

    /// The services whose signals this sender may send: none for everybody else.
    func services(of sender: BusName) -> [FollowedService] { owned.filter { $0.owner == sender } }
}

/// A service that a connection follows.
final class FollowedService {
    @exclusivity(unchecked) fileprivate(set) var owner: BusName?
    /// Whether the daemon has told us, be it that there is none.
    @exclusivity(unchecked) fileprivate var isOwnerKnown = false
    fileprivate private(set) var followers: [SignalRouter.Follower] = []
    /// Those of them who hear signals.
    @exclusivity(unchecked) private var handlers: [(ServiceEvent) -> Void] = []
    private var matches: [SignalMatch: Int] = [:]
    /// The matches by the path that they name, so that a signal is held against a few only.
    @exclusivity(unchecked) private var byPath: [ObjectPath: [SignalMatch]] = [:]
    @exclusivity(unchecked) private var ofAnyPath: [SignalMatch] = []

    fileprivate func add(_ follower: SignalRouter.Follower) {
        followers.append(follower)
        if case .everything(let handler) = follower { handlers.append(handler) }
    }

    fileprivate func add(_ match: SignalMatch) -> Bool {
        matches[match, default: 0] += 1
        guard matches[match] == 1 else { return false }
        if let path = match.path { byPath[path, default: []].append(match) } else { ofAnyPath.append(match) }
        return true
    }

    fileprivate func remove(_ match: SignalMatch) -> Bool {
        guard let count = matches[match] else { return false }
        matches[match] = count > 1 ? count - 1 : nil
        guard count == 1 else { return false }
        guard let path = match.path else {
            ofAnyPath.removeAll { $0 == match }
            return true
        }
        byPath[path]?.removeAll { $0 == match }
        if byPath[path]?.isEmpty == true { byPath[path] = nil }
        return true
    }

    func deliver(_ signal: Signal) {
        guard !handlers.isEmpty, mayAccept(signal.path, { $0.accepts(signal) }) else { return }
        let event = ServiceEvent.signal(signal)
        for handler in handlers { handler(event) }
    }

    /// Whether any match could accept a signal of this path, interface and member.
    func mayWant(_ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName) -> Bool {
        mayAccept(path) { $0.interface == interface && ($0.member == nil || $0.member == member) }
    }

    private func mayAccept(_ path: ObjectPath, _ isMeant: (SignalMatch) -> Bool) -> Bool {
        ofAnyPath.contains(where: isMeant) || byPath[path]?.contains(where: isMeant) == true
    }
}
