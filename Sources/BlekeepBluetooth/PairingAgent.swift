import DBus
import RunLoop

/// The agent that answers BlueZ's questions while a device is paired. It answers only bluetoothd, and only for this device.
final class PairingAgent: @unchecked Sendable {
    static let path: ObjectPath = "/org/blekeep/agent"

    private(set) var refusal: PairingError.Reason?
    private let bus: any Bus
    /// The last element of the device's path, the same on each adapter.
    private let device: String
    private(set) var dialog: PairingDialog
    private let user: PairingUser?
    private var bluez: BusName?
    /// The question that waits for the user.
    private var asked: (call: Invocation, request: PairingRequest, task: Task<Void, Never>?)?
    private var isRegistered = false

    init(on bus: any Bus, for address: BluetoothAddress, dialog: PairingDialog, user: PairingUser?) {
        self.bus = bus
        self.dialog = dialog
        self.user = user
        device = "dev_" + address.joined(by: "_")
    }

    /// Whether the device got any passkey or PIN code, which may have been wrong.
    private(set) var hasSentPasskey = false

    // MARK: Registration

    /// Registers with BlueZ, which asks the agent of the program that calls `Pair`.
    func register(_ capability: PairingCapability) async throws(BusError) {
        try await bus.followOwner(of: Bluez.service) { [weak self] in self?.bluez = $0 }
        bus.export(ExportedObject(Self.path, [makeInterface()]))
        _ = try await bus.object(Bluez.service, at: Bluez.root).call(
            AgentManager1.registerAgent, Self.path, capability.rawValue, within: .seconds(5))
        isRegistered = true
    }

    /// Removes the agent, also after a failed registration.
    func unregister() async {
        drop()
        if isRegistered {
            isRegistered = false
            _ = try? await bus.object(Bluez.service, at: Bluez.root).call(
                AgentManager1.unregisterAgent, Self.path, within: .seconds(5))
        }
        bus.withdraw(Self.path)
    }

    // MARK: Questions

    private func makeInterface() -> ExportedInterface {
        let interface = ExportedInterface(Agent1.self)
        interface.handle(Agent1.requestPinCode) { [weak self] in self?.receive($0, request: .enterPinCode) }
        interface.handle(Agent1.displayPinCode) { [weak self] call in
            self?.receive(call, request: .showPinCode(String(call.arguments[1]) ?? ""))
        }
        interface.handle(Agent1.requestPasskey) { [weak self] in self?.receive($0, request: .enterPasskey) }
        interface.handle(Agent1.displayPasskey) { [weak self] call in
            let typed = Int(UInt16(call.arguments[2]) ?? 0)
            self?.receive(call, request: .showPasskey(UInt32(call.arguments[1]) ?? 0, typed: typed))
        }
        interface.handle(Agent1.requestConfirmation) { [weak self] call in
            self?.receive(call, request: .confirm(UInt32(call.arguments[1]) ?? 0))
        }
        interface.handle(Agent1.requestAuthorization) { [weak self] in self?.receive($0, request: .authorize) }
        interface.handle(Agent1.authorizeService) { [weak self] call in
            self?.receive(call, request: .authorizeService(String(call.arguments[1]) ?? ""))
        }
        interface.handle(Agent1.cancel) { [weak self] call in
            guard let self, self.isBluez(call) else { return }
            self.drop()
            call.reply()
        }
        interface.handle(Agent1.release) { [weak self] call in
            guard let self, self.isBluez(call) else { return }
            self.isRegistered = false
            self.drop()
            call.reply()
        }
        return interface
    }

    /// Refuses calls of other programs than bluetoothd.
    private func isBluez(_ call: Invocation) -> Bool {
        if call.sender == bluez { return true }
        call.fail("org.freedesktop.DBus.Error.AccessDenied", message: "only bluetoothd may ask")
        return false
    }

    private func receive(_ call: Invocation, request: PairingRequest) {
        guard isBluez(call) else { return }
        guard ObjectPath(call.arguments[0])?.name == device[...] else { return Self.reject(call) }
        guard asked == nil else { return Self.reject(call) }
        switch dialog.step(request) {
        case .reply(let answer): reply(call, request: request, answer: answer)
        case .refuse(let reason): refuse(call, reason: reason)
        case .show:
            user?.show(request)
            call.reply()
        case .ask: ask(call, request: request)
        }
    }

    private func ask(_ call: Invocation, request: PairingRequest) {
        guard let ask = user?.ask else { return refuse(call, reason: .needsUser) }
        asked = (call, request, nil)
        asked?.task = Task(executorPreference: bus.loop) { [weak self] in
            let answer = await ask(request)
            // A dropped question has a cancelled task.
            if !Task.isCancelled { self?.answered(answer) }
        }
    }

    private func answered(_ answer: PairingAnswer) {
        guard let (call, request, _) = asked else { return }
        asked = nil
        reply(call, request: request, answer: answer)
    }

    private func reply(_ call: Invocation, request: PairingRequest, answer: PairingAnswer) {
        guard let values = request.reply(answer) else {
            return refuse(call, reason: request == .enterPasskey && answer != .reject ? .invalidPasskey : .rejected)
        }
        if [.enterPasskey, .enterPinCode].contains(request) { hasSentPasskey = true }
        call.reply(values)
    }

    private func refuse(_ call: Invocation, reason: PairingError.Reason) {
        refusal = refusal ?? reason
        Self.reject(call)
    }

    private static func reject(_ call: Invocation) { call.fail("org.bluez.Error.Rejected", message: "Rejected") }

    /// Drops the question: its answer isn't needed any more.
    private func drop() {
        asked?.task?.cancel()
        asked?.call.fail("org.bluez.Error.Canceled", message: "Canceled")
        asked = nil
    }
}

/// The functions that show a user the requests of a device during pairing, and return the user's answers.
///
/// ```swift
/// let user = PairingUser(show: { print($0) }) { request in
///     if case .confirm(let number) = request { print("Does the device show \(PasskeyText(number))?") }
///     return readLine() == "yes" ? .accept : .reject
/// }
/// ```
public struct PairingUser: Sendable {
    /// Shows a request that doesn't need an answer. Called on the central's thread; return quickly.
    public var show: @Sendable (PairingRequest) -> Void
    /// Asks the user; `nil` when no user is there.
    ///
    /// When the device stops waiting, the task is cancelled. Then return soon; the answer doesn't matter.
    public var ask: (@Sendable (PairingRequest) async -> PairingAnswer)?

    /// Creates a user who sees requests, and, with `ask`, answers them.
    public init(
        show: @escaping @Sendable (PairingRequest) -> Void,
        ask: (@Sendable (PairingRequest) async -> PairingAnswer)? = nil
    ) {
        self.show = show
        self.ask = ask
    }
}
