import RunLoop

/// The match rules of a mirror at the message bus.
final class MirrorRules {
    private let service: BusName
    private let bus: any Bus
    private let interest: ObjectMirror.Interest
    private var rules: Set<SignalMatch> = []
    private let adoption = AsyncLock()

    init(of service: BusName, on bus: any Bus, interest: ObjectMirror.Interest) {
        self.service = service
        self.bus = bus
        self.interest = interest
    }

    /// Adds and removes rules, so that they match the interest. A rule applies once the daemon has it.
    ///
    /// - Parameter tree: returns the known objects, when it is this call's turn.
    /// - Returns: whether rules were added. Signals may have been missed before that.
    func adopt(_ tree: () -> ObjectTree) async throws(BusError) -> Bool {
        await adoption.enter()
        defer { adoption.leave() }
        let wanted = interest.rules(tree())
        let new = wanted.subtracting(rules)
        bus.ignore(service, matches: Array(rules.subtracting(wanted)))
        rules.formIntersection(wanted)
        if !new.isEmpty { try await bus.listen(service, for: Array(new)) }
        rules = wanted
        return !new.isEmpty
    }

    /// Whether the daemon has all current rules.
    func cover(_ tree: ObjectTree) -> Bool { interest.rules(tree).isSubset(of: rules) }

    func dependOn(_ change: ObjectTree.Change) -> Bool {
        switch change {
        case .added(_, let interface), .removed(_, let interface):
            interest.rulesFollow == nil || interest.rulesFollow == interface
        case .changed: false
        }
    }
}
