import Foundation
import Testing

/// The dashboards and alerts that the package has. `.ci/dashboards` runs their queries on real servers.
@Suite struct DashboardTests {
    private static let files = ["grafana-prometheus.json": "prometheus", "grafana-influxdb.json": "influxdb"]

    private struct Board: Decodable {
        let uid, title: String
        let schemaVersion: Int
        let panels: [Panel]
        let templating: Templating

        struct Templating: Decodable { let list: [Variable] }
        struct Variable: Decodable { let name, type: String }
        struct Source: Decodable, Equatable { let type, uid: String }
        struct Position: Decodable { let x, y, w, h: Int }

        struct Panel: Decodable {
            let id: Int
            let type, title: String
            let gridPos: Position
            let datasource: Source?
            let targets: [Target]?
        }

        struct Target: Decodable {
            let refId: String
            let datasource: Source
            let expr, query: String?
        }
    }

    private static func text(_ file: String) throws -> String { try Repository.text(of: ".packaging/examples/" + file) }

    private static func board(_ file: String) throws -> Board {
        try JSONDecoder().decode(Board.self, from: Data(text(file).utf8))
    }

    @Test(arguments: files.keys.sorted())
    func panelsHaveDifferentNumbersAndPlacesOfTheirOwn(_ file: String) throws {
        let panels = try Self.board(file).panels
        #expect(panels.count >= 15)
        #expect(Set(panels.map(\.id)).count == panels.count)
        #expect(panels.allSatisfy { $0.id > 0 && !$0.title.isEmpty })
        var taken: [Int: Int] = [:]
        for panel in panels {
            let place = panel.gridPos
            #expect(
                place.x >= 0 && place.y >= 0 && place.w > 0 && place.h > 0 && place.x + place.w <= 24, "\(panel.title)")
            for cell in (place.y..<place.y + place.h).flatMap({ y in (place.x..<place.x + place.w).map { y * 24 + $0 } }
            ) {
                let other = taken.updateValue(panel.id, forKey: cell)
                #expect(other == nil, "\(panel.title) lies on the panel \(other ?? 0)")
            }
        }
        // Grafana moves panels up, so a hole would change the picture.
        let rows = Set(taken.keys.map { $0 / 24 })
        #expect(rows == Set(0..<rows.count))
    }

    @Test(arguments: files)
    func everyPanelAsksTheSourceThatTheUserChooses(_ file: String, _ kind: String) throws {
        let board = try Self.board(file)
        #expect(board.schemaVersion >= 36 && !board.uid.isEmpty && !board.title.isEmpty)
        let source = Board.Source(type: kind, uid: "${datasource}")
        #expect(board.templating.list.first.map { $0.name == "datasource" && $0.type == "datasource" } == true)
        for panel in board.panels where panel.type != "row" {
            #expect(panel.datasource == source, "\(panel.title)")
            let targets = try #require(panel.targets, "\(panel.title)")
            #expect(!targets.isEmpty && Set(targets.map(\.refId)).count == targets.count, "\(panel.title)")
            for target in targets {
                #expect(target.datasource == source, "\(panel.title)")
                let query = (kind == "prometheus" ? target.expr : target.query) ?? ""
                #expect(query.contains(kind == "prometheus" ? "{gateway=~\"$gateway\"" : "\"ble\""), "\(panel.title)")
            }
        }
    }

    /// A variable that isn't there would reach the server as it is.
    @Test(arguments: files.keys.sorted())
    func queriesNameOnlyVariablesThatAreThere(_ file: String) throws {
        let board = try Self.board(file)
        let known = Set(board.templating.list.map(\.name)).union(["__interval", "__rate_interval", "timeFilter"])
        let queries = board.panels.flatMap { $0.targets ?? [] }.compactMap { $0.expr ?? $0.query }
        #expect(queries.count >= 15)
        for query in queries {
            for word in query.matches(of: /\$([a-zA-Z_]+)/) { #expect(known.contains(String(word.1)), "\(query)") }
        }
    }

    @Test(arguments: files.keys.sorted() + ["prometheus-alerts.yaml"])
    func namesNoHost(_ file: String) throws {
        let text = try Self.text(file)
        #expect(text.firstMatch(of: /https?:\/\/|localhost|\b[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+\b/) == nil)
    }

    /// A metric that is renamed would leave a panel or an alert empty for ever.
    @Test(arguments: ["grafana-prometheus.json", "prometheus-alerts.yaml"])
    func namesOnlyMetricsThatThePageOfMetricsHas(_ file: String) throws {
        let page = try Repository.text(of: "Sources/Blekeep/Blekeep.docc/Metrics.md")
        let measured: Set = [
            "blekeep_temperature_celsius", "blekeep_humidity_ratio", "blekeep_pressure_pascals",
            "blekeep_battery_voltage_volts",
        ]
        for match in try Self.text(file).matches(of: /blekeep_[a-z_]+\b/) {
            var name = String(match.0)
            if name.hasSuffix("_bucket") { name.removeLast("_bucket".count) }
            // The beginning of a pattern, such as `blekeep_battery(_level)?_ratio`.
            guard !measured.contains(name), !["(", "."].contains(try Self.text(file)[match.range.upperBound...].first)
            else { continue }
            #expect(page.contains("`\(name)`"), "\(name)")
        }
    }

    @Test func everyAlertHasATest() throws {
        let alerts = try Self.text("prometheus-alerts.yaml").matches(of: /alert: ([A-Za-z]+)/).map { String($0.1) }
        let tested = try Repository.text(of: "Tests/Tools/Dashboards/alerts.yaml").matches(
            of: /alertname: ([A-Za-z]+)\n\s+exp_alerts:/
        ).map { String($0.1) }
        #expect(alerts.count >= 12)
        #expect(Set(alerts) == Set(tested))
    }
}
