import BlekeepOutputs
import BlekeepRecords
internal import GRDB

/// A device as `history` finds it: in the configuration, or in the history, by its alias, its address or its ID.
package enum HistoryDevice {
    /// Returns the devices with these names, and those of groups such as `tag:cellar`, each once.
    package static func resolveAll(
        _ texts: [String], among configured: [DeviceConfiguration], in reader: HistoryReader,
        listedBy list: String = "'blekeep status' lists all"
    ) throws -> [DeviceID] {
        var all: [DeviceID] = []
        for text in texts {
            var found: [DeviceID]
            if let group = DeviceGroup(text) {
                found = group.members(of: configured).map(\.id)
                // Those of the history have no tags.
                if group.tag == nil { found += try reader.latest().map(\.reading.id) }
                found = found.enumerated().filter { !found[..<$0.offset].contains($0.element) }.map(\.element)
                guard !found.isEmpty else {
                    let message = Untrusted.whole(group.emptyMessage(configured.flatMap(\.tags)))
                    throw HistoryQueryError(.unknownDevice, message)
                }
            } else {
                found = [try resolve(text, among: configured, in: reader, listedBy: list)]
            }
            found.removeAll(where: all.contains)
            all += found
        }
        return all
    }

    /// Returns the device with this name, or the only one of a group.
    ///
    /// - Parameter list: what lists all devices, for the failure.
    /// - Throws: `HistoryQueryError`, with similar names; `HistoryError`.
    package static func resolve(
        _ text: String, among configured: [DeviceConfiguration], in reader: HistoryReader,
        listedBy list: String = "'blekeep status' lists all"
    ) throws -> DeviceID {
        if DeviceGroup(text) != nil {
            let members = try resolveAll([text], among: configured, in: reader)
            if members.count == 1 { return members[0] }
            throw HistoryQueryError(
                .ambiguousDevice, "'\(Untrusted(text))' names \(members.count) devices; name one of them")
        }
        let address = address(text)
        if let device = configured.first(where: { $0.isCalled(text) || $0.address == address }) { return device.id }
        if let known = try reader.device(named: text, address) { return known }
        // Without regard to case.
        var devices = configured.map { (id: $0.id, names: $0.names) }
        for status in try reader.lastRun()?.devices ?? [] where !devices.contains(where: { $0.id == status.id }) {
            devices.append((status.id, [status.name]))
        }
        for reading in try reader.latest().map(\.reading)
        where !devices.contains(where: { $0.id == reading.id && $0.names.contains(reading.device) }) {
            devices.append((reading.id, [reading.device]))
        }
        switch DeviceNames.match(text, among: devices.map(\.names)) {
        case .one(let index): return devices[index].id
        case .several(let names):
            throw HistoryQueryError(.ambiguousDevice, Untrusted.whole(DeviceNames.ambiguous(text, among: names)))
        case .none:
            let names = devices.compactMap(\.names.first)
            throw HistoryQueryError(
                .unknownDevice, Untrusted.whole(DeviceNames.unknown(text, among: names, list: list)))
        }
    }

    /// An address, or adapter/address.
    private static func address(_ text: String) -> BluetoothAddress? {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 1 || AdapterChoice(parts[0]) != nil else { return nil }
        return parts.last.flatMap { BluetoothAddress($0) }
    }
}

extension HistoryReader {
    /// Returns the device that last had an alias or an address, or that has an ID; `nil` when the history has none. A device
    /// without readings has a status.
    fileprivate func device(named name: String, _ address: BluetoothAddress?) throws -> DeviceID? {
        try database { database in
            let names: StatementArguments = [HistoryText.encode(name), HistoryText.encode(address?.description), name]
            let queries = [
                "SELECT device FROM series WHERE alias = ? OR address = ? OR device = ? ORDER BY last_seq DESC, id DESC",
                "SELECT device FROM statuses WHERE name = ? OR address = ? OR device = ? ORDER BY run DESC",
            ]
            for sql in queries {
                let row = try Row.fetchOne(database, sql: sql + " LIMIT 1", arguments: names)
                if let device = row.flatMap({ HistoryText.decode($0[0]) }).flatMap({ DeviceID($0) }) { return device }
            }
            return nil
        }
    }
}
