import DBus

/// The connection to a device in BlueZ, which `Link` and the poller use. Its calls throw BlueZ's errors. It runs on the
/// loop.
package struct LinkCore {
    package let core: CentralCore
    package let device: ObjectPath
    private let mirror: ObjectMirror

    package init(_ core: CentralCore, _ device: ObjectPath) {
        self.core = core
        self.device = device
        mirror = core.mirror
    }

    // MARK: State

    package var isUp: Bool { mirror.tree[device, Device1.connected] == true }
    package var isPaired: Bool { mirror.tree[device, Device1.paired] ?? false }
    var address: BluetoothAddress? { mirror.tree[device, Device1.address].flatMap { BluetoothAddress($0) } }
    /// Whether BlueZ itself reads the battery level.
    package var hasBattery: Bool { mirror.tree.has(Battery1.name, at: device) }
    /// The battery level in percent that BlueZ itself read.
    package var battery: UInt8? {
        isUp ? mirror.tree[device, Battery1.percentage].flatMap { $0 <= 100 ? $0 : nil } : nil
    }
    /// Whether BlueZ knows services of the device that only classic Bluetooth has: their assigned numbers end before 0x1800.
    package var hasClassicServices: Bool {
        (mirror.tree[device, Device1.uuids] ?? []).contains { text in
            BluetoothUUID(text)?.short.map { (0x1000..<0x1800).contains($0) } ?? false
        }
    }
    package var tree: GattTree { GattTree(of: device, in: mirror.tree) }

    /// Queries BlueZ's objects again, because some may be missing.
    package func refresh() { mirror.refresh() }

    // MARK: Values

    /// Returns the call that reads a characteristic. It may be sent more than once.
    package func reading(_ characteristic: ObjectPath, within: Duration = CallTiming.read) -> TypedCall<[UInt8]> {
        core.bus.object(Bluez.service, at: characteristic).prepare(GattCharacteristic1.readValue, [:], within: within)
    }

    package nonisolated(nonsending) func read(_ call: TypedCall<[UInt8]>) async throws(BusError) -> [UInt8] {
        try await core.bus.call(call)
    }

    /// Queries the ATT MTU. BlueZ has it at each characteristic, and only while the device is connected.
    func mtu(at characteristic: ObjectPath) async throws(BusError) -> UInt16 {
        try await core.bus.object(Bluez.service, at: characteristic).get(
            GattCharacteristic1.mtu, within: CallTiming.read)
    }

    package func read(descriptor: ObjectPath, within: Duration = CallTiming.read) async throws(BusError) -> [UInt8] {
        try await core.bus.object(Bluez.service, at: descriptor).call(GattDescriptor1.readValue, [:], within: within)
    }

    /// - Parameter withResponse: whether to wait until the device confirms the value.
    package func write(
        _ bytes: [UInt8], to characteristic: ObjectPath, withResponse: Bool, within: Duration = CallTiming.read
    ) async throws(BusError) {
        let options: Properties = ["type": Variant(withResponse ? "request" : "command")]
        _ = try await core.bus.object(Bluez.service, at: characteristic).call(
            GattCharacteristic1.writeValue, bytes, options, within: within)
    }

    // MARK: Notifications

    /// Asks the message bus for the signals of all subscriptions.
    package func adoptRules() async throws(BusError) { try await mirror.updateRules() }

    package func startNotify(_ characteristic: ObjectPath, within: Duration = CallTiming.read) async throws(BusError) {
        _ = try await core.bus.object(Bluez.service, at: characteristic).call(
            GattCharacteristic1.startNotify, within: within)
    }

    /// Ends a subscription without waiting for the reply.
    func stopNotify(_ characteristic: ObjectPath) {
        core.bus.send(
            MethodCall(
                Bluez.service, at: characteristic, interface: GattCharacteristic1.name,
                member: GattCharacteristic1.stopNotify.name,
                within: .zero))
    }
}
