import BlekeepRecords

internal import struct Foundation.Data
internal import class Foundation.JSONDecoder

/// How far the newest version of a fleet's configuration is, as the database says. Pure.
package struct FleetRollout: Sendable, Hashable, Decodable {
    package enum State: String, Sendable, Decodable, CaseIterable {
        /// Only the first gateways have it, until they have run it for some time.
        case first
        case all
        /// The first gateways have trouble with it, so that the others don't get it.
        case stopped
    }

    /// What a gateway runs.
    package struct Gateway: Sendable, Hashable, Decodable {
        /// `nil` for its own configuration alone.
        package var version: Int?
        /// The version that it refuses; `nil` for none.
        package var refused: Int?
        /// Why it refuses that.
        package var problem: String?
        /// For how many seconds it has run `version`.
        package var since: Int
    }

    package var version: Int
    /// What the gateways have that don't get `version` yet; `nil` for their own configuration alone.
    package var before: Int?
    /// The gateways that get it first.
    package var first: [String]
    package var state: State
    /// Why it was stopped.
    package var reason: String?
    /// For how many seconds the first gateways must run it.
    package var soak: Int
    /// Those that take a configuration, by name.
    package var gateways: [String: Gateway]

    /// - Returns: `nil` for another text.
    package init?(_ json: String) {
        guard let new = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else { return nil }
        self = new
    }

    /// What a table says of a gateway: `6`, or `5, refused 6`.
    package func words(of gateway: String) -> String {
        guard let gateway = gateways[gateway] else { return "" }
        let version = gateway.version.map { "\($0)" } ?? "own"
        return gateway.refused.map { "\(version), refused \($0)" } ?? version
    }

    /// What a reader of the fleet should know.
    package var notes: [FleetView.Note] {
        var notes: [FleetView.Note] = []
        switch state {
        case .first:
            let waits = first.filter { gateways[$0]?.version != version }
            let (names, verb) = (first.joined(separator: " and "), first.count == 1 ? "runs" : "run")
            let rest = "the others get it after that"
            let sofar = first.compactMap { gateways[$0]?.since }.min() ?? 0
            let text =
                waits.isEmpty
                ? "\(names) \(verb) it for \(DurationText.text(.seconds(soak))), so far \(DurationText.text(.seconds(sofar))); \(rest)"
                : "\(waits.joined(separator: " and ")) \(waits.count == 1 ? "doesn't" : "don't") run it yet; the others wait"
            notes.append(
                .init(weight: .plain, text: "version \(version) of the configuration: \(Untrusted(text, limit: 300))"))
        case .stopped:
            let text =
                "version \(version) of the configuration stopped: \(Untrusted(reason ?? "", limit: 500)); change it, or take "
                + "it back with 'blekeep fleet rollback'"
            notes.append(.init(weight: .bad, text: text))
        case .all: break
        }
        for (name, gateway) in gateways.sorted(by: { $0.key < $1.key }) {
            // That of the first gateways is the reason above.
            guard let refused = gateway.refused, state != .stopped || !first.contains(name) else { continue }
            let text =
                "\(Untrusted(name)) refused version \(refused) of the configuration: "
                + "\(Untrusted(gateway.problem ?? "", limit: 300))"
            notes.append(.init(weight: .warning, text: text))
        }
        return notes
    }
}
