import DBus
import RunLoop

/// A copy of an object's properties that follows their changes: first it subscribes, then it calls GetAll.
///
/// The service may be missing, hang, restart or send anything. This class neither starts nor polls it.
final class WatchedProperties: @unchecked Sendable {
    enum Change: Sendable {
        /// The service restarted or stopped. Not reported for its first start.
        case owner(isThere: Bool)
        /// The current properties; `nil` when the service is missing or doesn't reply.
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
    private var isOwnerInDoubt = false
    private var isStopped = false
    /// Whether the current service answered, or is known to be missing.
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
        } catch { return report(nil) }
        while !isStopped {
            if isOwnerInDoubt {
                isOwnerInDoubt = false
                try? await bus.checkOwner(of: service)
            }
            if isDue { await fetch(bus) } else if !isOwnerInDoubt { await gate.wait() }
        }
    }

    func stop() {
        isStopped = true
        gate?.open()
    }

    /// Queries the properties again, because a signal may have been missed.
    func check() {
        isOwnerInDoubt = true
        isDue = owner != nil
        gate?.open()
    }

    private func fetch(_ bus: any Bus) async {
        isDue = false
        let asked = generation
        do throws(BusError) {
            let all = try await bus.object(service, at: path).call(
                PropertiesInterface.getAll, interface.text, within: .seconds(5))
            if asked == generation, owner != nil { report(all) }
        } catch {
            if asked == generation { report(nil) }
        }
    }

    private func report(_ new: Properties?) {
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
            if isDue { gate?.open() } else { report(nil) }
        case .signal(let signal):
            guard signal.path == path, signal.arguments.count == 3, signal.arguments[0] == .string(interface.text),
                let changed = Properties(signal.arguments[1]), let invalidated = [String](signal.arguments[2])
            else { return }
            guard var known = properties, invalidated.isEmpty else {
                isDue = true
                gate?.open()
                return
            }
            known.apply(changed)
            // A service that invents properties must not fill the memory.
            if known.count <= 256 { report(known) }
        }
    }
}
