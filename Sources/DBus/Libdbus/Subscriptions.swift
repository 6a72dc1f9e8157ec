/// A connection's subscriptions at the bus daemon: owners of services, and signals by match rules.
final class Subscriptions {
    private let router = SignalRouter()
    /// The number of owners that the daemon reported.
    private var reports = 0

    func owner(of service: BusName) -> BusName? { router.owner(of: service) }

    func follows(_ service: BusName) -> Bool { router.follows(service) }

    // MARK: Owners

    func follow(_ service: BusName, follower: SignalRouter.Follower, on bus: LibdbusBus) async throws(BusError) {
        guard router.add(service, follower: follower) else { return follower.hear(router.owner(of: service)) }
        do throws(BusError) {
            _ = try await bus.daemon.call(BusDaemon.addMatch, Self.ownerRule(of: service), within: .seconds(8))
            let owner = try await queryOwner(of: service, on: bus)
            // A signal that arrived before this line runs is newer than the reply.
            if !router.knowsOwner(of: service) { setOwner(of: service, to: owner, on: bus) }
        } catch {
            router.removeFollowers(of: service)
            throw error
        }
    }

    /// Queries the owner of a followed service again.
    func checkOwner(of service: BusName, on bus: LibdbusBus) async throws(BusError) {
        let before = reports
        let owner = try await queryOwner(of: service, on: bus)
        // A signal that arrived in the meantime may be newer than the reply.
        guard before == reports, router.follows(service), owner != router.owner(of: service) else { return }
        setOwner(of: service, to: owner, on: bus)
    }

    private func queryOwner(of service: BusName, on bus: LibdbusBus) async throws(BusError) -> BusName? {
        do throws(BusError) {
            return BusName(
                unchecked: try await bus.daemon.call(BusDaemon.getNameOwner, service.text, within: .seconds(8)))
        } catch .remote(name: "org.freedesktop.DBus.Error.NameHasNoOwner", _) { return nil }
    }

    private static func ownerRule(of service: BusName) -> String {
        "type='signal',sender='\(BusName.daemon)',interface='\(BusDaemon.name)',"
            + "member='\(BusDaemon.nameOwnerChanged.name)',arg0='\(service)'"
    }

    private func setOwner(of service: BusName, to owner: BusName?, on bus: LibdbusBus) {
        if router.setOwner(of: service, to: owner) { removeMatch(Self.ownerRule(of: service), on: bus) }
    }

    // MARK: Match rules

    /// Sends the rules at once, and then awaits the replies. Rules already apply to calls that are sent later.
    func listen(_ service: BusName, for matches: [SignalMatch], on bus: LibdbusBus) async throws(BusError) {
        let new = matches.filter { router.add($0, of: service) }
        var failure: BusError?
        for batch in stride(from: 0, to: new.count, by: 32) where failure == nil {
            let batch = new[batch..<min(batch + 32, new.count)]
            failure = await withTaskGroup(of: BusError?.self) { group in
                for match in batch {
                    group.addTask { await Self.addMatch(match.rule(sender: service), on: bus) }
                }
                return await group.reduce(nil) { $0 ?? $1 }
            }
        }
        guard let failure else { return }
        // Removing a rule that the daemon doesn't have is harmless.
        ignore(service, matches: matches, on: bus)
        throw failure
    }

    private static func addMatch(_ rule: String, on bus: LibdbusBus) async -> BusError? {
        do throws(BusError) { _ = try await bus.daemon.call(BusDaemon.addMatch, rule, within: .seconds(8)) } catch {
            return error
        }
        return nil
    }

    func ignore(_ service: BusName, matches: [SignalMatch], on bus: LibdbusBus) {
        for match in matches where router.remove(match, of: service) {
            removeMatch(match.rule(sender: service), on: bus)
        }
    }

    private func removeMatch(_ rule: String, on bus: LibdbusBus) {
        bus.send(
            MethodCall(
                .daemon, at: BusDaemon.path, interface: BusDaemon.name, member: BusDaemon.removeMatch.name,
                arguments: [.string(rule)], within: .zero))
    }

    // MARK: Signals

    /// Passes a signal to the followers of the services that its sender owns.
    func receive(_ message: borrowing Message, on bus: LibdbusBus) {
        guard let sender = message.sender, let path = message.path, let interface = message.interface,
            let member = message.member
        else { return }
        if sender == .daemon { return receiveFromDaemon(message, member: member, on: bus) }
        for service in router.services(of: sender) where service.mayWant(path, interface: interface, member: member) {
            guard let arguments = try? Marshalling.values(of: message.raw, atMost: 1 << 20) else { return }
            service.deliver(Signal(path, interface: interface, member: member, arguments: arguments))
        }
    }

    private func receiveFromDaemon(_ message: borrowing Message, member: MemberName, on bus: LibdbusBus) {
        guard member == BusDaemon.nameOwnerChanged.name,
            let arguments = try? Marshalling.values(of: message.raw, atMost: 4096),
            arguments.count == 3, let name = String(arguments[0]), let owner = String(arguments[2])
        else { return }
        reports += 1
        setOwner(of: BusName(unchecked: name), to: owner.isEmpty ? nil : BusName(unchecked: owner), on: bus)
    }
}
