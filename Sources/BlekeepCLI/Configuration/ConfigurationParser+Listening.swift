import Blekeep
import Yams

/// Whether a device is connected or listened to, and how its advertisements are decrypted.
extension ConfigurationParser {
    mutating func mode(_ entry: YAMLEntry?) -> LinkMode? {
        let all = "auto, hold, release, heard or passive"
        guard let entry, let text = reader.text(entry, what: all) else { return nil }
        if let mode = LinkMode(rawValue: text) { return mode }
        let meant = Spelling.closest(to: text, among: LinkMode.allCases.map(\.rawValue))
        reader.note(
            "\(Quoted.text(text)) is no mode; \(meant.map { "did you mean `\($0)`?" } ?? "write \(all)")",
            at: entry.valuePlace(in: reader.file))
        return nil
    }

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
