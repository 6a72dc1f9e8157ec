import RunLoop

/// Keeps an `ObjectTree` equal to a service's objects: first match rules, then a snapshot, then signals.
///
/// Each owner of the service's name is a new generation, and replaces all objects.
package final class ObjectMirror: @unchecked Sendable {
    // Touched on the loop's thread only, at every signal.
    package private(set) var tree: ObjectTree
    /// The number of owners so far.
    package private(set) var generation = 0

    private let bus: any Bus
    private let service: BusName
    private let interest: Interest
    private let onEvent: (Event) -> Void
    /// The connection that owns the service's name.
    package private(set) var owner: BusName?
    private let rules: MirrorRules
    private var snapshots = MirrorSnapshots()
    /// Open when there may be work.
    private let gate: Gate
    private var end: End?
    private var isOwnerInDoubt = false
    private var pause = RetryPause()

    private enum End {
        case stopped
        case lost
    }

    package enum Event: Sendable {
        /// A new snapshot replaced the tree.
        case snapshot(generation: Int)
        case change(ObjectTree.Change)
        /// The service has no owner: the tree is empty.
        case lost
        /// The service refused a snapshot. The mirror asks again after a pause.
        case refused(BusError)
        /// A signal of the service that isn't about its objects.
        case signal(Signal)
    }

    /// The objects and signals of interest.
    package struct Interest {
        /// Returns whether to keep an object. Called before it is decoded.
        package var wants: @Sendable (ObjectPath) -> Bool
        /// Returns the match rules. Called again when an object with the interface `rulesFollow` is added or removed; if
        /// `rulesFollow` is `nil`, for any object.
        package var rules: (ObjectTree) -> Set<SignalMatch>
        package var rulesFollow: InterfaceName?
        /// The interfaces with an index of their objects.
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

    package init(of service: BusName, on bus: any Bus, interest: Interest, onEvent: @escaping (Event) -> Void) {
        self.bus = bus
        self.service = service
        self.interest = interest
        self.onEvent = onEvent
        rules = MirrorRules(of: service, on: bus, interest: interest)
        gate = Gate(bus.loop)
        tree = ObjectTree(indexing: interest.indexed)
    }

    /// Mirrors until the connection is lost or `stop` is called. Throws the error that ended it; returns after `stop`.
    package func run() async throws(BusError) {
        try await bus.listen(service, for: [SignalMatch(path: .root, interface: ObjectManager.name)])
        try await bus.follow(service) { [weak self] in self?.receive($0) }
        if owner == nil { onEvent(.lost) }
        while end == nil {
            if isOwnerInDoubt { try await checkOwner() }
            if owner != nil, !snapshots.isCurrent { try await resync() }
            if end == nil, !isOwnerInDoubt, snapshots.isCurrent || owner == nil { await gate.wait() }
        }
        if end == .lost { throw .disconnected }
    }

    package func stop() { stop(.stopped) }

    /// Ends `run` with an error, because the connection was lost.
    package func lose() { stop(.lost) }

    private func stop(_ end: End) {
        if self.end != .lost { self.end = end }
        gate.open()
    }

    /// Whether there was a snapshot of the service's current owner.
    package var isKnown: Bool { snapshots.isKnown }

    /// Queries the service's owner and its objects again, because signals may have been missed.
    package func refresh() {
        isOwnerInDoubt = true
        snapshots.doubt()
        gate.open()
    }

    /// Removes an object that isn't of interest, without an event. A later signal about it adds it again.
    package func forget(_ path: ObjectPath) { tree.forget(path) }

    /// Adds the rules that `interest` needs now, without a new snapshot. Use it before a request that makes the service
    /// send these signals.
    package func updateRules() async throws(BusError) { _ = try await rules.adopt { tree } }

    private func checkOwner() async throws(BusError) {
        isOwnerInDoubt = false
        do throws(BusError) { try await bus.checkOwner(of: service) } catch .disconnected { throw .disconnected } catch
        {}
    }

    private func resync() async throws(BusError) {
        let question = snapshots.question
        var isWidened = false
        do throws(BusError) {
            _ = try await rules.adopt { tree }
            if question == snapshots.question { try await loadSnapshot() }
            if question == snapshots.question { isWidened = try await rules.adopt { tree } }
        } catch .disconnected {
            throw .disconnected
        } catch {
            // The service starts, hangs or refuses. Wait for an owner change, or for the next attempt.
            guard owner != nil, question == snapshots.question else { return }
            onEvent(.refused(error))
            await gate.wait(until: bus.loop.now + pause.next())
            return
        }
        guard question == snapshots.question, !isWidened else { return }
        snapshots.complete()
        pause.succeed()
        onEvent(.snapshot(generation: generation))
    }

    private func loadSnapshot() async throws(BusError) {
        let question = snapshots.question
        let options = MethodCall.Options(largestReply: 128 << 20, wants: interest.wants)
        snapshots.beginKeeping()
        defer { snapshots.endKeeping() }
        let all = try await bus.object(service, at: .root).call(
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
            pause.succeed()
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

/// The pauses between failing attempts, each twice as long as the one before.
package struct RetryPause {
    private var pause: Duration
    private let shortest: Duration
    private let longest: Duration

    package init(from shortest: Duration = .seconds(1), upTo longest: Duration = .seconds(40)) {
        (pause, self.shortest, self.longest) = (shortest, shortest, longest)
    }

    /// Takes that an attempt succeeded.
    package mutating func succeed() { pause = shortest }

    /// Returns the pause before the next attempt.
    package mutating func next() -> Duration {
        defer { pause = min(pause * 2, longest) }
        return pause
    }
}
