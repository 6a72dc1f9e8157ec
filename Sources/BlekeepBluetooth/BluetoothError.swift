import DBus

/// Why something could not be done with a device: a stable code for programs, a sentence for people.
public struct BluetoothError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// There is no message bus, or no bluetoothd on it.
        case noBluez
        case noAdapter
        case adapterOff
        /// The device was not heard.
        case notFound
        /// No link could be made, or it was lost.
        case link
        /// The device has no such characteristic, or it cannot do this.
        case characteristic
        /// The characteristic wants the device to be paired.
        case pairing
        /// This bluetoothd, or the adapter, cannot do it.
        case unsupported
        /// No answer in time.
        case timedOut
    }

    public let code: Code
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// What an answer of BlueZ means to somebody who wanted `what`.
    init(_ error: BusError, _ what: String) {
        let code: Code =
            switch (error, Remedy(error)) {
            case (.timedOut, _): .timedOut
            case (.unreachable, _), (.disconnected, _), (_, .wait): .noBluez
            case (_, .pairing), (_, .rebond): .pairing
            case (_, .point), (_, .unsupported), (_, .stale): .characteristic
            default: .link
            }
        self.init(code, "\(what): \(error)")
    }
}
