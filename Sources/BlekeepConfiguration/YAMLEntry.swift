import Yams

/// A key and its value.
struct YAMLEntry {
    var key: String
    /// The place of the key.
    var place: ConfigurationLocation
    var node: Node

    /// Returns the place of the value.
    func valuePlace(in file: String) -> ConfigurationLocation {
        ConfigurationLocation(
            file: file, line: node.mark?.line ?? place.line, column: node.mark?.column ?? place.column)
    }

    /// Whether the value has no quotes: `true` is a flag, and `"true"` is text.
    var isPlain: Bool { node.scalar?.style == .plain }
}

extension Node.Scalar {
    /// Whether the value is empty or a word for null.
    var isNull: Bool {
        style == .plain && ["", "~", "null", "Null", "NULL"].contains(string)
    }
}
