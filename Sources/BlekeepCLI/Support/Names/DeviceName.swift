import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

/// A user's name for a device: an alias, an address, or adapter/address.
enum DeviceName {
    static func resolve(_ text: String, among known: [DeviceConfiguration]) throws(Failure) -> DeviceConfiguration {
        if let device = known.first(where: { $0.alias == text }) { return device }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let adapter = parts.count == 2 ? AdapterChoice(parts[0]) : nil
        guard let address = parts.last.flatMap({ BluetoothAddress($0) }), parts.count == 1 || adapter != nil else {
            let aliases = known.compactMap(\.alias)
            let hint =
                Spelling.closest(to: text, among: aliases).map { "; did you mean '\($0)'?" }
                ?? (aliases.isEmpty ? "" : "; configured are \(aliases.joined(separator: ", "))")
            throw Failure(
                .usage,
                "'\(Untrusted(text))' is neither an alias nor an address such as F0:00:00:00:00:01\(hint)")
        }
        var device = known.first { $0.address == address } ?? DeviceConfiguration(address: address)
        if let adapter { device.adapter = adapter }
        return device
    }
}
