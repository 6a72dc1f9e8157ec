import BlekeepRecords
import DBus

/// The registered pairing agents.
final class AgentRegistry {
    let interface = ExportedInterface(AgentManager1.self)
    /// Called with each client that registers.
    var onClient: ((BusName) -> Void)?
    private var agents: [Agent] = []

    struct Agent {
        let client: BusName
        let path: ObjectPath
        let capability: String
    }

    init() {
        interface.handle(AgentManager1.registerAgent) { [unowned self] call in
            call.answer { () throws(BluezFailure) in try self.register(call) }
        }
        interface.handle(AgentManager1.unregisterAgent) { [unowned self] call in
            call.answer { () throws(BluezFailure) in
                try self.require(call)
                self.left(call.sender)
            }
        }
        interface.handle(AgentManager1.requestDefaultAgent) { [unowned self] call in
            call.answer { () throws(BluezFailure) in
                try self.require(call)
                self.agents.sort { $0.client == call.sender && $1.client != call.sender }
            }
        }
    }

    var count: Int { agents.count }

    /// The agent for pairings that no client requested: the first one, or the one that requested to be the default.
    var standard: Agent? { agents.first }

    /// Returns the agent of the client that called Pair, or the default one.
    func agent(of client: BusName) -> Agent? { agents.first { $0.client == client } ?? standard }

    func left(_ client: BusName) { agents.removeAll { $0.client == client } }

    private func register(_ call: Invocation) throws(BluezFailure) {
        guard !agents.contains(where: { $0.client == call.sender }) else { throw .alreadyExists }
        let capability = String(call.arguments[1]) ?? ""
        let known = ["", "DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay"]
        guard known.contains(capability) else { throw .invalidArguments }
        guard let path = ObjectPath(call.arguments[0]) else { throw .invalidArguments }
        agents.append(Agent(client: call.sender, path: path, capability: capability))
        onClient?(call.sender)
    }

    private func require(_ call: Invocation) throws(BluezFailure) {
        let path = ObjectPath(call.arguments[0])
        guard agents.contains(where: { $0.client == call.sender && $0.path == path }) else { throw .doesNotExist }
    }
}
