import Blekeep
import Yams

/// Where readings go besides the history and standard output.
extension ConfigurationParser {
    static let sinkKeys = ["file", "mqtt", "influx", "webhook"]
    static let fileSinkKeys = ["path", "size", "keep"]

    /// `sinks:`.
    mutating func sinks(_ entry: YAMLEntry) -> SinkConfiguration? {
        guard let entries = reader.mapping(entry.node, what: "`sinks`", keys: Self.sinkKeys) else { return nil }
        return SinkConfiguration(
            file: entries["file"].flatMap { fileSink($0) }, mqtt: entries["mqtt"].flatMap { mqtt($0) },
            influx: entries["influx"].flatMap { influx($0) }, webhook: entries["webhook"].flatMap { webhook($0) })
    }

    private mutating func fileSink(_ entry: YAMLEntry) -> SinkConfiguration.File? {
        guard let entries = reader.mapping(entry.node, what: "`file`", keys: Self.fileSinkKeys) else { return nil }
        guard let path = entries["path"] else {
            reader.note(
                "a file needs its `path`; add one, such as `path: /var/log/blekeep.ndjson`",
                at: reader.place(of: entry.node))
            return nil
        }
        guard let path = self.path(path) else { return nil }
        var file = SinkConfiguration.File(path: path)
        if let size = size(entries["size"], atLeast: SinkConfiguration.File.leastSize) { file.size = size }
        if let keep = reader.integer(entries["keep"], in: SinkConfiguration.File.keeps) { file.keep = keep }
        return file
    }
}
