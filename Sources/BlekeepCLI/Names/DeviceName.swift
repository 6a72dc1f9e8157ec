import Blekeep
import BlekeepOutputs

/// A user's name for a device: an alias, an ID, an address, or adapter/address; or for a group of devices: `tag:cellar`.
enum DeviceName {
    /// Returns the device with this name, which may also be a group of one.
    ///
    /// - Parameter isSimulated: whether the known devices are those of a simulated world, for the failure.
    static func resolve(
        _ text: String, among known: [DeviceConfiguration], isSimulated: Bool = false
    ) throws(Failure) -> DeviceConfiguration {
        guard DeviceGroup(text) == nil else {
            let members = try resolveAll([text], among: known)
            if members.count == 1 { return members[0] }
            let names = members.map(\.name).joined(separator: ", ")
            throw Failure(
                .usage,
                "'\(Untrusted(text))' names \(members.count) devices, and this command takes one: \(Untrusted.whole(names))"
            )
        }
        switch DeviceNames.match(text, among: known.map(\.names)) {
        case .one(let index): return known[index]
        case .several(let names): throw Failure(.usage, Untrusted.whole(DeviceNames.ambiguous(text, among: names)))
        case .none: break
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let adapter = parts.count == 2 ? AdapterChoice(parts[0]) : nil
        guard let address = parts.last.flatMap({ BluetoothAddress($0) }), parts.count == 1 || adapter != nil else {
            let aliases = known.compactMap(\.alias)
            guard !isSimulated else {
                let names = aliases.isEmpty ? "nothing" : Untrusted.whole(aliases.joined(separator: ", "))
                throw Failure(
                    .notFound,
                    "'\(Untrusted(text))' isn't simulated; simulated are \(names). "
                        + "With -c FILE, 'asked' also has a device for each recipe of FILE that has a test with 'expect'"
                )
            }
            throw Failure(
                .notFound, Untrusted.whole(DeviceNames.unknown(text, among: aliases, list: Failure.deviceList)))
        }
        var device = known.first { $0.address == address } ?? DeviceConfiguration(address: address)
        if let adapter { device.adapter = adapter }
        return device
    }

    /// Returns the devices with these names, and those of groups, each once.
    ///
    /// - Parameters:
    ///   - skipsDisabled: whether to leave out devices of groups that are disabled, or that another gateway reads.
    ///   - isSimulated: as for one device.
    static func resolveAll(
        _ texts: [String], among known: [DeviceConfiguration], skipsDisabled: Bool = false, isSimulated: Bool = false
    ) throws(Failure) -> [DeviceConfiguration] {
        var all: [DeviceConfiguration] = []
        for text in texts {
            let found: [DeviceConfiguration]
            if let group = DeviceGroup(text) {
                found = group.members(of: skipsDisabled ? known.filter(\.isPolled) : known)
                guard !found.isEmpty else { throw Failure(.notFound, Untrusted.whole(group.emptyMessage(known))) }
            } else {
                found = [try resolve(text, among: known, isSimulated: isSimulated)]
            }
            for device in found where !all.contains(where: { $0.address == device.address }) { all.append(device) }
        }
        return all
    }
}
