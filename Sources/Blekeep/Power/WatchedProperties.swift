import DBus
import RunLoop

/// One object's properties of one interface, kept true: the match first, GetAll second, changes from then on.
///
/// The service may be absent, hang, restart or send what it likes. It is never started here and never polled.
final class WatchedProperties: @unchecked Sendable {
    enum Change: Sendable {
        /// Another process owns the name, or nobody does any more; not told of the first one.
        case owner(isThere: Bool)
        /// What the properties are now; `nil` when the service is not there or does not answer.
        case properties(Properties?)
    }

    private let service: BusName
    private let path: ObjectPath
    private let interface: InterfaceName
    private let onChange: (Change) -> Void
    private var properties: Properties?
    private var owner: BusName?
    private var hadOwner = false
    private var generation = 0
    private var isDue = false
    private var isStopped = false
    /// Whether what is known of the service is the newest: that it is absent, or what it has answered.
    private(set) var isAnswered = false
    private var gate: Gate?

    init<Table: Interface>(
        _ table: Table.Type, of service: BusName, at path: ObjectPath, onChange: @escaping (Change) -> Void
    ) {
        self.service = service
        self.path = path
        self.onChange = onChange
        interface = table.name
    }

    /// Watches on this connection until `stop` is called.
    func run(on bus: any Bus) async {
        let gate = Gate(bus.loop)
        self.gate = gate
        isStopped = false
        owner = nil
        do throws(BusError) {
            try await bus.listen(service, for: [.properties(of: interface, at: path)])
            try await bus.follow(service) { [weak self] in self?.receive($0) }
        } catch { return tell(nil) }
        while !isStopped {
            if isDue { await fetch(bus) } else { await gate.wait() }
        }
    }

    func stop() {
        isStopped = true
        gate?.open()
    }

    private func fetch(_ bus: any Bus) async {
        isDue = false
        let asked = generation
        do throws(BusError) {
            let all = try await bus.object(service, path).call(
                PropertiesInterface.getAll, interface.text, within: .seconds(5))
            if asked == generation, owner != nil { tell(all) }
        } catch {
            if asked == generation { tell(nil) }
        }
    }

    private func tell(_ new: Properties?) {
        isAnswered = true
        properties = new
        onChange(.properties(new))
    }

    private func receive(_ event: ServiceEvent) {
        guard !isStopped else { return }
        switch event {
        case .owner(let new):
            generation += 1
            if hadOwner, new != owner { onChange(.owner(isThere: new != nil)) }
            hadOwner = hadOwner || new != nil
            owner = new
            isDue = new != nil
            isAnswered = false
            if isDue { gate?.open() } else { tell(nil) }
        case .signal(let signal):
            guard signal.path == path, signal.arguments.count == 3, signal.arguments[0] == .string(interface.text),
                let changed = Properties(signal.arguments[1]), let invalidated = [String](signal.arguments[2])
            else { return }
            guard var known = properties, invalidated.isEmpty else {
                isDue = true
                gate?.open()
                return
            }
            known.take(changed)
            // Of what a service might invent, only what GetAll could have said.
            if known.count <= 256 { tell(known) }
        }
    }
}
