/// The InfluxDB to send readings to.
package struct InfluxConfiguration: Sendable, Hashable {
    package enum Target: Sendable, Hashable {
        /// InfluxDB 1. The file has the password: a path, or a credential's name.
        case database(String, user: String?, passwordFile: String?)
        /// InfluxDB 2. The file has the token: a path, or a credential's name.
        case bucket(String, organization: String, tokenFile: String)
    }

    package var server: HTTPServerConfiguration
    package var target: Target

    package init(server: HTTPServerConfiguration, target: Target) { (self.server, self.target) = (server, target) }

    /// The file with the password or token; `nil` for none.
    package var secretFile: String? {
        switch target {
        case .database(_, _, let file): file
        case .bucket(_, _, let file): file
        }
    }
}
