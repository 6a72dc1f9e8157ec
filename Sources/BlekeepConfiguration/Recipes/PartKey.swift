import BlekeepRecords
import Yams

/// A key of a part of a recipe or of a layout, such as a step, a frame or a field. A parser's list of them is all that
/// says which keys its part has, so that none is read without being known, or known without being read.
struct PartKey<Parser>: Sendable {
    let name: String
    let read: @Sendable (YAMLEntry, inout YAMLReader, inout Parser) -> Void

    /// - Parameter read: reads the value into the parser; nothing for a key that is read once all others are.
    init(
        _ name: String,
        read: @escaping @Sendable (YAMLEntry, inout YAMLReader, inout Parser) -> Void = { _, _, _ in }
    ) {
        self.name = name
        self.read = read
    }
}

extension YAMLReader {
    /// Reads the keys of a part in the order of their declaration.
    ///
    /// - Parameter what: the noun for the part in messages, such as `a frame`.
    /// - Returns: what it has; `nil` after noting that it has no keys.
    mutating func part<Parser>(
        _ node: Node, what: String, keys: [PartKey<Parser>], into parser: inout Parser
    ) -> [String: YAMLEntry]? {
        guard let entries = mapping(node, what: what, keys: keys.map(\.name)) else { return nil }
        for key in keys {
            if let entry = entries[key.name] { key.read(entry, &self, &parser) }
        }
        return entries
    }

    mutating func word<Word: CaseIterable & RawRepresentable<String>>(_ entry: YAMLEntry?, _ noun: String) -> Word? {
        entry.flatMap { Form<Word>.word(noun).read($0, &self) }
    }

    /// Notes where values aren't what a test expects.
    ///
    /// - Parameter bytes: the noun for what was decoded, such as `the bytes`.
    mutating func compare(_ measurements: [Measurement], with entry: YAMLEntry, of bytes: String) {
        guard !measurements.isEmpty else {
            return note("\(bytes) of this test have no values; check both", at: entry.place)
        }
        let names = measurements.map(\.field)
        for (name, cell) in mapping(entry.node, what: "what a test expects", keys: names) ?? [:] {
            guard let measurement = measurements.first(where: { $0.field == name }), !measurement.isSame(as: cell.node)
            else { continue }
            note("\(bytes) of this test say that `\(name)` is \(measurement.text); check both", at: cell.valuePlace)
        }
    }
}
