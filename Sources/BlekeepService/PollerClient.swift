import BlekeepRecords
import DBus

/// A client of the running poller's service, for commands.
package struct PollerClient: Sendable {
    private let bus: any Bus

    package struct Device: Sendable, Hashable {
        package let path: ObjectPath
        package let id: DeviceID?
        package let alias: String
        package let address: String
        package let isPaused: Bool
        /// The newest value of each field.
        package let values: [Reading]
        package let tags: [String]
    }

    /// A poller waits up to 60 s for a device.
    private static let patience: Duration = .seconds(90)

    /// Devices are connected one after another.
    private static func patience(with devices: [Device]) -> Duration { patience + .seconds(5) * devices.count }

    package init(on bus: any Bus) { self.bus = bus }

    /// Returns the devices of the poller, by name.
    package func devices() async throws(BusError) -> [Device] {
        let managed = try await bus.object(Poller1.service, at: Poller1.path).call(
            ObjectManager.getManagedObjects, within: .seconds(25))
        let devices = managed.objects.compactMap { path, object -> Device? in
            guard let properties = object[KeptDevice1.name.text], let alias = properties[KeptDevice1.alias],
                let address = properties[KeptDevice1.address]
            else { return nil }
            let id = KeptDevice1.device(at: path)
            let values = BluetoothAddress(address).map { known in
                (properties[KeptDevice1.values] ?? []).compactMap {
                    Reading(kept: $0, id: id, device: alias, address: known)
                }
            }
            return Device(
                path: path, id: id, alias: alias, address: address, isPaused: properties[KeptDevice1.paused] ?? false,
                values: values ?? [], tags: properties[KeptDevice1.tags] ?? [])
        }
        return devices.sorted { ($0.alias, $0.address) < ($1.alias, $1.address) }
    }

    /// Returns the path of the poller's configuration: of its file or folder; empty without one.
    package func configuration() async throws(BusError) -> String {
        try await bus.object(Poller1.service, at: Poller1.path).get(Poller1.configuration, within: .seconds(25))
    }

    /// Makes the poller read its configuration again.
    package func reload() async throws(BusError) {
        _ = try await bus.object(Poller1.service, at: Poller1.path).call(Poller1.reload, within: Self.patience)
    }

    /// Calls a method of many devices, such as `PollNow`, and returns the failures.
    package func call(
        _ method: Method<Poller1.Failures, [ObjectPath]>, of devices: [Device]
    ) async throws(BusError) -> Poller1.Failures {
        try await bus.object(Poller1.service, at: Poller1.path).call(
            method, devices.map(\.path), within: Self.patience(with: devices))
    }

    package func call<Argument: WireType>(
        _ method: Method<Poller1.Failures, [ObjectPath], Argument>, of devices: [Device], _ argument: Argument
    ) async throws(BusError) -> Poller1.Failures {
        try await bus.object(Poller1.service, at: Poller1.path).call(
            method, devices.map(\.path), argument, within: Self.patience(with: devices))
    }
}
