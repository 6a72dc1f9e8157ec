/// The PostgreSQL to send readings to, and how fast.
package struct PostgresConfiguration: Sendable, Hashable {
    package struct Host: Sendable, Hashable {
        /// A name or an address; empty for the server's socket on this machine.
        package var name: String
        /// 1 to 65535; usually 5432.
        package var port: Int

        package init(name: String, port: Int = PostgresConfiguration.usualPort) {
            self.name = name
            self.port = port
        }
    }

    /// Where the servers may be that hold the database, of which one takes readings, in the order in which to try them.
    package var hosts: [Host]
    package var database: String
    /// Whether TLS encrypts the connection and verifies the server's certificate and name.
    package var isEncrypted: Bool
    /// How the server may ask for the password where nothing encrypts the connection.
    package enum PasswordMethod: String, Sendable, Hashable, CaseIterable {
        /// The server learns nothing that it could use elsewhere, and proves that it knows the password, too.
        case scram = "scram-sha-256"
        /// Who pretends to be the server learns what opens the real one.
        case md5
        /// Who pretends to be the server learns the password.
        case password
    }

    package var passwordMethod = PasswordMethod.scram
    /// `nil` for the name of the system's user.
    package var user: String?
    /// The file with the password: a path, or a credential's name; `nil` without a password.
    package var passwordFile: String?
    /// The certificates of the authorities to trust; `nil` for the system's.
    package var caFile: String?
    /// This client's own certificate and its key; both or none.
    package var certificateFile: String?
    package var keyFile: String?
    /// The gateway's name in the database.
    package var gateway: String
    /// Tells two machines of one `gateway` apart; `nil` when unknown.
    package var installation: String?
    /// Whether the database decides which gateway reads a device that several may read, and not a broker.
    package var decides = true
    /// Whether the gateway takes the fleet's configuration from it.
    package var givesConfiguration = false
    /// The version of the fleet's configuration that the gateway has; `nil` for none.
    package var running: FleetVersion?
    /// How long new readings wait for others, to share a batch.
    package var batchAge: Duration = .seconds(10)
    /// The number of readings of the backlog to send per second.
    package var backlogRate = 500

    package static let usualPort = 5432
    package static let maxHosts = 8
    package static let batchAges = HTTPServerConfiguration.batchAges
    package static let backlogRates = HTTPServerConfiguration.backlogRates

    package init(hosts: [Host], database: String, isEncrypted: Bool, user: String? = nil, gateway: String) {
        self.hosts = hosts
        self.database = database
        self.isEncrypted = isEncrypted
        self.user = user
        self.gateway = gateway
    }

    /// The hosts, as messages name them.
    package var name: String {
        hosts.map { host in
            if host.name.isEmpty { return "this machine's PostgreSQL" }
            return "\(host.name.contains(":") ? "[\(host.name)]" : host.name):\(host.port)"
        }
        .joined(separator: ", ")
    }
}

/// A version of the configuration that a fleet's database gives to its gateways.
package struct FleetVersion: Sendable, Hashable {
    /// From 1.
    package var number: Int
    /// Tells two texts apart that two databases give the same number.
    package var digest: String

    package init(number: Int, digest: String) { (self.number, self.digest) = (number, digest) }
}
