import Blekeep
import Yams

/// Whether a device is connected or listened to, and how its advertisements are decrypted.
extension ConfigurationParser {
    mutating func mode(_ entry: YAMLEntry?) -> LinkMode? { word(entry, what: "mode") }

    /// `key:` of a device, and what makes no sense with its mode.
    mutating func keyName(_ entries: [String: YAMLEntry], _ mode: LinkMode?) -> String? {
        if mode == .passive, let entry = entries["characteristics"] {
            reader.note("a passive device is never connected, so it has no `characteristics`", at: entry.place)
        }
        guard let entry = entries["key"] else { return nil }
        if mode != .passive {
            reader.note("`key` means nothing without `mode: passive`", at: entry.place)
        }
        guard let name = reader.text(entry, what: "the name of a credential") else { return nil }
        if AdvertisementKey(hex: name) != nil {
            reader.note(
                "a key does not belong into a configuration; put it into a credential of systemd, and its name here",
                at: entry.valuePlace(in: reader.file))
            return nil
        }
        guard Credentials.isName(name) else {
            reader.note("\(Quoted.text(name)) is no name of a credential", at: entry.valuePlace(in: reader.file))
            return nil
        }
        return name
    }
}
