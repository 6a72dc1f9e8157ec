import RunLoop

/// The rules by which the message bus sends a mirror the signals of its service.
final class MirrorRules {
    private let service: BusName
    private let bus: any Bus
    private let interest: ObjectMirror.Interest
    /// The rules that the daemon has.
    private var rules: Set<SignalMatch> = []
    private let adoption = AsyncLock()

    init(of service: BusName, on bus: any Bus, interest: ObjectMirror.Interest) {
        self.service = service
        self.bus = bus
        self.interest = interest
    }

    /// Asks for the signals of interest, and no longer for others. A rule counts once the daemon has it.
    ///
    /// - Parameter tree: what is known when it is this call's turn.
    /// - Returns: whether rules were added: then signals may have been missed before.
    func adopt(_ tree: () -> ObjectTree) async throws(BusError) -> Bool {
        await adoption.enter()
        defer { adoption.leave() }
        let wanted = interest.rules(tree())
        let new = wanted.subtracting(rules)
        bus.ignore(service, Array(rules.subtracting(wanted)))
        rules.formIntersection(wanted)
        if !new.isEmpty { try await bus.listen(service, for: Array(new)) }
        rules = wanted
        return !new.isEmpty
    }

    /// Whether the daemon has all the rules that are wanted now.
    func cover(_ tree: ObjectTree) -> Bool { interest.rules(tree).isSubset(of: rules) }

    /// Whether other rules may be wanted after a change.
    func dependOn(_ change: ObjectTree.Change) -> Bool {
        switch change {
        case .added(_, let interface), .removed(_, let interface):
            interest.rulesFollow == nil || interest.rulesFollow == interface
        case .changed: false
        }
    }
}
