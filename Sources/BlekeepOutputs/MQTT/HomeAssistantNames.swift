import BlekeepRecords

/// The names of a field's numbers as options of an entity.
struct HomeAssistantNames: Hashable, Sendable {
    private let enumeration: Enumeration

    /// - Returns: `nil` when the field's numbers have no names.
    init?(of characteristic: BluetoothUUID?, field: String) {
        guard let enumeration = Enumeration(of: characteristic, field: field) else { return nil }
        self.enumeration = enumeration
    }

    /// The option for a number without a name, and for no number.
    static let unknown = "Unknown"

    /// The options of a sensor, which shows any number. Home Assistant complains of an option that comes twice.
    var shown: JSON {
        let names = enumeration.names.map(\.name)
        return .array((names.contains(Self.unknown) ? names : names + [Self.unknown]).map { .text($0) })
    }

    /// The options that can be chosen.
    var chosen: JSON { .array(enumeration.names.map { .text($0.name) }) }

    /// The template that gives the name of the number in a state message. A message without the field changes nothing.
    ///
    /// - Parameter word: what stands for a number without a name.
    func template(_ key: FieldKey, else word: String) -> String {
        let names = enumeration.names.map { "\($0.number): '\($0.name)'" }.joined(separator: ", ")
        return "{% set names = {\(names)} %}{{ names.get(value_json['\(key)'], '\(word)') if '\(key)' in value_json "
            + "else this.state if this.state in names.values() else '\(word)' }}"
    }

    /// The template that gives the number of a chosen option.
    var command: String {
        let numbers = enumeration.names.map { "'\($0.name)': \($0.number)" }.joined(separator: ", ")
        return "{{ {\(numbers)}[value] }}"
    }
}
