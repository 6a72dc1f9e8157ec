import DBus

/// A failure of Bluetooth work: a stable code for programs, and a sentence for users.
///
/// ```swift
/// do {
///     print(try await central.peripheral(address).withLink { try await $0.read(BluetoothUUID(0x2A19)) })
/// } catch let error as BluetoothError where error.code == .notFound {
///     print("out of range: \(error)")
/// }
/// ```
public struct BluetoothError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure.
    public enum Code: String, Sendable, CaseIterable {
        /// The message bus or bluetoothd isn't running, or doesn't reply.
        case noBluez = "no_bluez"
        /// The machine doesn't have the adapter.
        case noAdapter = "no_adapter"
        /// The adapter is off.
        case adapterOff = "adapter_off"
        /// blekeep didn't hear the device.
        case notFound = "not_found"
        /// The connection failed, or ended.
        case link
        /// The device lacks the characteristic, or the characteristic doesn't support the operation.
        case characteristic
        /// The device must be paired first.
        case pairing
        /// This bluetoothd, or the adapter, doesn't support the operation.
        case unsupported
        /// BlueZ or the device didn't reply in time.
        case timedOut = "timed_out"
    }

    /// The kind of the failure, for programs.
    public let code: Code
    /// A sentence for users.
    public let description: String

    init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }

    /// Converts an error of BlueZ.
    ///
    /// - Parameter what: the work that failed, such as `reading 2a19`.
    init(_ error: BusError, _ what: String) {
        guard Remedy(error) != .denied else {
            self = .denied
            return
        }
        let code: Code =
            switch (error, Remedy(error)) {
            case (.timedOut, _): .timedOut
            case (.unreachable, _), (.forbidden, _), (.disconnected, _), (_, .wait): .noBluez
            case (_, .pairing), (_, .rebond): .pairing
            case (_, .point), (_, .unsupported), (_, .stale): .characteristic
            default: .link
            }
        self.init(code, "\(what): \(ATTError(error)?.description ?? error.description)")
    }

    /// The message bus, or bluetoothd itself, refuses this user.
    package static let denied = BluetoothError(.noBluez, "no permission to use bluetoothd")
}
