/// Where readings go besides the history and standard output.
package struct SinkConfiguration: Sendable, Hashable {
    package var file: File?
    package var mqtt: MQTTConfiguration?

    package init(file: File? = nil, mqtt: MQTTConfiguration? = nil) {
        self.file = file
        self.mqtt = mqtt
    }

    /// A file that readings are appended to, one JSON object a line.
    package struct File: Sendable, Hashable {
        package var path: String
        /// The most bytes that it has before it is renamed to `path.1`.
        package var size: Int64
        /// How many such older files are kept.
        package var keep: Int

        package static let defaultSize: Int64 = 10 << 20
        package static let defaultKeep = 4
        package static let leastSize: Int64 = 64 << 10
        package static let keeps = 1...1000

        package init(path: String, size: Int64 = Self.defaultSize, keep: Int = Self.defaultKeep) {
            self.path = path
            self.size = size
            self.keep = keep
        }
    }
}
