import Blekeep
import Glibc

/// The devices that a scan shows.
struct ScanFilter: Sendable {
    /// A device needs one of these services; empty for all devices.
    var services: [BluetoothUUID] = []
    /// A pattern with `*`, `?` and `[…]` for the name.
    var name: String?
    /// The weakest signal in dBm.
    var rssi: Int?

    func admits(_ heard: Advertisement) -> Bool {
        if let rssi, heard.rssi ?? .min < rssi { return false }
        if !services.isEmpty, !services.contains(where: { heard.services.contains($0) || heard.serviceData[$0] != nil })
        {
            return false
        }
        guard let name else { return true }
        return heard.name.map { fnmatch(name, $0, 0) == 0 } ?? false
    }
}
