import Yams

/// A key with its value.
struct YAMLEntry {
    var key: String
    /// Where the key stands.
    var place: ConfigurationLocation
    var node: Node

    /// Where the value stands.
    func valuePlace(in file: String) -> ConfigurationLocation {
        ConfigurationLocation(
            file: file, line: node.mark?.line ?? place.line, column: node.mark?.column ?? place.column)
    }

    /// Whether the value is written without quotes: `true` is a flag then, and `"true"` text.
    var isPlain: Bool { node.scalar?.style == .plain }
}

extension Node.Scalar {
    /// Whether nothing is there, or a word that says so.
    var isNull: Bool {
        style == .plain && ["", "~", "null", "Null", "NULL"].contains(string)
    }
}
