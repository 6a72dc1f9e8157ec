import Blekeep
import BlekeepConfiguration

/// Reads the passwords and tokens of sinks from their files, again for each connection, so that they may change.
struct SinkSecrets: Sendable {
    private let sinks: SinkConfiguration
    private let credentials: Credentials

    /// The most bytes of a token.
    private static let longestToken = 4096

    init(_ configuration: Configuration, _ credentials: Credentials) {
        sinks = configuration.sinks
        self.credentials = credentials
    }

    func mqtt() throws -> String? { try sinks.mqtt?.passwordFile.map { try credentials.secret($0) } }

    func influx() throws -> String? {
        try sinks.influx?.secretFile.map { try credentials.secret($0, limit: Self.longestToken) }
    }

    func webhook() throws -> String? {
        try sinks.webhook?.tokenFile.map { try credentials.secret($0, limit: Self.longestToken) }
    }
}
