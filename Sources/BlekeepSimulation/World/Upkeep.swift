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
        await withUnsafeContinuation { continuation in
            // Asked here and not before the await: what runs in between may add errands.
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
