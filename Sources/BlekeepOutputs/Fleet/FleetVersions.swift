internal import struct Foundation.Data
internal import class Foundation.JSONDecoder

/// Which gateway has which version of a fleet's configuration, as the database says. Pure.
package struct FleetVersions: Sendable, Hashable, Decodable {
    package struct Gateway: Sendable, Hashable, Decodable {
        /// `nil` for its own configuration alone.
        package var version: Int?
        /// The version that is meant for it; `nil` for none.
        package var wanted: Int?
        /// The version that it refuses; `nil` for none.
        package var refused: Int?
        /// Why it refuses that.
        package var problem: String?
    }

    /// The version that was last meant for all; `nil` for none.
    package var all: Int?
    /// Those that take a configuration, by name.
    package var gateways: [String: Gateway]

    /// - Returns: `nil` for another text.
    package init?(_ json: String) {
        guard let new = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else { return nil }
        self = new
    }

    /// What a table says of a gateway: `6`, `5, not yet 6`, or `5, refused 6`.
    package func words(of gateway: String) -> String {
        guard let gateway = gateways[gateway] else { return "" }
        let version = gateway.version.map { "\($0)" } ?? "own"
        guard let wanted = gateway.wanted, wanted != gateway.version else { return version }
        return "\(version), \(gateway.refused == wanted ? "refused" : "not yet") \(wanted)"
    }

    /// What a reader of the fleet should know.
    package var notes: [FleetView.Note] {
        gateways.sorted { $0.key < $1.key }.compactMap { name, gateway in
            guard let refused = gateway.refused, refused == gateway.wanted else { return nil }
            let text =
                "\(Untrusted(name)) refused version \(refused) of the configuration: "
                + "\(Untrusted(gateway.problem ?? "", limit: 300))"
            return .init(weight: .warning, text: text)
        }
    }
}
