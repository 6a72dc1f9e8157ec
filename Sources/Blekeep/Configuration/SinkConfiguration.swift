/// Where readings go besides the history and standard output.
public struct SinkConfiguration: Sendable, Hashable {
    public var file: File?
    package var mqtt: MQTTConfiguration?

    public init() {}

    package init(file: File? = nil, mqtt: MQTTConfiguration? = nil) {
        self.file = file
        self.mqtt = mqtt
    }

    /// A file that readings are appended to, one JSON object a line.
    public struct File: Sendable, Hashable {
        public var path: String
        /// The most bytes that it has before it is renamed to `path.1`.
        public var size: Int64
        /// How many such older files are kept.
        public var keep: Int

        public static let defaultSize: Int64 = 10 << 20
        public static let defaultKeep = 4
        public static let leastSize: Int64 = 64 << 10
        public static let keeps = 1...1000

        public init(path: String, size: Int64 = Self.defaultSize, keep: Int = Self.defaultKeep) {
            self.path = path
            self.size = size
            self.keep = keep
        }
    }
}
