import DBus

/// Discovery of Low Energy devices on one adapter.
struct Discovery {
    private let adapter: RemoteObject

    init(on bus: any Bus, _ adapter: ObjectPath) {
        self.adapter = bus.object(Bluez.service, adapter)
    }

    /// Starts discovery.
    ///
    /// - Parameters:
    ///   - repeating: whether BlueZ reports packets that repeat the previous one.
    ///   - check: called before each call to BlueZ; may throw to stop here.
    func start(repeating: Bool = false, check: () throws(BusError) -> Void = {}) async throws(BusError) {
        // Without a filter, BlueZ also searches for classic devices, which costs air time.
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
            // BlueZ lost track of its own discovery. Starting it again repairs that.
            _ = try? await adapter.call(Adapter1.startDiscovery, within: .seconds(5))
            _ = try? await adapter.call(Adapter1.stopDiscovery, within: .seconds(5))
        }
    }
}
