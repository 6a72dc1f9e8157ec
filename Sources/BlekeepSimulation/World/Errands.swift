import DBus

/// The queue of a world's pending work, which `World.run()` performs.
final class Errands: @unchecked Sendable {
    enum Errand {
        /// Watch whether this client leaves the bus.
        case watch(BusName)
        /// Start bluetoothd again.
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

    /// Returns the next errand; `nil` at the end.
    func next() async -> Errand? {
        await withUnsafeContinuation { continuation in
            // Check here, not before the await: other jobs may add errands in between.
            if isOver || !errands.isEmpty { continuation.resume() } else { waiting = continuation }
        }
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
