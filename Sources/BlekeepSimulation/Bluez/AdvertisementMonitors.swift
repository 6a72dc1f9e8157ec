import BlekeepRecords
import DBus
import RunLoop

/// The clients that scan passively with an adapter, as bluetoothd 5.66 supports it.
final class AdvertisementMonitors: @unchecked Sendable {
    let interface = ExportedInterface(AdvertisementMonitorManager1.self)
    private weak var adapter: AdapterObject?
    private var applications: [Application] = []
    /// The devices that a controller with monitors says are there, and when it says that they are gone.
    private var present: [ObjectPath: LoopTimer] = [:]
    /// The kernel's default for a monitor without limits of its own.
    private static let silence: Duration = .seconds(60)

    private struct Application {
        let client: BusName
        let path: ObjectPath
        /// The registration without a reply so far.
        var registration: Invocation?
        var monitors: [Monitor] = []
    }

    fileprivate struct Monitor {
        let path: ObjectPath
        let patterns: [AdvertisementPattern]
    }

    init(_ adapter: AdapterObject) {
        self.adapter = adapter
        interface.serve(AdvertisementMonitorManager1.supportedMonitorTypes) { ["or_patterns"] }
        // The kernel monitors when the controller doesn't support it.
        let features = adapter.radio.model.offloadsMonitors ? ["controller-patterns"] : []
        interface.serve(AdvertisementMonitorManager1.supportedFeatures) { features }
        interface.handle(AdvertisementMonitorManager1.registerMonitor) { [unowned self] in self.register($0) }
        interface.handle(AdvertisementMonitorManager1.unregisterMonitor) { [unowned self] call in
            call.answer { () throws(BluezFailure) in try self.unregister(call) }
        }
    }

    /// Whether any client listens.
    var isOn: Bool { adapter?.radio.isPowered == true && applications.contains { !$0.monitors.isEmpty } }

    // MARK: Clients

    private func register(_ call: Invocation) {
        guard let adapter, let path = ObjectPath(call.arguments[0]) else { return call.fail(.invalidArguments) }
        guard place(call.sender, path: path) == nil else { return call.fail(.alreadyExists) }
        applications.append(Application(client: call.sender, path: path, registration: call))
        adapter.bluez.watch(call.sender)
        let client = call.sender
        Task(executorPreference: adapter.bluez.loop) { [weak self] in await self?.look(at: path, of: client) }
    }

    /// Queries the client's monitors, as bluetoothd does before it replies.
    private func look(at path: ObjectPath, of client: BusName) async {
        guard let bluez = adapter?.bluez else { return }
        let objects = try? await bluez.bus.object(client, at: path).call(
            ObjectManager.getManagedObjects, within: .seconds(5))
        guard bluez.isRunning, let place = place(client, path: path) else { return }
        applications[place].registration?.reply()
        applications[place].registration = nil
        for (object, interfaces) in (objects?.objects ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let properties = interfaces[AdvertisementMonitor1.name.text] else { continue }
            add(Monitor(object, properties), at: object, to: place)
        }
        adapter?.discovery.monitorsChanged()
    }

    private func add(_ monitor: Monitor?, at path: ObjectPath, to place: Int) {
        guard let monitor else {
            return tell(applications[place].client, path: path, method: AdvertisementMonitor1.release)
        }
        applications[place].monitors.append(monitor)
        tell(applications[place].client, path: path, method: AdvertisementMonitor1.activate)
    }

    private func unregister(_ call: Invocation) throws(BluezFailure) {
        guard let path = ObjectPath(call.arguments[0]), let place = place(call.sender, path: path) else {
            throw .doesNotExist
        }
        let application = applications.remove(at: place)
        for monitor in application.monitors {
            tell(application.client, path: monitor.path, method: AdvertisementMonitor1.release)
        }
        adapter?.discovery.monitorsChanged()
    }

    func left(_ client: BusName) {
        applications.removeAll { $0.client == client }
        adapter?.discovery.monitorsChanged()
    }

    private func place(_ client: BusName, path: ObjectPath) -> Int? {
        applications.firstIndex { $0.client == client && $0.path == path }
    }

    private func tell(_ client: BusName, path: ObjectPath, method: Method<Nothing>) {
        adapter?.bluez.bus.send(
            MethodCall(client, at: path, interface: method.interface, member: method.name, within: .zero))
    }

    // MARK: Advertisements

    func wants(_ peripheral: SimulatedPeripheral) -> Bool {
        guard isOn, let adapter, adapter.radio.model.monitorsHear else { return false }
        let elements = peripheral.elements(at: adapter.bluez.loop.now.sinceStart)
        return applications.contains { $0.monitors.contains { $0.fits(elements) } }
    }

    func found(_ device: ObjectPath, peripheral: SimulatedPeripheral) {
        guard isOn, let adapter, !adapter.radio.model.offloadsMonitors || isNew(device, peripheral: peripheral) else {
            return
        }
        say(AdvertisementMonitor1.deviceFound, device, peripheral: peripheral)
    }

    private func isNew(_ device: ObjectPath, peripheral: SimulatedPeripheral) -> Bool {
        guard let bluez = adapter?.bluez else { return false }
        let known = present.removeValue(forKey: device)
        if let known { bluez.cancel(known) }
        present[device] = bluez.after(Self.silence) { [weak self] in
            self?.present[device] = nil
            self?.say(AdvertisementMonitor1.deviceLost, device, peripheral: peripheral)
        }
        return known == nil
    }

    private func say(_ method: Method<Nothing, ObjectPath>, _ device: ObjectPath, peripheral: SimulatedPeripheral) {
        guard let adapter else { return }
        let elements = peripheral.elements(at: adapter.bluez.loop.now.sinceStart)
        for application in applications {
            for monitor in application.monitors where monitor.fits(elements) {
                adapter.bluez.bus.send(
                    MethodCall(
                        application.client, at: monitor.path, interface: method.interface, member: method.name,
                        arguments: [device.value], within: .zero))
            }
        }
    }
}

extension AdvertisementMonitors.Monitor {
    /// Returns `nil` for a monitor that bluetoothd would release at once.
    fileprivate init?(_ path: ObjectPath, _ properties: Properties) {
        guard properties[AdvertisementMonitor1.type.name.text].flatMap({ String($0.content) }) == "or_patterns",
            let patterns = properties[AdvertisementMonitor1.patterns.name.text].flatMap({
                [AdvertisementPattern]($0.content)
            }), !patterns.isEmpty
        else { return nil }
        self.init(path: path, patterns: patterns)
    }

    fileprivate func fits(_ elements: [(UInt8, [UInt8])]) -> Bool {
        elements.contains { element, bytes in
            patterns.contains { $0.element == element && bytes.dropFirst(Int($0.start)).starts(with: $0.bytes) }
        }
    }
}

extension SimulatedPeripheral {
    /// The elements of its advertisement at a time. The name is in the scan response.
    fileprivate func elements(at time: Duration) -> [(UInt8, [UInt8])] {
        let broadcast = data(at: time)
        let services = advertised.compactMap(\.short).flatMap { bytes($0) }
        let makers = broadcast.manufacturerData.map { (UInt8(0xFF), bytes($0.key) + $0.value) }
        let data = broadcast.serviceData.compactMap { uuid, value in uuid.short.map { (UInt8(0x16), bytes($0) + value) }
        }
        return (sendsFlags ? [(0x01, [0x06])] : []) + [(0x03, services)] + makers + data
    }
}
