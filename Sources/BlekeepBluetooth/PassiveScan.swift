import DBus
import RunLoop

/// A passive scan: BlueZ's advertisement monitors hear devices without sending requests to them. On the loop.
final class PassiveScan: @unchecked Sendable {
    private let application: ObjectPath
    /// A monitor for each pattern: bluetoothd 5.66 crashes on a monitor with several patterns.
    private let monitors: [(path: ObjectPath, pattern: AdvertisementPattern)]
    private let bus: any Bus
    private let adapter: ObjectPath
    private let found: (ObjectPath) -> Void
    private let ended: (BluetoothError) -> Void
    private var bluez: BusName?
    private var isRegistered = false
    private var released: Set<ObjectPath> = []

    /// - Parameters:
    ///   - number: distinguishes the scan from earlier scans, about which bluetoothd may still send calls.
    ///   - found: called with each device that BlueZ hears.
    ///   - ended: called when BlueZ stops listening.
    init(
        on bus: any Bus, at adapter: ObjectPath, number: Int, found: @escaping (ObjectPath) -> Void,
        ended: @escaping (BluetoothError) -> Void
    ) {
        self.bus = bus
        self.adapter = adapter
        self.found = found
        self.ended = ended
        let application = ObjectPath(unchecked: "/org/blekeep/monitor/\(number)")
        self.application = application
        monitors = Self.patterns.enumerated().map { index, pattern in
            (ObjectPath(unchecked: "\(application)/\(index)"), pattern)
        }
    }

    /// Starts to listen.
    ///
    /// - Throws: `unsupported` when bluetoothd has no such monitors.
    func start(in tree: ObjectTree) async throws(BluetoothError) {
        guard let types = tree[adapter, AdvertisementMonitorManager1.supportedMonitorTypes] else {
            throw BluetoothError(
                .unsupported,
                "this bluetoothd doesn't support passive scanning; many do when started with --experimental")
        }
        guard types.contains("or_patterns") else {
            throw BluetoothError(.unsupported, "this bluetoothd doesn't support monitors of the type or_patterns")
        }
        do throws(BusError) {
            try await bus.followOwner(of: Bluez.service) { [weak self] in self?.bluez = $0 }
            // Some versions search for monitors at the registered path, others at the root.
            for path in managers { bus.export(ExportedObject(path, isManager: true)) }
            for (path, pattern) in monitors { bus.export(ExportedObject(path, [makeInterface(pattern)])) }
            isRegistered = true
            _ = try await bus.object(Bluez.service, at: adapter).call(
                AdvertisementMonitorManager1.registerMonitor, application, within: .seconds(10))
        } catch {
            stop()
            throw BluetoothError(error, "passive scanning")
        }
    }

    func stop() {
        for (path, _) in monitors { bus.withdraw(path) }
        for path in managers { bus.withdraw(path) }
        guard isRegistered else { return }
        isRegistered = false
        bus.send(
            MethodCall(
                Bluez.service, at: adapter, interface: AdvertisementMonitorManager1.name,
                member: AdvertisementMonitorManager1.unregisterMonitor.name, arguments: [application.value],
                within: .zero))
    }

    private func makeInterface(_ pattern: AdvertisementPattern) -> ExportedInterface {
        let interface = ExportedInterface(AdvertisementMonitor1.self)
        interface.serve(AdvertisementMonitor1.type, is: "or_patterns")
        interface.serve(AdvertisementMonitor1.patterns, is: [pattern])
        interface.handle(AdvertisementMonitor1.activate) { [weak self] call in self?.handle(call) {} }
        interface.handle(AdvertisementMonitor1.deviceLost) { [weak self] call in self?.handle(call) {} }
        interface.handle(AdvertisementMonitor1.deviceFound) { [weak self] call in
            self?.handle(call) { if let path = ObjectPath(call.arguments[0]) { self?.found(path) } }
        }
        interface.handle(AdvertisementMonitor1.release) { [weak self] call in
            self?.handle(call) { self?.lose(call.path) }
        }
        return interface
    }

    private var managers: [ObjectPath] { [.root, application] }

    /// Ends the scan when BlueZ released all monitors. A controller may have room for only some of the patterns.
    private func lose(_ monitor: ObjectPath) {
        released.insert(monitor)
        guard released.count == monitors.count else { return }
        ended(BluetoothError(.unsupported, "BlueZ can't scan passively with this adapter"))
    }

    /// Refuses calls of other programs than bluetoothd.
    private func handle(_ call: Invocation, action: () -> Void) {
        guard call.sender == bluez else {
            return call.fail("org.freedesktop.DBus.Error.AccessDenied", message: "only bluetoothd may call this")
        }
        action()
        call.reply()
    }

    // MARK: Patterns

    /// The patterns of advertisements to listen for.
    ///
    /// BlueZ has no pattern that matches everything, and controllers accept at most 16. Nearly all connectable devices
    /// advertise one of these flags. The other patterns match beacons that blekeep can decode.
    static let patterns: [AdvertisementPattern] =
        [0x06, 0x04, 0x05, 0x02, 0x01, 0x00, 0x1A, 0x18].map { .init(element: Element.flags, [$0]) } + [
            .init(element: Element.serviceData, [0xD2, 0xFC]),  // BTHome
            .init(element: Element.serviceData, [0xAA, 0xFE]),  // Eddystone
            .init(element: Element.serviceData, [0x1A, 0x18]),  // ATC
            .init(element: Element.serviceData, [0x95, 0xFE]),  // MiBeacon
            .init(element: Element.serviceData, [0xCD, 0xFD]),  // Qingping
            .init(element: Element.serviceData, [0x3D, 0xFD]),  // SwitchBot
            .init(element: Element.manufacturerData, [0x99, 0x04]),  // Ruuvi
            .init(element: Element.manufacturerData, [0x4C, 0x00, 0x02, 0x15]),  // iBeacon
        ]

    private enum Element {
        static let flags: UInt8 = 0x01
        static let serviceData: UInt8 = 0x16
        static let manufacturerData: UInt8 = 0xFF
    }
}
