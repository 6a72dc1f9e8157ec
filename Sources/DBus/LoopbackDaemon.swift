import RunLoop

/// A message bus inside the process: names, owners, and delivery in order, on one run loop.
package final class LoopbackDaemon: @unchecked Sendable {
    let loop: RunLoop
    /// The connections, in the order of their names.
    private var connections: [LoopbackBus] = []
    private var owners: [(name: BusName, bus: LoopbackBus)] = []
    private var connected = 0
    /// Whether it accepts new connections.
    package private(set) var isUp = true
    package var limits = BusLimits()
    /// Whether the signals about new owners of names get lost.
    package var losesOwnerChanges = false
    /// The number of calls and rules that it refused because of a limit.
    package private(set) var refusals = 0

    package init(on loop: RunLoop) { self.loop = loop }

    /// - Throws: `unreachable` while the daemon is down.
    package func connect() throws(BusError) -> LoopbackBus {
        guard isUp else { throw .unreachable("there is no message bus: it was stopped") }
        connected += 1
        let bus = LoopbackBus(self, BusName(unchecked: ":1.\(connected)"))
        let place = connections.firstIndex { bus.name.text < $0.name.text } ?? connections.endIndex
        connections.insert(bus, at: place)
        return bus
    }

    /// Ends like a killed daemon. Every connection is lost at once.
    package func stop() {
        isUp = false
        owners = []
        let lost = connections
        connections = []
        for bus in lost { bus.lose() }
    }

    package func start() { isUp = true }

    // MARK: Names

    func owner(of name: BusName) -> LoopbackBus? {
        if name.isUnique { return connections.first { $0.name == name } }
        return owners.first { $0.name == name }?.bus
    }

    func own(_ name: BusName, by bus: LoopbackBus) -> Bool {
        if let owner = owner(of: name) { return owner === bus }
        owners.append((name, bus))
        announce(name, owner: bus.name)
        return true
    }

    func release(_ name: BusName, by bus: LoopbackBus) {
        guard let place = owners.firstIndex(where: { $0.name == name && $0.bus === bus }) else { return }
        owners.remove(at: place)
        announce(name, owner: nil)
    }

    func leave(_ bus: LoopbackBus) {
        connections.removeAll { $0 === bus }
        for name in owners.filter({ $0.bus === bus }).map(\.name.text).sorted() {
            release(BusName(unchecked: name), by: bus)
        }
        announce(bus.name, owner: nil)
        // Replies that it sent are still delivered.
        loop.soon { for other in self.connections { other.forget(bus) } }
    }

    private func announce(_ name: BusName, owner: BusName?) {
        guard !losesOwnerChanges else { return }
        loop.soon { for bus in self.connections { bus.router.setOwner(of: name, to: owner) } }
    }

    // MARK: Delivery

    /// - Parameter answer: called with the reply.
    /// - Throws: an error when no program has the name.
    func deliver(
        _ call: MethodCall, from sender: BusName, answer: @escaping (Result<[Value], BusError>) -> Void
    ) throws(BusError) {
        guard let target = owner(of: call.destination) else {
            let message = "The name \(call.destination) was not provided by any .service files"
            throw .remote(name: "org.freedesktop.DBus.Error.ServiceUnknown", message: message)
        }
        guard target.server.waitingBytes <= limits.queuedBytes else {
            throw refusal("Rejected: destination has a full message queue")
        }
        target.server.receive(from: sender) { _ in
            Invocation(
                sender: sender, path: call.path, interface: call.interface, member: call.member,
                arguments: call.arguments, answer: answer)
        }
    }

    func refusal(_ message: String) -> BusError {
        refusals += 1
        return .remote(name: BusError.limitsExceeded, message: message)
    }

    func audience(of sender: BusName) -> [FollowedService] { connections.flatMap { $0.router.services(of: sender) } }
}
