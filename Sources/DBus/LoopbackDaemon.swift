import RunLoop

/// A message bus inside the process: names, owners and delivery in order, on one run loop.
/// In virtual time a week on it passes in under a second.
package final class LoopbackDaemon: @unchecked Sendable {
    let loop: RunLoop
    private var connections: [BusName: LoopbackBus] = [:] {
        didSet { inOrder = connections.values.sorted { $0.name.text < $1.name.text } }
    }
    private var inOrder: [LoopbackBus] = [] { didSet { findListeners() } }
    /// Those of them that follow a service.
    private var listeners: [LoopbackBus] = []
    private var owners: [BusName: BusName] = [:]
    private var connected = 0
    /// Whether new connections are taken.
    package private(set) var isUp = true

    package init(on loop: RunLoop) {
        self.loop = loop
    }

    /// - Throws: `unreachable` while the daemon is down.
    package func connect() throws(BusError) -> LoopbackBus {
        guard isUp else { throw .unreachable("there is no message bus: it was stopped") }
        connected += 1
        let bus = LoopbackBus(self, BusName(unchecked: ":1.\(connected)"))
        connections[bus.name] = bus
        return bus
    }

    /// Ends like a daemon that is killed: every connection is lost at once.
    package func stop() {
        isUp = false
        owners = [:]
        let lost = connections.values.sorted { $0.name.text < $1.name.text }
        connections = [:]
        for bus in lost { bus.lose() }
    }

    package func start() { isUp = true }

    // MARK: Names

    func owner(of name: BusName) -> BusName? {
        name.isUnique ? (connections[name] == nil ? nil : name) : owners[name]
    }

    func own(_ name: BusName, by bus: LoopbackBus) -> Bool {
        if let owner = owners[name] { return owner == bus.name }
        owners[name] = bus.name
        announce(name, bus.name)
        return true
    }

    func release(_ name: BusName, by bus: LoopbackBus) {
        guard owners[name] == bus.name else { return }
        owners[name] = nil
        announce(name, nil)
    }

    func leave(_ bus: LoopbackBus) {
        connections[bus.name] = nil
        for (name, owner) in owners.sorted(by: { $0.key.text < $1.key.text }) where owner == bus.name {
            release(name, by: bus)
        }
        announce(bus.name, nil)
        // What it has answered is on its way still, and counts.
        loop.soon { for other in self.inOrder { other.forget(bus.name) } }
    }

    private func announce(_ name: BusName, _ owner: BusName?) {
        loop.soon { for bus in self.inOrder { bus.ownerChanged(name, owner) } }
    }

    // MARK: Delivery

    func deliver(_ call: MethodCall, from sender: BusName, _ answer: @escaping (Result<[Value], BusError>) -> Void) {
        guard let owner = owner(of: call.destination), let target = connections[owner] else {
            let message = "The name \(call.destination) was not provided by any .service files"
            return answer(
                .failure(.remote(name: "org.freedesktop.DBus.Error.ServiceUnknown", message: message)))
        }
        target.receive(
            Invocation(
                sender: sender, path: call.path, interface: call.interface, member: call.member,
                arguments: call.arguments, answer: { result in self.loop.soon { answer(result) } }))
    }

    /// Somebody follows a service, or has come or gone.
    func findListeners() { listeners = inOrder.filter(\.isFollowing) }

    /// Sends a signal to everybody who asked for it. The sender is what the daemon says, not what anybody claims.
    func broadcast(_ signal: Signal, from sender: BusName) {
        loop.soon { for bus in self.listeners { bus.receive(signal, from: sender) } }
    }
}
