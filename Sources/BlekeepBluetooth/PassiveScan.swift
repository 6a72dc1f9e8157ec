import DBus
import RunLoop

/// A passive scan: BlueZ's advertisement monitors hear devices without sending requests to them. On the loop.
final class PassiveScan: @unchecked Sendable {
    private let application: ObjectPath
    private let monitors: [(path: ObjectPath, patterns: [AdvertisementPattern])]
    private let bus: any Bus
    private let adapter: ObjectPath
    private let found: (ObjectPath) -> Void
    private let ended: (BluetoothError) -> Void
    private var bluez: BusName?
    private var isRegistered = false
    private var released: Set<ObjectPath> = []
    /// What a controller that listens by itself hears now; `nil` for another one. Of each device, it says that it is there, and
    /// that it is gone, and nothing in between while its data stay the same.
    private var present: Set<ObjectPath>?
    private var repetition: LoopTimer?

    /// The shortest interval of a device: it counts as heard so often while it is there.
    private static let repeating: Duration = .seconds(5)

    /// - Parameters:
    ///   - number: distinguishes the scan from earlier scans, about which bluetoothd may still send calls.
    ///   - patterns: those of which an advertisement must have one; at least one.
    ///   - found: called with each device that BlueZ hears.
    ///   - ended: called when BlueZ stops listening.
    init(
        on bus: any Bus, at adapter: ObjectPath, number: Int, for patterns: [AdvertisementPattern],
        found: @escaping (ObjectPath) -> Void, ended: @escaping (BluetoothError) -> Void
    ) {
        self.bus = bus
        self.adapter = adapter
        self.found = found
        self.ended = ended
        let application = ObjectPath(unchecked: "/org/blekeep/monitor/\(number)")
        self.application = application
        let starts = stride(from: 0, to: patterns.count, by: AdvertisementPattern.maxInMonitor)
        monitors = starts.map { start in
            let end = min(start + AdvertisementPattern.maxInMonitor, patterns.count)
            return (ObjectPath(unchecked: "\(application)/\(start)"), Array(patterns[start..<end]))
        }
    }

    /// Starts to listen. Throws `unsupported` when bluetoothd has no such monitors.
    func start(in tree: ObjectTree) async throws(BluetoothError) {
        guard let types = tree[adapter, AdvertisementMonitorManager1.supportedMonitorTypes] else {
            throw BluetoothError(
                .unsupported,
                "this bluetoothd doesn't support passive scanning; many do when started with --experimental")
        }
        guard types.contains("or_patterns") else {
            throw BluetoothError(.unsupported, "this bluetoothd doesn't support monitors of the type or_patterns")
        }
        if tree[adapter, AdvertisementMonitorManager1.supportedFeatures]?.contains("controller-patterns") == true {
            present = []
            repeatPresence()
        }
        do throws(BusError) {
            try await bus.followOwner(of: Bluez.service) { [weak self] in self?.bluez = $0 }
            bus.export(ExportedObject(application, isManager: true))
            for (path, patterns) in monitors { bus.export(ExportedObject(path, [makeInterface(patterns)])) }
            isRegistered = true
            _ = try await bus.object(Bluez.service, at: adapter).call(
                AdvertisementMonitorManager1.registerMonitor, application, within: .seconds(10))
        } catch {
            stop()
            throw BluetoothError(error, "passive scanning")
        }
    }

    func stop() {
        if let repetition { bus.loop.disarm(repetition) }
        present = nil
        for (path, _) in monitors { bus.withdraw(path) }
        bus.withdraw(application)
        guard isRegistered else { return }
        isRegistered = false
        bus.send(
            MethodCall(
                Bluez.service, at: adapter, interface: AdvertisementMonitorManager1.name,
                member: AdvertisementMonitorManager1.unregisterMonitor.name, arguments: [application.value],
                within: .zero))
    }

    private func makeInterface(_ patterns: [AdvertisementPattern]) -> ExportedInterface {
        let interface = ExportedInterface(AdvertisementMonitor1.self)
        interface.serve(AdvertisementMonitor1.type, is: "or_patterns")
        interface.serve(AdvertisementMonitor1.patterns, is: patterns)
        interface.handle(AdvertisementMonitor1.activate) { [weak self] call in self?.handle(call) {} }
        interface.handle(AdvertisementMonitor1.deviceLost) { [weak self] call in
            self?.handle(call) { if let path = ObjectPath(call.arguments[0]) { self?.present?.remove(path) } }
        }
        interface.handle(AdvertisementMonitor1.deviceFound) { [weak self] call in
            self?.handle(call) { if let path = ObjectPath(call.arguments[0]) { self?.hear(path) } }
        }
        interface.handle(AdvertisementMonitor1.release) { [weak self] call in
            self?.handle(call) { self?.lose(call.path) }
        }
        return interface
    }

    private func hear(_ path: ObjectPath) {
        if let count = present?.count, count < Self.mostPresent { present?.insert(path) }
        found(path)
    }

    /// More devices than any controller has room for.
    private static let mostPresent = 4096

    private func repeatPresence() {
        repetition = bus.loop.schedule(at: bus.loop.now + Self.repeating) { [weak self] in
            guard let self, let present else { return }
            for path in present.sorted() { found(path) }
            repeatPresence()
        }
    }

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
}

extension AdvertisementPattern {
    /// The most patterns of a monitor. bluetoothd reserves too little memory for more (5.56 to 5.87): with 8, it damages its
    /// memory, with 16 it crashes.
    static let maxInMonitor = 7
    /// The kernel takes so many.
    static let maxMonitors = 32

    private enum Element {
        static let flags: UInt8 = 0x01
        static let shortName: UInt8 = 0x08
        static let name: UInt8 = 0x09
        static let serviceData: UInt8 = 0x16
        static let manufacturerData: UInt8 = 0xFF
    }

    /// What nearly all devices advertise that can be connected, and most sensors.
    private static let flags = [0x06, 0x04, 0x05, 0x02, 0x1A].map { AdvertisementPattern(element: Element.flags, [$0]) }

    /// The patterns to hear devices: BlueZ has none that matches everything.
    ///
    /// - Parameters:
    ///   - formats: what they advertise.
    ///   - areAllKnown: whether that is all; otherwise, any device may matter.
    package static func all(of formats: some Sequence<BroadcastFormat>, areAllKnown: Bool) -> [AdvertisementPattern] {
        var patterns = areAllKnown ? [] : flags
        for format in formats {
            let (sources, names) = format.marks
            // Values in place of the company's number: nearly any number may come.
            let data = format.companyIsValue ? [] : Self.patterns(of: sources)
            let named = format.companyIsValue ? names : []
            patterns += data.sorted { ($0.element, String(hex: $0.bytes)) < ($1.element, String(hex: $1.bytes)) }
            patterns += named.flatMap { name in
                [Element.name, Element.shortName].map { AdvertisementPattern(element: $0, Array(name.utf8.prefix(29))) }
            }
        }
        var known: Set<AdvertisementPattern> = []
        return Array(patterns.filter { known.insert($0).inserted }.prefix(maxInMonitor * maxMonitors))
    }

    /// Where a format has all companies that share a byte, the pattern is that byte.
    private static func patterns(of sources: Set<AdvertisedData.Source>) -> [AdvertisementPattern] {
        let companies = sources.compactMap { if case .company(let number) = $0 { number } else { nil } }
        let firsts = Dictionary(grouping: companies) { $0 & 0xFF }.filter { $1.count == 256 }
        let seconds = Dictionary(grouping: companies) { $0 >> 8 }.filter { $1.count == 256 }
        return sources.compactMap { source in
            switch source {
            case .company(let number):
                let bytes = bytes(number)
                if firsts[number & 0xFF] != nil { return .init(element: Element.manufacturerData, [bytes[0]]) }
                if seconds[number >> 8] != nil { return .init(start: 1, element: Element.manufacturerData, [bytes[1]]) }
                return .init(element: Element.manufacturerData, bytes)
            case .service(let uuid): return uuid.short.map { .init(element: Element.serviceData, bytes($0)) }
            }
        }
    }

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)] }
}
