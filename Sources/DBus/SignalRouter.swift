/// Which services a connection follows, who owns them, and where their signals go.
///
/// A signal counts only when its sender is the current unique owner of a service that we follow: any local process
/// can address a signal to us, and no match rule keeps it away.
final class SignalRouter {
    private struct Service {
        var owner: BusName?
        /// Whether the daemon has told us, be it that there is none.
        var isOwnerKnown = false
        var handlers: [(ServiceEvent) -> Void] = []
        var matches: [SignalMatch: Int] = [:]
        /// The matches by the path that they name, so that a signal is held against a few only.
        var byPath: [ObjectPath?: [SignalMatch]] = [:]

        func mayAccept(_ path: ObjectPath, _ isMeant: (SignalMatch) -> Bool) -> Bool {
            byPath[path]?.contains(where: isMeant) == true || byPath[nil]?.contains(where: isMeant) == true
        }
    }

    @exclusivity(unchecked) private var services: [BusName: Service] = [:]
    /// A daemon may own several of them.
    private var servicesOfOwner: [BusName: [BusName]] = [:]

    /// Whether this is the first follower, so that the daemon must be asked to tell us of owners.
    func add(_ service: BusName, _ handler: @escaping (ServiceEvent) -> Void) -> Bool {
        // Matches may have been added before: they alone tell us nothing of owners.
        let isFirst = !follows(service)
        services[service, default: Service()].handlers.append(handler)
        return isFirst
    }

    func owner(of service: BusName) -> BusName? { services[service]?.owner }

    /// Whether the owner is known from a signal or an answer of the daemon.
    func knowsOwner(of service: BusName) -> Bool { services[service]?.isOwnerKnown == true }

    func follows(_ service: BusName) -> Bool { services[service]?.handlers.isEmpty == false }

    /// Whether the daemon must be told of this match: it is new.
    func add(_ match: SignalMatch, of service: BusName) -> Bool {
        services[service, default: Service()].matches[match, default: 0] += 1
        guard services[service]?.matches[match] == 1 else { return false }
        services[service]?.byPath[match.path, default: []].append(match)
        return true
    }

    /// Whether nobody wants this match any more.
    func remove(_ match: SignalMatch, of service: BusName) -> Bool {
        guard let count = services[service]?.matches[match] else { return false }
        services[service]?.matches[match] = count > 1 ? count - 1 : nil
        guard count == 1 else { return false }
        services[service]?.byPath[match.path]?.removeAll { $0 == match }
        if services[service]?.byPath[match.path]?.isEmpty == true { services[service]?.byPath[match.path] = nil }
        return true
    }

    func setOwner(of service: BusName, to owner: BusName?) {
        guard let old = services[service] else { return }
        if let former = old.owner { servicesOfOwner[former]?.removeAll { $0 == service } }
        services[service]?.owner = owner
        services[service]?.isOwnerKnown = true
        if let owner { servicesOfOwner[owner, default: []].append(service) }
        for handler in old.handlers { handler(.owner(owner)) }
    }

    /// The services whose signals this sender may send: none for everybody else.
    func services(of sender: BusName) -> [BusName] {
        servicesOfOwner[sender] ?? []
    }

    func deliver(_ signal: Signal, of service: BusName) {
        guard let entry = services[service], entry.mayAccept(signal.path, { $0.accepts(signal) }) else { return }
        for handler in entry.handlers { handler(.signal(signal)) }
    }

    /// Whether any match of the service could accept a signal of this path, interface and member.
    func mayWant(_ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, of service: BusName) -> Bool {
        services[service]?.mayAccept(path) {
            $0.interface == interface && ($0.member == nil || $0.member == member)
        } ?? false
    }
}
