import Blekeep
import Yams

/// Values: addresses, names, characteristics.
extension ConfigurationParser {
    mutating func characteristic(_ entry: YAMLEntry?) -> BluetoothUUID? {
        guard let entry, let text = reader.text(entry, what: "a characteristic's name or UUID") else { return nil }
        if let uuid = BluetoothUUID(text) ?? names.find(text) { return uuid }
        let meant = names.closest(text).map { "did you mean `\($0)`?" } ?? "give its UUID, such as 2a6e"
        reader.note("no characteristic is called \(Quoted.text(text)); \(meant)", at: entry.valuePlace(in: reader.file))
        return nil
    }

    mutating func service(_ entry: YAMLEntry?) -> BluetoothUUID? {
        guard let entry, let text = reader.text(entry, what: "a service's UUID such as 180d") else { return nil }
        if let uuid = BluetoothUUID(text) { return uuid }
        reader.note(
            "\(Quoted.text(text)) isn't a UUID; write 4 hex digits such as 180d, or all 32 with hyphens",
            at: entry.valuePlace(in: reader.file))
        return nil
    }

    mutating func address(_ entry: YAMLEntry?) -> BluetoothAddress? {
        guard let entry, let text = reader.text(entry, what: "an address such as F0:00:00:00:00:01")
        else { return nil }
        if let address = BluetoothAddress(text) { return address }
        reader.note(
            "\(Quoted.text(text)) isn't an address; write six pairs of hex digits, such as F0:00:00:00:00:01",
            at: entry.valuePlace(in: reader.file))
        return nil
    }

    mutating func adapter(_ entry: YAMLEntry) -> AdapterChoice? {
        guard let text = reader.text(entry, what: "an adapter's address, or its name such as hci0") else { return nil }
        if let choice = AdapterChoice(text) { return choice }
        reader.note(
            "\(Quoted.text(text)) isn't an adapter; write its address, or its name such as hci0",
            at: entry.valuePlace(in: reader.file))
        return nil
    }

    mutating func alias(_ entry: YAMLEntry?) -> String? {
        guard let entry, let text = reader.text(entry, what: "a name for the device") else { return nil }
        guard let flaw = AliasRule.flaw(in: text) else { return text }
        reader.note("the alias \(Quoted.text(text)) \(flaw)", at: entry.valuePlace(in: reader.file))
        return nil
    }
}
