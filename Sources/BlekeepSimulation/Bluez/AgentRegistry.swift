import Blekeep
import DBus

/// Who has offered to answer questions of pairing. Simulated peripherals ask none; but that there is an agent decides
/// whether an encrypted read is refused or never answered.
final class AgentRegistry {
    let interface = ExportedInterface(AgentManager1.self)
    /// Called with everybody who registers.
    var onClient: ((BusName) -> Void)?
    private var agents: [BusName: ObjectPath] = [:]

    init() {
        interface.handle(AgentManager1.registerAgent) { [unowned self] call in
            call.answer { () throws(BluezFailure) in try self.register(call) }
        }
        interface.handle(AgentManager1.unregisterAgent) { [unowned self] call in
            call.answer { () throws(BluezFailure) in
                try self.require(call)
                self.agents[call.sender] = nil
            }
        }
        interface.handle(AgentManager1.requestDefaultAgent) { [unowned self] call in
            call.answer { () throws(BluezFailure) in try self.require(call) }
        }
    }

    var isEmpty: Bool { agents.isEmpty }

    func left(_ client: BusName) { agents[client] = nil }

    private func register(_ call: Invocation) throws(BluezFailure) {
        guard agents[call.sender] == nil else { throw .alreadyExists }
        let capability = String(call.arguments[1]) ?? ""
        let known = ["", "DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay"]
        guard known.contains(capability) else { throw .invalidArguments }
        agents[call.sender] = ObjectPath(call.arguments[0])
        onClient?(call.sender)
    }

    private func require(_ call: Invocation) throws(BluezFailure) {
        guard let path = agents[call.sender], path == ObjectPath(call.arguments[0]) else { throw .doesNotExist }
    }
}
