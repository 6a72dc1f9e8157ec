import BlekeepOutputs
import BlekeepRecords

/// A device as `history` finds it: in the configuration, or in the history by its address or its last alias.
package enum HistoryDevice {
    /// Returns the devices with these aliases or addresses, and those of groups such as `tag:cellar`, each once.
    package static func resolveAll(
        _ texts: [String], _ configured: [DeviceConfiguration], in reader: HistoryReader
    ) throws -> [String] {
        var all: [String] = []
        for text in texts {
            var found: [String]
            if let group = DeviceGroup(text) {
                found = group.members(of: configured).map(\.address.description)
                guard !found.isEmpty else {
                    let message = Untrusted.whole(group.emptyMessage(configured.flatMap(\.tags)))
                    throw HistoryQueryError(.unknownDevice, message)
                }
            } else {
                found = [try resolve(text, configured, in: reader)]
            }
            found.removeAll(where: all.contains)
            all += found
        }
        return all
    }

    /// Returns the device with this alias or address, or the only one of a group.
    ///
    /// - Throws: `HistoryQueryError`, with the devices in the history; `HistoryError`.
    package static func resolve(
        _ text: String, _ configured: [DeviceConfiguration], in reader: HistoryReader
    ) throws -> String {
        if DeviceGroup(text) != nil {
            let members = try resolveAll([text], configured, in: reader)
            if members.count == 1 { return members[0] }
            throw HistoryQueryError(
                .unknownDevice, "'\(Untrusted(text))' names \(members.count) devices; name one of them")
        }
        if let device = configured.first(where: { $0.alias == text }) { return device.address.description }
        let name = address(text)?.description ?? text
        if configured.contains(where: { $0.address.description == name }) { return name }
        if try isKnown(name, to: reader) { return name }
        throw HistoryQueryError(
            .unknownDevice, "the history has no device '\(Untrusted(text))'; \(try known(to: reader))")
    }

    /// An address, or adapter/address.
    private static func address(_ text: String) -> BluetoothAddress? {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 1 || AdapterChoice(parts[0]) != nil else { return nil }
        return parts.last.flatMap { BluetoothAddress($0) }
    }

    private struct Found: Error {}

    private static func isKnown(_ name: String, to reader: HistoryReader) throws -> Bool {
        let query = HistoryQuery(device: name)
        if try !reader.latest(query).isEmpty { return true }
        // An old device may have summaries only.
        do {
            try reader.summaries(query, every: .hour) { _ in throw Found() }
            return false
        } catch is Found { return true }
    }

    private static func known(to reader: HistoryReader) throws -> String {
        var names: [String] = []
        for reading in try reader.latest().map(\.reading) {
            let name = reading.device
            let address = reading.address.description
            let shown = name == address ? address : "\(Untrusted(name)) (\(address))"
            if !names.contains(shown) { names.append(shown) }
        }
        guard !names.isEmpty else { return "it is empty" }
        let more = names.count > 20 ? " and \(names.count - 20) more" : ""
        return "it has \(names.sorted().prefix(20).joined(separator: ", "))\(more)"
    }
}
