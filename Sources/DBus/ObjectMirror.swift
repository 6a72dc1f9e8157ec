import RunLoop

/// Keeps an `ObjectTree` true to a service: matches first, one snapshot second, signals from then on.
///
/// Each owner of the service's name is a new generation: what was known of the one before is forgotten.
package final class ObjectMirror: @unchecked Sendable {
    package private(set) var tree = ObjectTree()
    /// Counts the owners that were mirrored so far; whatever is older is void.
    package private(set) var generation = 0

    private let bus: any Bus
    private let service: BusName
    private let interest: Interest
    private let onEvent: (Event) -> Void
    private var owner: BusName?
    private var rules: Set<SignalMatch> = []
    private var isCurrent = false
    /// Counts the reasons for a new snapshot: a snapshot counts only if there was none since it was asked for.
    private var doubts = 0
    /// Signals that came since a snapshot was asked for; `nil` when none is awaited, or they were too many to keep.
    private var backlog: [Signal]?
    private var wake: UnsafeContinuation<Void, Never>?
    private var isDue = false
    private var isStopped = false
    private var isLost = false

    package enum Event: Sendable {
        /// The tree is complete, anew or again.
        case snapshot(generation: Int)
        case change(ObjectTree.Change)
        /// The service has no owner: the tree is empty.
        case lost
    }

    /// What of the service's objects is of interest.
    package struct Interest {
        /// The objects to keep; asked with the path before anything of an object is decoded.
        package var wants: @Sendable (ObjectPath) -> Bool
        /// The rules to have in force, given what is known; asked again whenever an object came or went.
        package var rules: (ObjectTree) -> Set<SignalMatch>

        package init(
            wants: @escaping @Sendable (ObjectPath) -> Bool, rules: @escaping (ObjectTree) -> Set<SignalMatch>
        ) {
            self.wants = wants
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
    }

    /// Mirrors until the connection is lost or `stop` is called.
    ///
    /// - Throws: the error that ended it; returns after `stop`.
    package func run() async throws(BusError) {
        try await bus.listen(service, for: [SignalMatch(path: .root, interface: ObjectManager.name)])
        try await bus.follow(service) { [weak self] in self?.receive($0) }
        while !isStopped {
            if owner != nil, !isCurrent { try await resync() }
            if isCurrent || owner == nil { await nextDue() }
            isDue = false
        }
        if isLost { throw .disconnected }
    }

    package func stop() {
        isStopped = true
        arouse()
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
        arouse()
    }

    /// Forgets an object, without an event: of what is not of interest any more. It comes back when it is told anew.
    package func forget(_ path: ObjectPath) { tree.forget(path) }

    /// Widens the rules by what `interest` wants now, without a new snapshot: for signals that come only after
    /// something that we are about to ask for.
    package func updateRules() async throws(BusError) { _ = try await adoptRules() }

    private func resync() async throws(BusError) {
        _ = try await adoptRules()
        let asked = doubts
        do throws(BusError) {
            try await takeSnapshot()
        } catch .disconnected {
            throw .disconnected
        } catch {
            // A daemon that starts or hangs: its owner change wakes us, or the next second.
            guard owner != nil, asked == doubts else { return }
            try? await bus.loop.sleep(until: bus.loop.now + .seconds(1))
            return
        }
        guard asked == doubts else { return }
        if try await adoptRules() { return }
        guard asked == doubts else { return }
        isCurrent = true
        onEvent(.snapshot(generation: generation))
    }

    /// Signals may arrive behind the answer, but before this task gets to look at it: they are kept until then and
    /// applied to the snapshot. To apply those again that came before it does no harm: the last word is the same.
    private func takeSnapshot() async throws(BusError) {
        let asked = doubts
        let options = MethodCall.Options(largestReply: 128 << 20, wants: interest.wants)
        backlog = []
        defer { backlog = nil }
        let objects = try await bus.object(service, .root).call(
            ObjectManager.getManagedObjects, within: .seconds(20), options: options)
        guard asked == doubts else { return }
        guard let backlog else {
            doubts += 1
            return
        }
        tree.replace(with: objects)
        for signal in backlog { _ = tree.apply(signal) }
    }

    /// Whether rules were added: then something may have been missed before.
    private func adoptRules() async throws(BusError) -> Bool {
        let wanted = interest.rules(tree)
        let new = wanted.subtracting(rules)
        let old = rules.subtracting(wanted)
        rules = wanted
        bus.ignore(service, Array(old))
        if !new.isEmpty { try await bus.listen(service, for: Array(new)) }
        return !new.isEmpty
    }

    private func receive(_ event: ServiceEvent) {
        switch event {
        case .owner(let owner):
            guard owner != self.owner else { return }
            let had = self.owner != nil
            self.owner = owner
            generation += 1
            isCurrent = false
            doubts += 1
            tree.replace(with: [:])
            if had { onEvent(.lost) }
            arouse()
        case .signal(let signal): receive(signal)
        }
    }

    private func receive(_ signal: Signal) {
        if signal.interface == ObjectManager.name {
            guard let path = signal.arguments.first.flatMap({ ObjectPath($0) }), interest.wants(path) else { return }
        }
        keep(signal)
        let changes = tree.apply(signal)
        guard isCurrent else { return }
        for change in changes { onEvent(.change(change)) }
        if signal.interface == ObjectManager.name, !changes.isEmpty, !interest.rules(tree).isSubset(of: rules) {
            refresh()
        }
    }

    private func keep(_ signal: Signal) {
        guard let count = backlog?.count else { return }
        if count < 10_000 { backlog?.append(signal) } else { backlog = nil }
    }

    /// Waits until there may be something to do. Whether it is due already is asked only when nothing else can run
    /// any more before we wait.
    private func nextDue() async {
        await withUnsafeContinuation { continuation in
            if isDue || isStopped { continuation.resume() } else { wake = continuation }
        }
    }

    private func arouse() {
        isDue = true
        wake?.resume()
        wake = nil
    }
}
