import Blekeep
import Yams

/// The settings of devices that only advertise.
extension ConfigurationParser {
    mutating func mode(_ entry: YAMLEntry?) -> LinkMode? { word(entry, what: "mode") }

    /// Reads `format:` of a device.
    mutating func format(_ entry: YAMLEntry?, _ mode: LinkMode?) -> BroadcastFormat? {
        guard let entry else { return nil }
        if mode != .passive {
            reader.note("`format` has no effect without `mode: passive`", at: entry.place)
        }
        return word(entry, what: "format")
    }

    /// Reads `medium:` of a device.
    mutating func medium(_ entry: YAMLEntry?, _ mode: LinkMode?, _ format: BroadcastFormat?) -> TankMedium? {
        guard let entry else { return nil }
        if mode != .passive {
            reader.note("`medium` has no effect without `mode: passive`", at: entry.place)
        } else if let format, format != .mopeka {
            reader.note("`medium` has no effect with `format: \(format.rawValue)`; it is for mopeka", at: entry.place)
        }
        return word(entry, what: "medium")
    }

    /// Reads `key:` of a device, and notes settings that contradict its mode.
    mutating func keyFile(_ entries: [String: YAMLEntry], _ mode: LinkMode?) -> String? {
        if mode == .passive, let entry = entries["characteristics"] {
            reader.note("a passive device is never connected, so it has no `characteristics`", at: entry.place)
        }
        guard let entry = entries["key"] else { return nil }
        if mode != .passive {
            reader.note("`key` has no effect without `mode: passive`", at: entry.place)
        }
        guard let file = reader.text(entry, what: "the path of a file, or a credential's name") else { return nil }
        if AdvertisementKey(hex: file) != nil {
            reader.note(
                "don't write keys in a configuration; put the key into a file or a systemd credential, and name it here",
                at: entry.valuePlace(in: reader.file))
            return nil
        }
        return secretFile(entry)
    }
}
