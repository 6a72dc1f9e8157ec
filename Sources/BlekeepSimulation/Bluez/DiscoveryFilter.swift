import BlekeepRecords
import DBus

struct DiscoveryFilter {
    private var uuids: [BluetoothUUID] = []
    private var weakest: Int16?
    private var pattern: String?
    private var isClassicOnly = false
    /// Whether BlueZ also reports packets that repeat the previous one.
    private(set) var wantsDuplicates = false

    /// - Throws: `invalidArguments` for a key or a type that BlueZ doesn't know.
    init(_ options: Properties) throws(BluezFailure) {
        for key in options.names {
            guard let variant = options[key], set(key, value: variant.content) else { throw .invalidArguments }
        }
    }

    private mutating func set(_ key: String, value: Value) -> Bool {
        switch key {
        case "UUIDs":
            guard let texts = [String](value) else { return false }
            uuids = texts.compactMap { BluetoothUUID($0) }
            return uuids.count == texts.count
        case "RSSI":
            weakest = Int16(value)
            return weakest != nil
        case "Pattern":
            pattern = String(value)
            return pattern != nil
        case "Transport":
            let transport = String(value)
            isClassicOnly = transport == "bredr"
            return ["auto", "bredr", "le"].contains(transport)
        case "Pathloss": return UInt16(value) != nil
        case "Discoverable": return Bool(value) != nil
        case "DuplicateData":
            guard let flag = Bool(value) else { return false }
            wantsDuplicates = flag
            return true
        default: return false
        }
    }

    func accepts(_ peripheral: SimulatedPeripheral, strength: Int16) -> Bool {
        guard !isClassicOnly, strength >= weakest ?? .min else { return false }
        guard uuids.isEmpty || uuids.contains(where: peripheral.advertised.contains) else { return false }
        guard let pattern else { return true }
        return peripheral.name.hasPrefix(pattern) || peripheral.address.description.hasPrefix(pattern)
    }
}
