import BlekeepRecords

/// The values of a device's service Device Information (0x180A), and the maker of a device that only advertises.
struct DeviceInformation: Hashable, Sendable {
    var manufacturer: String?
    var model: String?
    var firmware: String?
    /// The maker that the format of its advertisements tells.
    var maker: BroadcastMaker?

    static let service = BluetoothUUID(0x180A)

    /// Takes in a reading. Returns whether it changed a value.
    mutating func apply(_ reading: Reading) -> Bool {
        if reading.characteristic == nil, reading.recipe == nil, maker?.model == nil {
            guard case .value(_, let packet) = reading.outcome,
                let found = BroadcastMaker(formatNamed: reading.name, packet: packet, service: reading.service),
                found != maker
            else { return false }
            // A packet of another kind may tell the model, but not forget the maker.
            maker = maker != nil && found.model == nil ? maker : found
            return maker == found
        }
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
