import RunLoop

/// The tasks that wait until something is so, and look again whenever anything has changed. On the loop.
final class Waiters {
    private let loop: RunLoop
    private var gates: [ObjectIdentifier: Gate] = [:]

    init(on loop: RunLoop) {
        self.loop = loop
    }

    /// Lets every task that waits look again.
    func announce() { for gate in gates.values { gate.open() } }

    /// Waits until `condition` holds; not longer than until `deadline`, nor after its task was cancelled.
    func wait(until deadline: Uptime, for condition: () -> Bool) async {
        let gate = Gate(loop)
        gates[ObjectIdentifier(gate)] = gate
        defer { gates[ObjectIdentifier(gate)] = nil }
        while !condition(), loop.now < deadline, !Task.isCancelled { await gate.wait(until: deadline) }
    }
}
