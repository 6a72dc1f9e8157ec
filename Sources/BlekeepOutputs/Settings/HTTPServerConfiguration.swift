/// An HTTP server to send readings to, and how fast.
package struct HTTPServerConfiguration: Sendable, Hashable {
    /// A name or an address.
    package var host: String
    /// 1 to 65535; usually 80, and 443 with TLS.
    package var port: Int
    /// Whether TLS encrypts the connection and verifies the server's certificate and name.
    package var isEncrypted: Bool
    /// The rest of the URL from `/` on; empty for none.
    package var path: String
    /// The certificates of the authorities to trust; `nil` for the system's.
    package var caFile: String?
    /// This client's own certificate and its key; both or none.
    package var certificateFile: String?
    package var keyFile: String?
    /// How long new readings wait for others, to share a request.
    package var batchAge: Duration = .seconds(10)
    /// The number of readings of the backlog to send per second.
    package var backlogRate = 500

    package static let batchAges: ClosedRange<Duration> = .seconds(1) ... .seconds(300)
    package static let backlogRates = 1...10_000

    package init(host: String, port: Int, isEncrypted: Bool, path: String = "") {
        self.host = host
        self.port = port
        self.isEncrypted = isEncrypted
        self.path = path
    }

    /// The host and port, as messages name them.
    package var name: String { "\(bracketedHost):\(port)" }

    package var origin: String { "\(isEncrypted ? "https" : "http")://\(bracketedHost):\(port)" }

    private var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }
}
