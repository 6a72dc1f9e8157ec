import DBus

/// An agent that refuses every pairing and reports which device asked for it.
///
/// bluetoothd never answers a read that needs encryption when there is no agent, or when the agent refuses. But it asks
/// the agent within 0.1 s, and this question shows that the device needs pairing.
///
/// BlueZ makes the first registered agent the default agent, and asks it when another program pairs without an agent.
/// Therefore this agent is registered only during requests that may need pairing.
final class RefusingAgent: @unchecked Sendable {
    static let path: ObjectPath = "/org/blekeep/agent/refusing"

    private let bus: any Bus
    private let onQuestion: (ObjectPath) -> Void
    private var bluez: BusName?
    private var isFollowing = false
    private var isRegistered = false
    /// The number of requests in progress that may need pairing.
    private var requests = 0

    /// - Parameter onQuestion: called with the device that asks for pairing.
    init(on bus: any Bus, onQuestion: @escaping (ObjectPath) -> Void) {
        self.bus = bus
        self.onQuestion = onQuestion
    }

    /// Follows bluetoothd, because only its questions count. Must return before the first request.
    func start() async throws(BusError) {
        guard !isFollowing else { return }
        isFollowing = true
        bus.export(ExportedObject(Self.path, [makeInterface()]))
        try await bus.followOwner(of: Bluez.service) { [weak self] in self?.ownerChanged($0) }
    }

    /// Registers the agent for a request that may need pairing. `end` must follow.
    ///
    /// bluetoothd takes messages in order, so the request itself can be sent at once.
    func begin() {
        requests += 1
        register()
    }

    /// Unregisters the agent after the last request.
    func end() {
        requests -= 1
        if requests == 0 { unregister() }
    }

    /// Unregisters the agent even during requests, because a connection has one agent at a time.
    func unregister() {
        guard isRegistered else { return }
        isRegistered = false
        send(AgentManager1.unregisterAgent.name, arguments: [Self.path.value])
    }

    private func register() {
        guard !isRegistered, bluez != nil else { return }
        isRegistered = true
        // With the capability for everything, BlueZ always asks. If BlueZ refuses the agent, reads end by their deadline.
        send(
            AgentManager1.registerAgent.name,
            arguments: [Self.path.value, PairingCapability.keyboardDisplay.rawValue.value])
    }

    private func send(_ member: MemberName, arguments: [Value]) {
        bus.send(
            MethodCall(
                Bluez.service, at: Bluez.root, interface: AgentManager1.name, member: member, arguments: arguments,
                within: .zero))
    }

    /// Registers the agent again, because a new bluetoothd doesn't know it.
    private func ownerChanged(_ owner: BusName?) {
        bluez = owner
        isRegistered = false
        if requests > 0 { register() }
    }

    private func makeInterface() -> ExportedInterface {
        let interface = ExportedInterface(Agent1.self)
        interface.handle(Agent1.requestPinCode) { [weak self] in self?.refuse($0) }
        interface.handle(Agent1.displayPinCode) { [weak self] in self?.refuse($0) }
        interface.handle(Agent1.requestPasskey) { [weak self] in self?.refuse($0) }
        interface.handle(Agent1.displayPasskey) { [weak self] in self?.refuse($0) }
        interface.handle(Agent1.requestConfirmation) { [weak self] in self?.refuse($0) }
        interface.handle(Agent1.requestAuthorization) { [weak self] in self?.refuse($0) }
        interface.handle(Agent1.authorizeService) { [weak self] in self?.refuse($0) }
        interface.handle(Agent1.cancel) { $0.reply() }
        interface.handle(Agent1.release) { $0.reply() }
        return interface
    }

    private func refuse(_ call: Invocation) {
        call.fail("org.bluez.Error.Rejected", message: "Rejected")
        guard call.sender == bluez, let device = ObjectPath(call.arguments[0]) else { return }
        onQuestion(device)
    }
}
