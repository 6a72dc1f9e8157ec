import RunLoop

/// Keeps an `ObjectTree` true to a service: matches first, one snapshot second, signals from then on.
///
/// Each owner of the service's name is a new generation: what was known of the one before is forgotten.
package final class ObjectMirror: @unchecked Sendable {
    // Touched on the loop's thread only, at every signal.
    package private(set) var tree: ObjectTree
    /// Counts the owners that were mirrored so far; whatever is older is void.
    package private(set) var generation = 0

    private let bus: any Bus
    private let service: BusName
    private let interest: Interest
    private let onEvent: (Event) -> Void
    /// The connection that owns the service's name.
    package private(set) var owner: BusName?
    private let rules: MirrorRules
    private var isCurrent = false
    /// Whether there was a snapshot of this owner: what it tells from then on counts, also while another is awaited.
    package private(set) var isKnown = false
    /// Counts the reasons for a new snapshot: a snapshot counts only if there was none since it was asked for.
    private var doubts = 0
    /// Signals that came since a snapshot was asked for; `nil` when none is awaited, or they were too many to keep.
    private var backlog: [Signal]?
    /// Open when there may be something to do.
    private let gate: Gate
    private var isStopped = false
    private var isLost = false
    private var patience = ObjectMirror.shortestPatience

    private static let shortestPatience: Duration = .seconds(1)
    private static let longestPatience: Duration = .seconds(40)

    package enum Event: Sendable {
        /// The tree is complete, anew or again.
        case snapshot(generation: Int)
        case change(ObjectTree.Change)
        /// The service has no owner: the tree is empty.
        case lost
        /// The service told nothing of its objects; it is asked again after a while.
        case refused(BusError)
        /// A signal of the service that is not about what it has.
        case signal(Signal)
    }

    /// What of the service's objects is of interest.
    package struct Interest {
        /// The objects to keep; asked with the path before anything of an object is decoded.
        package var wants: @Sendable (ObjectPath) -> Bool
        /// The rules to have in force, given what is known; asked again whenever an object with this interface came
        /// or went, if one is named, else whenever any did.
        package var rules: (ObjectTree) -> Set<SignalMatch>
        package var rulesFollow: InterfaceName?
        /// The interfaces whose objects are often asked for.
        package var indexed: [InterfaceName]

        package init(
            wants: @escaping @Sendable (ObjectPath) -> Bool, indexed: [InterfaceName] = [],
            rulesFollow: InterfaceName? = nil, rules: @escaping (ObjectTree) -> Set<SignalMatch>
        ) {
            self.wants = wants
            self.indexed = indexed
            self.rulesFollow = rulesFollow
            self.rules = rules
        }
    }

    package init(
        of service: BusName, on bus: any Bus, interest: Interest, onEvent: @escaping (Event) -> Void
    ) {
        self.bus = bus
        self.service = service
        self.interest = interest
        self.onEvent = onEvent
        rules = MirrorRules(of: service, on: bus, interest: interest)
        gate = Gate(bus.loop)
        tree = ObjectTree(indexing: interest.indexed)
    }

    /// Mirrors until the connection is lost or `stop` is called.
    ///
    /// - Throws: the error that ended it; returns after `stop`.
    package func run() async throws(BusError) {
        try await bus.listen(service, for: [SignalMatch(path: .root, interface: ObjectManager.name)])
        try await bus.follow(service) { [weak self] in self?.receive($0) }
        if owner == nil { onEvent(.lost) }
        while !isStopped {
            if owner != nil, !isCurrent { try await resync() }
            if !isStopped, isCurrent || owner == nil { await gate.wait() }
        }
        if isLost { throw .disconnected }
    }

    package func stop() {
        isStopped = true
        gate.open()
    }

    /// The connection is gone: `run` throws.
    package func lose() {
        isLost = true
        stop()
    }

    /// Asks for a new snapshot, when something may have been missed.
    package func refresh() {
        isCurrent = false
        doubts += 1
        gate.open()
    }

    /// Forgets an object, without an event: of what is not of interest any more. It comes back when it is told anew.
    package func forget(_ path: ObjectPath) { tree.forget(path) }

    /// Widens the rules by what `interest` wants now, without a new snapshot: for signals that come only after
    /// something that we are about to ask for.
    package func updateRules() async throws(BusError) { _ = try await rules.adopt { tree } }

    private func resync() async throws(BusError) {
        let asked = doubts
        var isWidened = false
        do throws(BusError) {
            _ = try await rules.adopt { tree }
            if asked == doubts { try await takeSnapshot() }
            if asked == doubts { isWidened = try await rules.adopt { tree } }
        } catch .disconnected {
            throw .disconnected
        } catch {
            // A daemon that starts, hangs or does not want us: its owner change wakes us, or time.
            guard owner != nil, asked == doubts else { return }
            onEvent(.refused(error))
            await gate.wait(until: bus.loop.now + patience)
            patience = min(patience * 2, Self.longestPatience)
            return
        }
        guard asked == doubts, !isWidened else { return }
        isCurrent = true
        isKnown = true
        patience = Self.shortestPatience
        onEvent(.snapshot(generation: generation))
    }

    /// Signals may arrive behind the answer, but before this task gets to look at it: they are kept until then and
    /// applied to the snapshot. To apply those again that came before it does no harm: the last word is the same.
    private func takeSnapshot() async throws(BusError) {
        let asked = doubts
        let options = MethodCall.Options(largestReply: 128 << 20, wants: interest.wants)
        backlog = []
        defer { backlog = nil }
        let all = try await bus.object(service, .root).call(
            ObjectManager.getManagedObjects, within: .seconds(20), options: options)
        guard asked == doubts else { return }
        guard let backlog else {
            doubts += 1
            return
        }
        tree.replace(with: all.objects)
        for signal in backlog { _ = tree.apply(signal) }
    }

    private func receive(_ event: ServiceEvent) {
        switch event {
        case .owner(let owner):
            guard owner != self.owner else { return }
            let had = self.owner != nil
            self.owner = owner
            patience = Self.shortestPatience
            generation += 1
            isCurrent = false
            isKnown = false
            doubts += 1
            tree.replace(with: [:])
            if had { onEvent(.lost) }
            gate.open()
        case .signal(let signal): receive(signal)
        }
    }

    private func receive(_ signal: Signal) {
        if signal.interface == ObjectManager.name {
            guard let path = signal.arguments.first.flatMap({ ObjectPath($0) }), interest.wants(path) else { return }
        }
        guard signal.interface == ObjectManager.name || signal.interface == PropertiesInterface.name else {
            if isKnown { onEvent(.signal(signal)) }
            return
        }
        keep(signal)
        let changes = tree.apply(signal)
        guard isKnown else { return }
        for change in changes { onEvent(.change(change)) }
        if changes.contains(where: rules.dependOn), !rules.cover(tree) { refresh() }
    }

    private func keep(_ signal: Signal) {
        guard let count = backlog?.count else { return }
        if count < 10_000 { backlog?.append(signal) } else { backlog = nil }
    }
}
