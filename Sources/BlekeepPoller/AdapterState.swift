import DBus
import RunLoop

/// The keeper's state of an adapter.
struct AdapterState: Sendable {
    var facts: AdapterFacts
    var queue: RadioQueue
    var discovery = DiscoveryState()
    /// The reported lack of air time.
    var shortage: AirShortage?
}

/// What BlueZ refuses of the searches with an adapter.
struct DiscoveryState: Sendable, Hashable {
    /// The number of consecutive refusals.
    var refusals = 0
    /// The reported refusal of all searches.
    var failure: ReadingFailure?
    /// The refused part of their filter.
    var filter: FilterRefusal?
}

/// The adapters, sorted by path. A search is fast enough, because there are few. Frequent accesses use the index, because
/// access by path copies the state.
extension [AdapterState] {
    func index(for path: ObjectPath) -> Int? { indices.first { self[$0].facts.path == path } }

    var paths: [ObjectPath] { map(\.facts.path) }

    subscript(path: ObjectPath) -> AdapterState? {
        get { index(for: path).map { self[$0] } }
        set {
            switch (index(for: path), newValue) {
            case (let index?, let state?): self[index] = state
            case (let index?, nil): remove(at: index)
            case (nil, let state?): insert(state, at: firstIndex { path < $0.facts.path } ?? endIndex)
            case (nil, nil): break
            }
        }
    }
}
