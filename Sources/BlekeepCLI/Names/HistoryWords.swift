import Blekeep
import BlekeepHistory
import BlekeepOutputs

/// Words of a command over the history: devices, and then characteristics or fields. Devices are configured, or the history
/// has them.
enum HistoryWords {
    static func split(
        _ words: [String], among configured: [DeviceConfiguration], in reader: HistoryReader
    ) throws -> (devices: [String], characteristics: [CharacteristicName]) {
        try split(words, among: configured) { word in
            do { _ = try HistoryDevice.resolve(word, among: configured, in: reader) } catch let error
                as HistoryQueryError
            {
                return error.code == .ambiguousDevice
            }
            return true
        }
    }

    /// - Parameter isStored: whether the history has a device that isn't configured.
    static func split(
        _ words: [String], among configured: [DeviceConfiguration], isStored: (String) throws -> Bool
    ) throws -> (devices: [String], characteristics: [CharacteristicName]) {
        let devices = try words.prefix { word in
            if DeviceGroup(word) != nil || BluetoothAddress(word) != nil { return true }
            if configured.contains(where: { $0.isCalled(word) }) { return true }
            // A characteristic may differ from an alias by case only.
            guard (try? CharacteristicName(word)) == nil else { return false }
            return try DeviceNames.match(word, among: configured.map(\.names)) != .none || isStored(word)
        }
        return (Array(devices), try words.dropFirst(devices.count).map { try CharacteristicName(inHistory: $0) })
    }

    /// Refuses a name that no reading of these devices has, of whichever time.
    static func check(
        _ names: [CharacteristicName], of words: String, _ devices: [DeviceID], in reader: HistoryReader
    ) throws {
        guard !names.isEmpty else { return }
        var query = HistoryQuery()
        query.devices = devices
        let latest = try reader.latest(query).map(\.reading)
        guard let unknown = names.first(where: { name in !latest.contains { [name].admit($0.key) } }) else { return }
        throw Failure(
            .notFound,
            "'\(Untrusted(unknown.text))' is neither a device nor a value of \(Untrusted(words)); "
                + "'blekeep values' shows both")
    }
}
