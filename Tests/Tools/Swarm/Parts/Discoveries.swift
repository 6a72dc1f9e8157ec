import DBus

/// S1 no-overlap: at most one Connect is in progress on an adapter, and none while it discovers.
struct Discoveries: Sendable {
    private var adapters: Set<ObjectPath> = []

    /// - Parameter connecting: the device that connects through the adapter.
    /// - Returns: the violation of the discovery.
    mutating func begins(on adapter: ObjectPath, connecting: ObjectPath?) -> String? {
        adapters.insert(adapter)
        return connecting.map { "discovery begins while \($0) connects" }
    }

    /// - Parameter other: the device that already connects.
    /// - Returns: the violations of an attempt to connect.
    func flaws(connecting path: ObjectPath, through adapter: ObjectPath, beside other: ObjectPath?) -> [String] {
        var flaws = other.map { ["\(path) connects while \($0) does"] } ?? []
        if adapters.contains(adapter) { flaws.append("\(path) connects during discovery") }
        return flaws
    }

    mutating func over(on adapter: ObjectPath) { adapters.remove(adapter) }

    mutating func forget() { adapters = [] }
}
