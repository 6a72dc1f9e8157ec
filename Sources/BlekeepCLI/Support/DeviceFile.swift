import Blekeep
import BlekeepOutputs

/// A configuration file for one device, made from what the device has to offer.
struct DeviceFile: Sendable {
    private(set) var text: String

    init(of device: DeviceConfiguration, on link: Link, layouts: [OwnLayout]) async {
        text = "# Written by 'blekeep add' after a look at the device; yours to change.\ndevices:\n"
        text += "  - address: \(device.address)\n"
        if let alias = device.alias { text += "    alias: \(YAMLString.quoted(alias))\n" }
        if let adapter = device.adapter { text += "    adapter: \(adapter)\n" }
        var chosen: [String] = []
        /// Those of unknown form, and those that cannot be polled.
        var others: [(line: String, isPollable: Bool)] = []
        let all = await link.characteristics
        var listed: Set<[BluetoothUUID]> = []
        for characteristic in all where characteristic.service != BluetoothUUID(0x1801) {
            // The same one twice in a service is one line: the configuration reads all of them.
            guard listed.insert([characteristic.service, characteristic.uuid]).inserted else { continue }
            let isElsewhere = all.contains { $0.uuid == characteristic.uuid && $0.service != characteristic.service }
            let reader = await CharacteristicReader(characteristic, of: device, on: link, layouts: layouts)
            var parts = ["uuid: \(characteristic.uuid)"]
            if isElsewhere { parts.append("service: \(characteristic.service)") }
            let isReadable = characteristic.flags.contains("read")
            let notifies = !characteristic.flags.isDisjoint(with: ["notify", "indicate"])
            if !isReadable, notifies { parts.append("notify: true") }
            // What the device is does not change from tick to tick.
            if isReadable, characteristic.service == BluetoothUUID(0x180A) { parts.append("interval: 24h") }
            let entry = parts.count == 1 ? "\(characteristic.uuid)" : "{\(parts.joined(separator: ", "))}"
            let comment = await Self.comment(reader, on: link)
            if reader.form.isKnown, isReadable || notifies {
                chosen.append("      - \(entry)\(comment)\n")
            } else {
                others.append(("- \(entry)\(comment)\n", isReadable || notifies))
            }
        }
        if chosen.isEmpty {
            // Octets are better than nothing.
            chosen = others.filter(\.isPollable).map { "      \($0.line)" }
            others.removeAll(where: \.isPollable)
        }
        // A list of comments alone would be no list.
        text += chosen.isEmpty ? "    # characteristics:\n" : "    characteristics:\n"
        text += chosen.joined() + others.map { "      # \($0.line)" }.joined()
    }

    private static func comment(_ reader: CharacteristicReader, on link: Link) async -> String {
        var words = reader.name.isEmpty ? "" : Untrusted(reader.name).description
        if reader.characteristic.flags.contains("read"), !reader.characteristic.needsPairing,
            let octets = try? await link.read(reader.characteristic), let value = try? reader.form.decode(octets)
        {
            words += (words.isEmpty ? "" : ": ") + MeasurementText.text(value)
        }
        return words.isEmpty ? "" : "  # \(words)"
    }
}
