import BlekeepRecords
import DBus

/// The exported objects: the poller, and each device. They answer queries, and turn changes into signals.
final class ServiceObjects {
    private(set) var all: [ExportedObject] = []
    private var gateway: GatewayView
    private var devices: [DeviceView]
    /// The place of each device among them.
    private var places: [DeviceID: Int] = [:]
    /// Called with each call of a method, and its devices.
    var onCall: ((Invocation, ServiceMethod, [DeviceID]) -> Void)?

    /// The most `Reading` signals of a commit. The history has all readings.
    static let maxSignals = 64

    /// - Parameter place: the path of the configuration's file or folder; empty without one.
    init(_ configuration: PollConfiguration, from place: String = "", version: String) {
        gateway = GatewayView(version: version, name: configuration.gateway ?? "", configuration: place)
        devices = configuration.devices.map { DeviceView($0) }
        let poller = ExportedInterface(Poller1.self)
        poller.serveAll { [unowned self] in gateway.properties }
        for method in Poller1.methods {
            poller.handle(method.member) { [unowned self] in onCall?($0, method, devices.map(\.id)) }
        }
        all.append(ExportedObject(Poller1.path, isManager: true, [poller]))
        for view in devices { all.append(object(view)) }
        listPlaces()
    }

    private func listPlaces() { places = Dictionary(zip(devices.map(\.id), devices.indices)) { first, _ in first } }

    private func object(_ view: DeviceView) -> ExportedObject { ExportedObject(view.path, [device(view.id)]) }

    private func device(_ id: DeviceID) -> ExportedInterface {
        let interface = ExportedInterface(KeptDevice1.self)
        interface.serveAll { [unowned self] in places[id].map { devices[$0].properties } ?? [:] }
        for method in KeptDevice1.methods {
            interface.handle(method.member) { [unowned self] in onCall?($0, method, [id]) }
        }
        return interface
    }

    // MARK: Configurations

    /// Takes the devices of a new configuration, and the gateway's name.
    /// Returns the signals about them, the objects of the devices that joined, and the paths of those that left.
    func apply(
        _ new: [DeviceConfiguration], gateway name: String? = nil
    ) -> (signals: [Signal], joined: [ExportedObject], left: [ObjectPath]) {
        var signals: [Signal] = []
        var joined: [ExportedObject] = []
        if let name, name != gateway.name {
            let before = gateway.properties
            gateway.name = name
            signals += Self.changed(at: Poller1.path, Poller1.name, from: before, to: gateway.properties)
        }
        let left = devices.filter { old in !new.contains { $0.id == old.id } }
        for view in left {
            guard let index = all.firstIndex(where: { $0.path == view.path }) else { continue }
            let removed = all.remove(at: index).interfacesRemoved
            signals.append(
                Signal(
                    Poller1.path, interface: ObjectManager.name, member: ObjectManager.interfacesRemoved.name,
                    arguments: removed))
        }
        let known = devices
        devices = new.map { configuration in
            guard var view = known.first(where: { $0.id == configuration.id }) else {
                return DeviceView(configuration)
            }
            let before = view.properties
            view.apply(configuration)
            signals += Self.changed(at: view.path, KeptDevice1.name, from: before, to: view.properties)
            return view
        }
        listPlaces()
        for view in devices where !known.contains(where: { $0.id == view.id }) {
            let object = object(view)
            joined.append(object)
            signals.append(
                Signal(
                    Poller1.path, interface: ObjectManager.name, member: ObjectManager.interfacesAdded.name,
                    arguments: object.interfacesAdded))
        }
        all += joined
        return (signals, joined, left.map(\.path))
    }

    // MARK: Changes

    /// Takes what the history holds now, and returns the signals about it.
    func apply(_ changes: LedgerChanges) -> [Signal] {
        var signals: [Signal] = []
        let before = gateway.properties
        if gateway.apply(changes) {
            signals += Self.changed(at: Poller1.path, Poller1.name, from: before, to: gateway.properties)
        }
        for status in changes.statuses {
            guard let id = places[status.id] else { continue }
            let before = devices[id].properties
            guard devices[id].apply(status) else { continue }
            signals += Self.changed(at: devices[id].path, KeptDevice1.name, from: before, to: devices[id].properties)
        }
        return signals
    }

    /// Takes new readings, and returns the signals about them.
    func apply(_ readings: [LiveReading], wantsSignals: Bool) -> [Signal] {
        var signals: [Signal] = []
        for live in readings {
            guard let id = places[live.reading.id], let value = devices[id].apply(live.reading), wantsSignals,
                signals.count < Self.maxSignals
            else { continue }
            signals.append(
                Signal(
                    devices[id].path, interface: KeptDevice1.name, member: KeptDevice1.reading.name,
                    arguments: [value.value]))
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
                path, interface: PropertiesInterface.name, member: PropertiesInterface.propertiesChanged.name,
                arguments: [.string(interface.text), changed.value, gone.value])
        ]
    }
}
