import DBus

/// The connection to a device, as BlueZ shows it: what stands behind a `Link`, and what the keeper polls. Its calls throw
/// what BlueZ answers. On the loop.
package struct LinkCore {
    package let core: CentralCore
    package let device: ObjectPath
    private let mirror: ObjectMirror

    package init(_ core: CentralCore, _ device: ObjectPath) {
        self.core = core
        self.device = device
        mirror = core.mirror
    }

    // MARK: What BlueZ says

    package var isUp: Bool { mirror.tree[device, Device1.connected] == true }
    package var isPaired: Bool { mirror.tree[device, Device1.paired] ?? false }
    var address: BluetoothAddress? { mirror.tree[device, Device1.address].flatMap { BluetoothAddress($0) } }
    /// Whether BlueZ itself reads the battery.
    package var hasBattery: Bool { mirror.tree.has(Battery1.name, at: device) }
    /// What BlueZ itself has read of the battery, in percent.
    package var battery: UInt8? {
        isUp ? mirror.tree[device, Battery1.percentage].flatMap { $0 <= 100 ? $0 : nil } : nil
    }
    /// The device's characteristics.
    package var tree: GattTree { GattTree(of: device, in: mirror.tree) }

    /// What BlueZ has is to be asked again: something may be missing.
    package func refresh() { mirror.refresh() }

    // MARK: Values

    /// The call that reads a characteristic; it may be sent more than once.
    package func reading(_ characteristic: ObjectPath, within: Duration = CallTiming.read) -> TypedCall<[UInt8]> {
        core.bus.object(Bluez.service, characteristic).prepare(GattCharacteristic1.readValue, [:], within: within)
    }

    package nonisolated(nonsending) func read(_ call: TypedCall<[UInt8]>) async throws(BusError) -> [UInt8] {
        try await core.bus.call(call)
    }

    package func read(descriptor: ObjectPath, within: Duration = CallTiming.read) async throws(BusError) -> [UInt8] {
        try await core.bus.object(Bluez.service, descriptor).call(GattDescriptor1.readValue, [:], within: within)
    }

    /// - Parameter withResponse: whether the device has taken the value when this returns.
    func write(_ bytes: [UInt8], to characteristic: ObjectPath, withResponse: Bool) async throws(BusError) {
        let options: Properties = ["type": Variant(withResponse ? "request" : "command")]
        _ = try await core.bus.object(Bluez.service, characteristic).call(
            GattCharacteristic1.writeValue, bytes, options, within: CallTiming.read)
    }

    // MARK: Notifications

    /// Has the message bus let through what the listeners of this client want.
    package func adoptRules() async throws(BusError) { try await mirror.updateRules() }

    package func startNotify(_ characteristic: ObjectPath) async throws(BusError) {
        _ = try await core.bus.object(Bluez.service, characteristic).call(
            GattCharacteristic1.startNotify, within: CallTiming.read)
    }

    /// Sent, not waited for.
    func stopNotify(_ characteristic: ObjectPath) {
        core.bus.send(
            MethodCall(
                Bluez.service, characteristic, GattCharacteristic1.name, GattCharacteristic1.stopNotify.name,
                within: .zero))
    }

    /// - Returns: a socket with one value a packet, and the ATT MTU.
    func acquireNotify(_ characteristic: ObjectPath) async throws(BusError) -> Pair<FileHandle, UInt16> {
        try await core.bus.object(Bluez.service, characteristic).call(
            GattCharacteristic1.acquireNotify, [:], within: CallTiming.read)
    }
}
