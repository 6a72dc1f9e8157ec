import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

/// Reads the passwords and tokens of sinks from their files, again for each connection, so that they may change.
struct SinkSecrets: Sendable {
    private let sinks: SinkConfiguration
    private let credentials: Credentials

    init(_ configuration: Configuration, _ credentials: Credentials) {
        sinks = configuration.sinks
        self.credentials = credentials
    }

    func mqtt() throws -> String? { try secret(sinks.mqtt?.passwordFile) }
    func influx() throws -> String? { try secret(sinks.influx?.secretFile) }
    func webhook() throws -> String? { try secret(sinks.webhook?.tokenFile) }

    private func secret(_ file: String?) throws -> String? {
        try file.map { try credentials.secret($0, limit: NamedFile.longestSecret) }
    }
}
