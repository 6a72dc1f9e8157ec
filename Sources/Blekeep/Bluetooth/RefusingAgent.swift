import DBus
import RunLoop

/// The agent of who does not pair: it says no to everything, and tells which device wanted to be paired.
///
/// Without any agent the real bluetoothd never answers a read that needs encryption, and with one that refuses it does
/// not either; but it asks, within 0.1 s, and that question is the answer: this device needs pairing. It never
/// asks to be the default agent: BlueZ makes it that only while there is no other.
final class RefusingAgent: @unchecked Sendable {
    static let path: ObjectPath = "/org/blekeep/keeper"

    private let bus: any Bus
    private let onQuestion: (ObjectPath) -> Void
    private var bluez: BusName?
    private var isStopped = false
    private var isExported = false

    /// - Parameter onQuestion: called with the device that wants to be paired.
    init(on bus: any Bus, onQuestion: @escaping (ObjectPath) -> Void) {
        self.bus = bus
        self.onQuestion = onQuestion
    }

    /// Registers with every bluetoothd anew, each time `arrival` opens, until `stop`.
    func stayRegistered(_ arrival: Gate) async {
        while true {
            await arrival.wait()
            guard !isStopped else { return }
            // Whoever refuses us, or has us already, is none the worse for it: reads then end by their deadline.
            try? await register()
        }
    }

    func stop() { isStopped = true }

    func register() async throws(BusError) {
        if !isExported {
            isExported = true
            bus.export(ExportedObject(Self.path, [makeInterface()]))
            try await bus.followOwner(of: Bluez.service) { [weak self] in self?.bluez = $0 }
        }
        // It can do everything, so that nothing is paired without a question.
        _ = try await bus.object(Bluez.service, Bluez.root).call(
            AgentManager1.registerAgent, Self.path, PairingCapability.keyboardDisplay.rawValue, within: .seconds(5))
    }

    func unregister() async {
        _ = try? await bus.object(Bluez.service, Bluez.root).call(
            AgentManager1.unregisterAgent, Self.path, within: .seconds(5))
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
        call.fail("org.bluez.Error.Rejected", "Rejected")
        guard call.sender == bluez, let device = ObjectPath(call.arguments[0]) else { return }
        onQuestion(device)
    }
}
