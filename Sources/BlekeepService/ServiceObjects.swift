import Blekeep
import DBus

/// The exported objects: the poller, and each device. They answer queries, and turn changes into signals.
final class ServiceObjects {
    private(set) var all: [ExportedObject] = []
    private var gateway: GatewayView
    private var devices: [DeviceView]
    /// Called with each call of a method, its action, and its device; `nil` for all devices.
    var onCall: ((Invocation, Result<ServiceAction, ServiceAction.BadArguments>, [BluetoothAddress]) -> Void)?

    /// The most `Reading` signals of a commit. The history has all readings.
    static let mostSignals = 64

    init(_ configuration: Configuration, version: String) {
        gateway = GatewayView(version: version)
        devices = configuration.devices.map { DeviceView($0) }
        let keeper = ExportedInterface(Keeper1.self)
        keeper.serveAll { [unowned self] in gateway.properties }
        let all = configuration.devices.map(\.address)
        govern(keeper, (Keeper1.pollNow, Keeper1.pause, Keeper1.resume), all)
        self.all.append(ExportedObject(Keeper1.path, isManager: true, [keeper]))
        for view in devices { self.all.append(ExportedObject(view.path, [device(view.address)])) }
    }

    private func device(_ address: BluetoothAddress) -> ExportedInterface {
        let interface = ExportedInterface(KeptDevice1.self)
        interface.serveAll { [unowned self] in devices.first { $0.address == address }?.properties ?? [:] }
        govern(interface, (KeptDevice1.pollNow, KeptDevice1.pause, KeptDevice1.resume), [address])
        interface.handle(KeptDevice1.write) { [unowned self] call in
            self.call(call, [address]) { () throws(ServiceAction.BadArguments) in try .write(call.arguments) }
        }
        return interface
    }

    /// Handles the methods that the poller and each device have.
    private func govern(
        _ interface: ExportedInterface,
        _ methods: (poll: Method<Nothing>, pause: Method<Nothing, UInt64>, resume: Method<Nothing>),
        _ addresses: [BluetoothAddress]
    ) {
        interface.handle(methods.poll) { [unowned self] in self.onCall?($0, .success(.poll), addresses) }
        interface.handle(methods.resume) { [unowned self] in self.onCall?($0, .success(.resume), addresses) }
        interface.handle(methods.pause) { [unowned self] call in
            self.call(call, addresses) { () throws(ServiceAction.BadArguments) in
                try .pause(seconds: call.arguments.first.flatMap { UInt64($0) } ?? 0)
            }
        }
    }

    private func call(
        _ call: Invocation, _ addresses: [BluetoothAddress],
        _ action: () throws(ServiceAction.BadArguments) -> ServiceAction
    ) {
        do throws(ServiceAction.BadArguments) { onCall?(call, .success(try action()), addresses) } catch {
            onCall?(call, .failure(error), addresses)
        }
    }

    // MARK: Changes

    /// Takes what the history holds now, and returns the signals about it.
    func take(_ changes: LedgerChanges) -> [Signal] {
        var signals: [Signal] = []
        let before = gateway.properties
        if gateway.take(changes) {
            signals += Self.changed(at: Keeper1.path, Keeper1.name, from: before, to: gateway.properties)
        }
        for status in changes.statuses {
            guard let id = devices.firstIndex(where: { $0.address == status.address }) else { continue }
            let before = devices[id].properties
            guard devices[id].take(status) else { continue }
            signals += Self.changed(
                at: devices[id].path, KeptDevice1.name, from: before, to: devices[id].properties)
        }
        return signals
    }

    /// Takes new readings, and returns the signals about them.
    func take(_ readings: [LiveReading], wantsSignals: Bool) -> [Signal] {
        var signals: [Signal] = []
        for live in readings {
            guard let id = devices.firstIndex(where: { $0.address == live.reading.address }),
                let value = devices[id].take(live.reading), wantsSignals, signals.count < Self.mostSignals
            else { continue }
            signals.append(Signal(devices[id].path, KeptDevice1.name, KeptDevice1.reading.name, [value.value]))
        }
        return signals
    }

    private static func changed(
        at path: ObjectPath, _ interface: InterfaceName, from old: Properties, to new: Properties
    ) -> [Signal] {
        var changed: Properties = [:]
        for name in new.names where old[name] != new[name] { changed[name] = new[name] }
        let gone = old.names.filter { new[$0] == nil }
        guard !changed.isEmpty || !gone.isEmpty else { return [] }
        return [
            Signal(
                path, PropertiesInterface.name, PropertiesInterface.propertiesChanged.name,
                [.string(interface.text), changed.value, gone.value])
        ]
    }
}
