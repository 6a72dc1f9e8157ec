/// The sinks of readings besides the history and standard output.
package struct SinkConfiguration: Sendable, Hashable {
    package var file: File?
    package var mqtt: MQTTConfiguration?
    package var influx: InfluxConfiguration?
    package var webhook: WebhookConfiguration?
    package var postgres: PostgresConfiguration?

    package init(
        file: File? = nil, mqtt: MQTTConfiguration? = nil, influx: InfluxConfiguration? = nil,
        webhook: WebhookConfiguration? = nil, postgres: PostgresConfiguration? = nil
    ) {
        self.file = file
        self.mqtt = mqtt
        self.influx = influx
        self.webhook = webhook
        self.postgres = postgres
    }

    /// A file with one JSON object per line.
    package struct File: Sendable, Hashable {
        package var path: String
        /// The size in bytes at which blekeep renames the file to `path.1`.
        package var size: Int64
        /// The number of renamed files to keep.
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
