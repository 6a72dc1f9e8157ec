import Blekeep
import Yams

/// Metrics for Prometheus.
extension ConfigurationParser {
    static let metricsKeys = ["textfile"]

    /// Reads `metrics:`.
    mutating func metrics(_ entry: YAMLEntry) -> MetricsConfiguration? {
        guard let entries = reader.mapping(entry.node, what: "`metrics`", keys: Self.metricsKeys) else { return nil }
        guard let textfile = entries["textfile"] else {
            reader.note(
                "metrics need their `textfile`; add one, such as `textfile: /var/lib/prometheus/node-exporter`",
                at: reader.place(of: entry.node))
            return nil
        }
        return folder(textfile).map { MetricsConfiguration(folder: $0) }
    }

    private mutating func folder(_ entry: YAMLEntry) -> String? {
        guard let text = reader.text(entry, what: "the path of a folder") else { return nil }
        var path = text[...]
        while path.hasSuffix("/") { path.removeLast() }
        if path.hasPrefix("/"), !path.unicodeScalars.contains(where: \.isInvisible) { return String(path) }
        reader.note(
            "\(Quoted.text(text)) isn't an absolute path of a folder; write one such as "
                + "/var/lib/prometheus/node-exporter", at: entry.valuePlace(in: reader.file))
        return nil
    }
}
