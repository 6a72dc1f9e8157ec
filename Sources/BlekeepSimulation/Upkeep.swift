import DBus

/// What a world has to wait for, in order; `World.run()` does it.
final class Upkeep: @unchecked Sendable {
    enum Errand {
        /// Hear of it when this client leaves the bus.
        case watch(BusName)
        /// Start bluetoothd, again.
        case start
    }

    private var errands: [Errand] = []
    private var waiting: UnsafeContinuation<Void, Never>?
    private var isOver = false

    func add(_ errand: Errand) {
        guard !isOver else { return }
        errands.append(errand)
        wake()
    }

    /// The next errand; `nil` at the end.
    func next() async -> Errand? {
        while !isOver, errands.isEmpty { await withUnsafeContinuation { waiting = $0 } }
        return isOver ? nil : errands.removeFirst()
    }

    func finish() {
        isOver = true
        errands = []
        wake()
    }

    private func wake() {
        waiting?.resume()
        waiting = nil
    }
}
