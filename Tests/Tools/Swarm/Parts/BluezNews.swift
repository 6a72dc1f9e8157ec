import Blekeep
import DBus

/// The news about an object in a signal of BlueZ.
enum BluezNews: Equatable {
    case added
    /// An object was removed.
    ///
    /// - Parameter isLost: whether it was a device or an adapter, and not only a part.
    case removed(isLost: Bool)
    case connected(Bool)
    case resolved(Bool)
    /// A device's advertisement.
    case heard
    /// An adapter was turned off.
    case off
    case value([UInt8])

    /// Returns the news of a signal, and the object that each is about.
    static func read(_ signal: Signal) -> [(path: ObjectPath, news: BluezNews)] {
        switch signal.member {
        case PropertiesInterface.propertiesChanged.name: changes(signal).map { (signal.path, $0) }
        case ObjectManager.interfacesRemoved.name: removal(signal).map { [$0] } ?? []
        case ObjectManager.interfacesAdded.name:
            signal.arguments.first.flatMap { ObjectPath($0) }.map { [($0, .added)] } ?? []
        default: []
        }
    }

    private static func changes(_ signal: Signal) -> [BluezNews] {
        guard signal.arguments.count == 3, case .dictionary(_, _, let changed) = signal.arguments[1] else { return [] }
        return changed.compactMap { property in
            guard case .string(let name) = property.key, case .variant(let content) = property.value else { return nil }
            return switch (name, content) {
            case ("Connected", .boolean(let isUp)): .connected(isUp)
            case ("ServicesResolved", .boolean(let isResolved)): .resolved(isResolved)
            case ("RSSI", _): .heard
            case ("Powered", .boolean(false)): .off
            case ("Value", .bytes(let bytes)): .value(bytes)
            default: nil
            }
        }
    }

    private static func removal(_ signal: Signal) -> (ObjectPath, BluezNews)? {
        guard signal.arguments.count == 2, let path = ObjectPath(signal.arguments[0]),
            case .array(_, let interfaces) = signal.arguments[1], interfaces != [Battery1.name.text.value]
        else { return nil }
        let isLost = interfaces.contains(Device1.name.text.value) || interfaces.contains(Adapter1.name.text.value)
        return (path, .removed(isLost: isLost))
    }
}
