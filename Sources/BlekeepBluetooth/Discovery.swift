import DBus

/// Discovery of Low Energy devices on one adapter.
struct Discovery {
    private let adapter: RemoteObject

    init(on bus: any Bus, _ adapter: ObjectPath) {
        self.adapter = bus.object(Bluez.service, adapter)
    }

    /// - Parameters:
    ///   - repeating: whether packets that say the same as the one before are of interest.
    ///   - check: called before each call; what it throws is thrown on.
    func start(repeating: Bool = false, check: () throws(BusError) -> Void = {}) async throws(BusError) {
        // Without a filter BlueZ also looks for classic devices, which takes the air from ours.
        var filter: Properties = ["Transport": Variant(Bluez.lowEnergy)]
        if repeating { filter["DuplicateData"] = Variant(true) }
        try check()
        _ = try await adapter.call(Adapter1.setDiscoveryFilter, filter, within: .seconds(5))
        try check()
        _ = try await adapter.call(Adapter1.startDiscovery, within: .seconds(10))
    }

    func stop() async throws(BusError) {
        do throws(BusError) {
            _ = try await adapter.call(Adapter1.stopDiscovery, within: .seconds(5))
        } catch .remote(name: "org.bluez.Error.InProgress", _) {
            // BlueZ's own idea of who discovers is wrong: starting once more puts it right.
            _ = try? await adapter.call(Adapter1.startDiscovery, within: .seconds(5))
            _ = try? await adapter.call(Adapter1.stopDiscovery, within: .seconds(5))
        }
    }
}
