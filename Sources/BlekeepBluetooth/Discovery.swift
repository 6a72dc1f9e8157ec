import DBus

/// Discovery of Low Energy devices on one adapter.
package struct Discovery {
    private let adapter: RemoteObject

    package init(on bus: any Bus, _ adapter: ObjectPath) { self.adapter = bus.object(Bluez.service, at: adapter) }

    /// Starts discovery, without the keys of the filter that BlueZ refuses.
    ///
    /// - Parameters:
    ///   - repeating: whether BlueZ reports packets that repeat the previous one.
    ///   - refused: an earlier refusal. Its keys aren't tried again.
    ///   - check: called before each call to BlueZ; may throw to stop here.
    /// - Returns: the refused keys; `nil` when BlueZ took the whole filter.
    package func start(
        repeating: Bool = false, without refused: FilterRefusal? = nil, check: () throws(BusError) -> Void = {}
    ) async throws(BusError) -> FilterRefusal? {
        // Without a filter, BlueZ also searches for classic devices, which costs air time.
        var filter: Properties = ["Transport": Variant(Bluez.lowEnergy)]
        if repeating { filter["DuplicateData"] = Variant(true) }
        var refusal = refused
        for choice in Self.choices(filter.names, without: refused?.keys ?? []) {
            var chosen: Properties = [:]
            for key in choice { chosen[key] = filter[key] }
            do throws(BusError) {
                try check()
                _ = try await adapter.call(Adapter1.setDiscoveryFilter, chosen, within: .seconds(5))
                try check()
                _ = try await adapter.call(Adapter1.startDiscovery, within: .seconds(10))
            } catch {
                guard error.mayConcernFilter else { throw error }
                if choice.isEmpty { break }
                refusal = refusal ?? FilterRefusal(keys: [], error: error)
                continue
            }
            let keys = filter.names.filter { !choice.contains($0) }
            return keys.isEmpty ? nil : FilterRefusal(keys: keys, error: refusal?.error ?? .vanished)
        }
        // Nor does BlueZ take an empty filter: discovery may begin without one.
        try check()
        _ = try await adapter.call(Adapter1.startDiscovery, within: .seconds(10))
        return FilterRefusal(keys: filter.names, error: refusal?.error ?? .vanished)
    }

    /// All keys, then all but one, and last none.
    private static func choices(_ keys: [String], without refused: [String]) -> [[String]] {
        let others = keys.count > 1 ? keys.map { key in keys.filter { $0 != key } } : []
        return ([keys] + others + [[]]).filter { choice in !choice.contains(where: refused.contains) }
    }

    package func stop() async throws(BusError) {
        do throws(BusError) {
            _ = try await adapter.call(Adapter1.stopDiscovery, within: .seconds(5))
        } catch .remote(name: "org.bluez.Error.InProgress", _) {
            // BlueZ lost track of its own discovery. Starting it again repairs that.
            _ = try? await adapter.call(Adapter1.startDiscovery, within: .seconds(5))
            _ = try? await adapter.call(Adapter1.stopDiscovery, within: .seconds(5))
        }
    }
}

/// The keys of a discovery's filter that BlueZ refuses, and its error.
package struct FilterRefusal: Sendable, Hashable {
    package let keys: [String]
    package let error: BusError
}

extension BusError {
    /// Whether another filter may help.
    fileprivate var mayConcernFilter: Bool {
        guard case .remote = self else { return false }
        return switch Remedy(self) {
        case .retry, .unsupported, .point: true
        default: false
        }
    }
}
