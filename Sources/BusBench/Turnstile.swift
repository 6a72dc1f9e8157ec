import Synchronization

/// A limit for concurrent tasks. Others wait in the order in which they came.
final class Turnstile: Sendable {
    private struct State {
        var free: Int
        var waiting: [UnsafeContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(atOnce count: Int) {
        state = Mutex(State(free: count))
    }

    func enter() async {
        await withUnsafeContinuation { continuation in
            let mayEnter = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if mayEnter { continuation.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
