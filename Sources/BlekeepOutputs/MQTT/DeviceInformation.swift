import BlekeepRecords

/// The values of a device's service Device Information (0x180A).
struct DeviceInformation: Hashable, Sendable {
    var manufacturer: String?
    var model: String?
    var firmware: String?

    static let service = BluetoothUUID(0x180A)

    /// Takes in a reading.
    ///
    /// - Returns: whether it changed a value.
    mutating func apply(_ reading: Reading) -> Bool {
        guard reading.service == Self.service, case .value(let measurement, _) = reading.outcome,
            case .text(let text)? = measurement.value, let number = reading.characteristic?.short
        else { return false }
        let old = self
        let shown = Untrusted(text).description
        switch number {
        case 0x2A29: manufacturer = shown
        case 0x2A24: model = shown
        case 0x2A26: firmware = shown
        default: break
        }
        return self != old
    }
}
