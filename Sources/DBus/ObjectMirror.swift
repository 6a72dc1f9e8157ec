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
    private var snapshots = MirrorSnapshots()
    /// Open when there may be something to do.
    private let gate: Gate
    private var end: End?
    private var pause = RetryPause()

    private enum End {
        case stopped
        /// The connection is gone.
        case lost
    }

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
        /// Returns whether to keep an object. Called before anything of it is decoded.
        package var wants: @Sendable (ObjectPath) -> Bool
        /// Returns the rules to have. Called again after an object with the interface `rulesFollow` was added or removed,
        /// or after any object was if that is `nil`.
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
        while end == nil {
            if owner != nil, !snapshots.isCurrent { try await resync() }
            if end == nil, snapshots.isCurrent || owner == nil { await gate.wait() }
        }
        if end == .lost { throw .disconnected }
    }

    package func stop() { stop(.stopped) }

    /// The connection is gone: `run` throws.
    package func lose() { stop(.lost) }

    private func stop(_ end: End) {
        if self.end != .lost { self.end = end }
        gate.open()
    }

    /// Whether there was a snapshot of the service's present owner.
    package var isKnown: Bool { snapshots.isKnown }

    /// Asks for a new snapshot, when something may have been missed.
    package func refresh() {
        snapshots.doubt()
        gate.open()
    }

    /// Forgets an object, without an event: of what is not of interest any more. It comes back when it is told anew.
    package func forget(_ path: ObjectPath) { tree.forget(path) }

    /// Widens the rules by what `interest` wants now, without a new snapshot: for signals that come only after
    /// something that we are about to ask for.
    package func updateRules() async throws(BusError) { _ = try await rules.adopt { tree } }

    private func resync() async throws(BusError) {
        let question = snapshots.question
        var isWidened = false
        do throws(BusError) {
            _ = try await rules.adopt { tree }
            if question == snapshots.question { try await takeSnapshot() }
            if question == snapshots.question { isWidened = try await rules.adopt { tree } }
        } catch .disconnected {
            throw .disconnected
        } catch {
            // A daemon that starts, hangs or does not want us: its owner change wakes us, or time.
            guard owner != nil, question == snapshots.question else { return }
            onEvent(.refused(error))
            await gate.wait(until: bus.loop.now + pause.next())
            return
        }
        guard question == snapshots.question, !isWidened else { return }
        snapshots.complete()
        pause = RetryPause()
        onEvent(.snapshot(generation: generation))
    }

    private func takeSnapshot() async throws(BusError) {
        let question = snapshots.question
        let options = MethodCall.Options(largestReply: 128 << 20, wants: interest.wants)
        snapshots.beginKeeping()
        defer { snapshots.endKeeping() }
        let all = try await bus.object(service, .root).call(
            ObjectManager.getManagedObjects, within: .seconds(20), options: options)
        guard let signals = snapshots.signals(behind: question) else { return }
        tree.replace(with: all.objects)
        for signal in signals { _ = tree.apply(signal) }
    }

    private func receive(_ event: ServiceEvent) {
        switch event {
        case .owner(let owner):
            guard owner != self.owner else { return }
            let had = self.owner != nil
            self.owner = owner
            pause = RetryPause()
            generation += 1
            snapshots.forget()
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
            if snapshots.isKnown { onEvent(.signal(signal)) }
            return
        }
        snapshots.keep(signal)
        let changes = tree.apply(signal)
        guard snapshots.isKnown else { return }
        for change in changes { onEvent(.change(change)) }
        if changes.contains(where: rules.dependOn), !rules.cover(tree) { refresh() }
    }
}
