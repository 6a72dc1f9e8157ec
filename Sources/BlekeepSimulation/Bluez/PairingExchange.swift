import BlekeepRecords
import DBus
import RunLoop

/// A pairing in progress between bluetoothd, its agent and the peripheral.
final class PairingExchange: @unchecked Sendable {
    private let device: DeviceObject
    private let bluez: SimulatedBluez
    private let agent: AgentRegistry.Agent?
    private let isRequested: Bool
    private let onEnd: (BluezFailure?) -> Void
    private var isOver = false
    private var isAsking = false

    static let failed = BluezFailure("AuthenticationFailed", "Authentication Failed")
    static let rejected = BluezFailure("AuthenticationRejected", "Authentication Rejected")
    static let canceled = BluezFailure("AuthenticationCanceled", "Authentication Canceled")
    static let timedOut = BluezFailure("AuthenticationTimeout", "Authentication Timeout")
    static let unreached = BluezFailure("ConnectionAttemptFailed", "Page Timeout")
    /// The time that either side waits for the other.
    static let timeout = Duration.seconds(30)
    /// The time that an agent may take.
    static let agentTimeout = Duration.seconds(60)

    /// - Parameters:
    ///   - isRequested: whether a client called Pair.
    ///   - onEnd: called once with the error; `nil` when the device is bonded.
    init(
        _ device: DeviceObject, agent: AgentRegistry.Agent?, isRequested: Bool,
        onEnd: @escaping (BluezFailure?) -> Void
    ) {
        self.device = device
        bluez = device.bluez
        self.agent = agent
        self.isRequested = isRequested
        self.onEnd = onEnd
    }

    private var peripheral: RadioPeripheral { device.peripheral }

    func begin() {
        bluez.after(peripheral.behavior.latency) { [weak self] in self?.exchange() }
    }

    /// Cancels the pairing, and notifies the agent.
    func end(_ failure: BluezFailure) {
        guard !isOver else { return }
        if isAsking, let agent {
            bluez.bus.send(
                MethodCall(
                    agent.client, at: agent.path, interface: Agent1.name, member: Agent1.cancel.name, within: .zero))
        }
        finish(failure)
    }

    private func finish(_ failure: BluezFailure?) {
        guard !isOver else { return }
        isOver = true
        onEnd(failure)
    }

    private func exchange() {
        guard !isOver else { return }
        switch peripheral.behavior.pairing {
        case .rejecting: return finish(Self.rejected)
        case .dropping:
            device.link?.drop()
            return finish(Self.canceled)
        case .mute:
            bluez.after(Self.timeout) { [weak self] in
                guard let self, !self.isOver else { return }
                self.finish(Self.timedOut)
                self.device.link?.drop()
            }
            return
        case .well: break
        }
        let method = peripheral.model.pairing.method(with: agent?.capability)
        // bluetoothd confirms nothing without an agent, and doesn't ask it when Pair was called and there is nothing
        // to type or to compare.
        guard let agent else { return finish(Self.failed) }
        if isRequested, method == .justWorks { return decide(method, agrees: true) }
        isAsking = true
        Task(executorPreference: bluez.loop) {
            let agrees = await self.ask(agent, method: method)
            self.isAsking = false
            self.decide(method, agrees: agrees)
        }
    }

    private func decide(_ method: SimulatedPairing.Method, agrees: Bool) {
        guard !isOver, bluez.isRunning else { return }
        finish(agrees && peripheral.model.pairing.accepts(method) ? nil : Self.failed)
    }

    /// Returns whether the agent's answer is the one that the peripheral expects.
    private func ask(_ agent: AgentRegistry.Agent, method: SimulatedPairing.Method) async -> Bool {
        let remote = bluez.bus.object(agent.client, at: agent.path)
        let path = device.path
        do throws(BusError) {
            switch method {
            case .justWorks: _ = try await remote.call(Agent1.requestAuthorization, path, within: Self.agentTimeout)
            case .enter(let number):
                return try await remote.call(Agent1.requestPasskey, path, within: Self.agentTimeout) == number
            case .compare(let number):
                _ = try await remote.call(Agent1.requestConfirmation, path, number, within: Self.agentTimeout)
            case .show(let number):
                for typed in UInt16(0)...6 where !isOver {
                    _ = try await remote.call(Agent1.displayPasskey, path, number, typed, within: Self.agentTimeout)
                    try? await bluez.loop.sleep(until: bluez.loop.now + .milliseconds(500))
                }
            }
            return true
        } catch { return false }
    }
}
