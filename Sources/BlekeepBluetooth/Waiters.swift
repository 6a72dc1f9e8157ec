import RunLoop

/// The tasks that wait for a condition, and check it after each change. On the loop.
final class Waiters {
    private let loop: RunLoop
    private var gates: [ObjectIdentifier: Gate] = [:]

    init(on loop: RunLoop) {
        self.loop = loop
    }

    /// Makes all tasks check their conditions.
    func announce() { for gate in gates.values { gate.open() } }

    /// Waits until `condition` holds, or until the deadline, or until the task is cancelled.
    func wait(until deadline: Uptime, for condition: () -> Bool) async {
        let gate = Gate(loop)
        gates[ObjectIdentifier(gate)] = gate
        defer { gates[ObjectIdentifier(gate)] = nil }
        while !condition(), loop.now < deadline, !Task.isCancelled { await gate.wait(until: deadline) }
    }
}
