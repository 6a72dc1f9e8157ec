import Blekeep
import BlekeepOutputs
import Yams

/// The settings of the history.
extension ConfigurationParser {
    static let historyKeys = ["path", "size", "rollups", "reserve"]

    /// Reads `history:`, a path or keys.
    mutating func history(_ entry: YAMLEntry) -> HistoryConfiguration? {
        if case .scalar = entry.node { return path(entry).map { HistoryConfiguration(path: $0) } }
        guard let entries = reader.mapping(entry.node, what: "`history`", keys: Self.historyKeys) else { return nil }
        var history = HistoryConfiguration()
        history.path = entries["path"].flatMap { path($0) }
        if let size = size(entries["size"], atLeast: HistoryConfiguration.leastSize) { history.size = size }
        if let size = size(entries["rollups"], atLeast: HistoryConfiguration.leastRollups) { history.rollups = size }
        if let size = size(entries["reserve"], atLeast: 0) { history.reserve = size }
        return history
    }

    /// Reads a size in bytes.
    mutating func size(_ entry: YAMLEntry?, atLeast least: Int64) -> Int64? {
        guard let entry, let text = reader.text(entry, what: "a size such as 256MiB") else { return nil }
        do {
            let size = try SizeText.parse(text)
            if size >= least { return size }
            reader.note(
                "`\(entry.key)` is \(Quoted.text(text)); it must be at least \(SizeText.text(least))",
                at: entry.valuePlace(in: reader.file))
        } catch {
            reader.note("`\(entry.key)` is \(Quoted.text(text)); \(error)", at: entry.valuePlace(in: reader.file))
        }
        return nil
    }

    mutating func path(_ entry: YAMLEntry) -> String? {
        guard let text = reader.text(entry, what: "the path of a file") else { return nil }
        if text.hasPrefix("/"), !text.hasSuffix("/"), !text.unicodeScalars.contains(where: \.isInvisible) {
            return text
        }
        reader.note(
            "\(Quoted.text(text)) isn't an absolute path of a file; write one such as "
                + "/var/lib/blekeep/history.sqlite", at: entry.valuePlace(in: reader.file))
        return nil
    }
}
