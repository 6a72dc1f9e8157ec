import DBus
import RunLoop

/// One adapter as the keeper sees it.
struct AdapterState: Sendable {
    var facts: AdapterFacts
    var queue: RadioQueue
    /// Said of it: it has too little time for all its devices.
    var shortage: AirShortage?
}

/// The adapters that are there, in the order of their paths. They are few: looked through rather than hashed. What is
/// asked at every step is asked at its place, as to take one by its path copies all of it.
extension [AdapterState] {
    func place(of path: ObjectPath) -> Int? { indices.first { self[$0].facts.path == path } }

    var paths: [ObjectPath] { map(\.facts.path) }

    subscript(path: ObjectPath) -> AdapterState? {
        get { place(of: path).map { self[$0] } }
        set {
            switch (place(of: path), newValue) {
            case (let place?, let state?): self[place] = state
            case (let place?, nil): remove(at: place)
            case (nil, let state?): insert(state, at: firstIndex { path < $0.facts.path } ?? endIndex)
            case (nil, nil): break
            }
        }
    }
}
