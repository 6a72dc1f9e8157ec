import BlekeepOutputs
import BlekeepRecords
import BusBench
import RunLoop
import SampleReadings
import Swarming
import Testing

@testable import BlekeepPostgres

/// One configuration for all gateways, in a real PostgreSQL. Time passes by moving what the database has into the past.
@Suite(.enabled(if: Database.programs != nil, "needs Debian's package postgresql"), .serialized)
struct FleetConfigurationContractTests {
    private static let gateways = ["attic", "cellar", "roof"]
    private let database: Database

    init() throws {
        database = try Database()
        try database.execute(PostgresSchema.statements(from: 0))
        for gateway in Self.gateways {
            try database.execute("CREATE ROLE \(gateway) LOGIN PASSWORD 'right' IN ROLE \(PostgresSchema.gateways)")
        }
    }

    /// Says what a gateway runs.
    ///
    /// - Returns: the version that it is to have; `nil` when it has it.
    @discardableResult
    private func ask(
        _ gateway: String, runs version: Int? = nil, refuses refused: Int? = nil, devices: Int = 10, lost: Int = 0,
        uptime: Int = 100_000
    ) throws -> Int? {
        func digest(_ version: Int?) -> String {
            version.map { "(SELECT digest FROM d WHERE version = \($0))" } ?? "NULL"
        }
        let rows = try database.execute(
            """
            CREATE TEMP TABLE d AS SELECT * FROM blekeep.configuration;
            GRANT SELECT ON d TO \(gateway);
            SET SESSION AUTHORIZATION \(gateway);
            SELECT wanted FROM blekeep.configure_1('\(gateway)', \(version.map { "\($0)" } ?? "NULL"), \(digest(version)),
                \(refused.map { "\($0)" } ?? "NULL"), \(digest(refused)), \(refused == nil ? "NULL" : "'line 3'"), \(devices), \(lost),
                \(uptime));
            """)
        return rows.first.flatMap { Int($0) }
    }

    private func apply(_ yaml: String, first: [String] = [], soak: Int = 600) throws -> Int? {
        try database.execute(
            "SELECT blekeep.apply_1('\(yaml)', '', '{\(first.joined(separator: ","))}', '\(soak) s')"
        ).first.flatMap { Int($0) }
    }

    private func rollBack(to version: Int? = nil) throws -> Int? {
        try database.execute("SELECT blekeep.rollback_1(\(version.map { "\($0)" } ?? "NULL"))").first.flatMap {
            Int($0)
        }
    }

    private func pass(_ seconds: Int, silent: [String] = gateways) throws {
        try database.execute(Self.passing(seconds, silent: silent))
    }

    private static func passing(_ seconds: Int, silent: [String] = gateways) -> String {
        let list = (silent + [""]).map { "'\($0)'" }.joined(separator: ",")
        return """
            UPDATE blekeep.running SET since = since - interval '\(seconds) s', steady = steady - interval '\(seconds) s';
            UPDATE blekeep.running SET seen = seen - interval '\(seconds) s' WHERE gateway IN (\(list));

            """
    }

    private func rollout() throws -> FleetRollout {
        try #require(FleetRollout(try database.execute("SELECT blekeep.rollout_1()").joined()))
    }

    /// The same random calls to a real PostgreSQL and to its model have the same answers.
    @Test(arguments: 1...TestLength.of(2, atNight: 4 as UInt64))
    func theDatabaseDoesWhatItsModelDoes(seed: UInt64) throws {
        var (random, model) = (SplitMix64(seed: seed), ModelRollouts())
        func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        func sql(_ number: Int?) -> String { number.map { "\($0)" } ?? "NULL" }
        func digest(_ version: Int?) -> String {
            "(SELECT digest FROM blekeep.configuration WHERE version = \(sql(version)))"
        }
        var script = "GRANT SELECT ON blekeep.configuration TO \(Self.gateways.joined(separator: ", "));"
        var (expected, runs): ([String], [String: Int]) = ([], [:])
        func call(_ function: String, _ answer: Int?) {
            let state = model.rollouts.last?.state.rawValue
            expected.append("answer \(answer.map { "\($0)" } ?? "none") \(state ?? "none")")
            script += """
                SELECT coalesce((\(function))::text, 'none') AS answer \\gset
                RESET SESSION AUTHORIZATION;
                SELECT 'answer ' || :'answer' || ' ' || coalesce(
                    (SELECT state FROM blekeep.rollout ORDER BY id DESC LIMIT 1), 'none');

                """
        }
        for _ in 0..<500 {
            let gateway = Self.gateways[number(below: 3)]
            switch number(below: 12) {
            case 0:
                let first = number(below: 4) == 0 ? [] : Self.gateways.filter { _ in number(below: 2) == 0 }
                let text = "a: \(number(below: 5))"
                call(
                    "SELECT blekeep.apply_1('\(text)', '', '{\(first.joined(separator: ","))}', '55 s')",
                    model.apply(text, first: first, soak: 55))
            case 1:
                let version = number(below: 2) == 0 ? nil : 1 + number(below: 5)
                call("SELECT blekeep.rollback_1(\(sql(version)))", model.rollBack(to: version))
            case 2...4:
                let seconds = [10, 20, 40, 80, 140][number(below: 5)]
                model.now += seconds
                script += Self.passing(seconds)
            default:
                let report = ModelRollouts.Report(
                    version: runs[gateway], refused: number(below: 12) == 0 ? model.rollouts.last?.version : nil,
                    devices: 100, lost: number(below: 4), uptime: number(below: 6) == 0 ? 4 : 100_000)
                let wanted = model.ask(gateway, report)
                script += "SET SESSION AUTHORIZATION \(gateway);\n"
                call(
                    """
                    SELECT wanted FROM blekeep.configure_1('\(gateway)', \(sql(report.version)), \(digest(report.version)),
                        \(sql(report.refused)), \(digest(report.refused)), 'line 3', \(report.devices), \(report.lost),
                        \(report.uptime))
                    """, wanted)
                if let wanted, number(below: 4) > 0 { runs[gateway] = wanted }
            }
        }
        let answers = try database.execute(script).filter { $0.hasPrefix("answer") }
        #expect(answers.count == expected.count)
        for (place, (answer, expected)) in zip(answers, expected).enumerated() where answer != expected {
            Issue.record("call \(place): \(answer) instead of \(expected)")
            return
        }
        #expect(["first", "all", "stopped"].allSatisfy { state in expected.contains { $0.hasSuffix(state) } })
    }

    @Test func nobodyGetsAnythingBeforeAVersionIsThere() throws {
        #expect(try ask("attic") == nil)
        #expect(try database.execute("SELECT blekeep.rollout_1()") == [])
        #expect(try rollBack() == nil)
    }

    @Test func theFirstGatewaysHaveAVersionBeforeTheOthers() throws {
        #expect(try apply("a: 1") == 1)
        for gateway in Self.gateways {
            #expect(try ask(gateway) == 1)
            #expect(try ask(gateway, runs: 1) == nil)
        }
        #expect(try apply("a: 2", first: ["attic"]) == 2)
        #expect(try ask("cellar", runs: 1) == nil)
        #expect(try ask("attic", runs: 1) == 2)
        try ask("attic", runs: 2)
        try pass(590, silent: [])
        try ask("attic", runs: 2)
        #expect(try ask("cellar", runs: 1) == nil)
        #expect(try rollout().state == .first)
        try pass(20, silent: [])
        try ask("attic", runs: 2)
        #expect(try rollout().state == .all)
        #expect(try ask("cellar", runs: 1) == 2)
    }

    @Test func whatAFirstGatewayRefusesReachesNoOther() throws {
        _ = try apply("a: 1")
        for gateway in Self.gateways { try ask(gateway, runs: 1) }
        _ = try apply("a: 2", first: ["attic"])
        #expect(try ask("attic", runs: 1) == 2)
        #expect(try ask("attic", runs: 1, refuses: 2) == nil, "it has said no")
        #expect(try rollout().state == .stopped)
        #expect(try rollout().reason == "attic refused it: line 3")
        try pass(10000, silent: [])
        for gateway in ["cellar", "roof"] { #expect(try ask(gateway, runs: 1) == nil) }
        // The next version goes its own way.
        #expect(try apply("a: 3", first: ["attic"]) == 3)
        #expect(try ask("attic", runs: 1, refuses: 2) == 3)
        #expect(try ask("cellar", runs: 1) == nil)
    }

    @Test func aVersionThatLosesDevicesStops() throws {
        _ = try apply("a: 1")
        for gateway in Self.gateways { try ask(gateway, runs: 1, lost: 1) }
        _ = try apply("a: 2", first: ["attic", "cellar"], soak: 60)
        for gateway in ["attic", "cellar"] { try ask(gateway, runs: 2, lost: gateway == "attic" ? 1 : 3) }
        #expect(try rollout().state == .first, "devices may come back")
        try pass(61, silent: [])
        try ask("cellar", runs: 2, lost: 3)
        #expect(try rollout().reason == "cellar can't read 3 of 10 devices, and 1 before")
        #expect(try ask("roof", runs: 1) == nil)
        // The user knows better.
        #expect(try apply("a: 2") == 2)
        #expect(try ask("roof", runs: 1) == 2)
    }

    /// A restarted gateway knows nothing of the devices that it gave to others.
    @Test func aRestartDoesNotHideLostDevices() throws {
        _ = try apply("a: 1")
        for gateway in Self.gateways { try ask(gateway, runs: 1) }
        _ = try apply("a: 2", first: ["attic"], soak: 60)
        try ask("attic", runs: 2)
        try pass(30, silent: [])
        try ask("attic", runs: 2, lost: 3)
        try ask("attic", runs: 2, uptime: 4)
        try pass(61, silent: [])
        try ask("attic", runs: 2, uptime: 65)
        #expect(try rollout().reason == "attic can't read 3 of 10 devices, and 0 before")
    }

    @Test func aVersionThatSilencesItsGatewayStops() throws {
        _ = try apply("a: 1")
        for gateway in Self.gateways { try ask(gateway, runs: 1) }
        _ = try apply("a: 2", first: ["attic"], soak: 120)
        try ask("attic", runs: 2)
        for _ in 0..<7 {
            try pass(20)
            try ask("cellar", runs: 1)
        }
        #expect(try rollout().reason == "attic has been silent since it runs it")
    }

    /// A gateway that ends again and again with a version is never silent for long.
    @Test func aVersionThatKeepsEndingItsGatewayReachesNoOther() throws {
        _ = try apply("a: 1")
        for gateway in Self.gateways { try ask(gateway, runs: 1) }
        _ = try apply("a: 2", first: ["attic"], soak: 60)
        for _ in 0..<10 {
            try ask("attic", runs: 2, uptime: 20)
            try pass(20, silent: ["attic"])
            #expect(try ask("cellar", runs: 1) == nil)
        }
        #expect(try rollout().state == .first)
        try pass(61, silent: [])
        try ask("attic", runs: 2, uptime: 81)
        #expect(try rollout().state == .all)
    }

    /// When the database was away, each gateway has been silent.
    @Test func aDatabaseThatWasAwayBlamesNoGateway() throws {
        _ = try apply("a: 1")
        for gateway in Self.gateways { try ask(gateway, runs: 1) }
        _ = try apply("a: 2", first: ["attic"], soak: 60)
        try ask("attic", runs: 2)
        try pass(3600)
        for _ in 0..<5 {
            try ask("cellar", runs: 1)
            try pass(10)
        }
        #expect(try rollout().state == .first)
        try ask("attic", runs: 2)
        #expect(try rollout().state == .all)
    }

    @Test func aRollbackReachesAllAtOnce() throws {
        _ = try apply("a: 1")
        _ = try apply("a: 2")
        #expect(try ask("attic", runs: 2) == nil)
        #expect(try rollBack() == 1)
        #expect(try ask("attic", runs: 2) == 1)
        #expect(try rollBack() == 1)
        #expect(try rollBack(to: 2) == 2)
        #expect(try rollBack(to: 9) == nil)
        #expect(try ask("attic", runs: 1) == 2)
        // The same text has the same version.
        #expect(try apply("a: 1") == 1)
        #expect(try database.execute("SELECT count(*) FROM blekeep.configuration") == ["2"])
    }

    @Test func aVersionNeverChangesAndGatewaysMayOnlyAsk() throws {
        _ = try apply("a: 1")
        #expect(throws: (any Error).self) { try database.execute("UPDATE blekeep.configuration SET yaml = 'x'") }
        try ask("attic", runs: 1)
        for statement in [
            "SELECT blekeep.apply_1('x', '', '{}', '0')", "SELECT blekeep.rollback_1(1)",
            "SELECT * FROM blekeep.configuration", "UPDATE blekeep.rollout SET state = 'all'",
            "SELECT blekeep.configure_1('attic', 1, '', NULL, NULL, NULL, 0, 0, 0)", "SELECT blekeep.advance('attic')",
        ] {
            #expect(throws: (any Error).self, "\(statement)") {
                try database.execute("SET SESSION AUTHORIZATION cellar; \(statement)")
            }
        }
    }

    /// Gateways of the version before go on with the tables of this one, and the other way round.
    @Test func twoVersionsOfTheTablesLiveTogether() throws {
        let old = try Database()
        try old.execute(PostgresSchema.statements(from: 0, to: 2))
        try old.execute(PostgresSchema.statements(from: 2))
        #expect(try old.execute("SELECT version FROM blekeep.setting") == ["3"])
    }

    // MARK: The gateway's side

    /// Connects as a gateway, and returns what the database gives it, until it has answered `count` times.
    private func given(
        running: FleetVersion?, givesConfiguration: Bool = true, refusing: String?
    ) throws -> [String] {
        var settings = PostgresConfiguration(
            hosts: [.init(name: "127.0.0.1", port: database.port)], database: "blekeep", isEncrypted: false,
            user: "attic",
            gateway: "attic")
        (settings.givesConfiguration, settings.running) = (givesConfiguration, running)
        let loop = try RunLoop()
        let gate = Gate(loop)
        nonisolated(unsafe) var texts: [String] = []
        let server = PostgresServer(
            settings, of: OwnershipContractTests.OnePart(), devices: [], version: "0.1.0", on: loop,
            applyFleet: { version, yaml, done in
                texts.append("\(version.number) \(yaml)")
                loop.soon {
                    done(refusing)
                    loop.schedule(at: loop.now + .seconds(1)) { gate.open() }
                }
            }
        ) { "right" }
        server.connect { _ in }
        try loop.run { await gate.wait(until: loop.now + .seconds(running == nil && givesConfiguration ? 30 : 1)) }
        server.end(isHandedOver: true)
        return texts
    }

    @Test func aGatewayTakesWhatItIsToHave() throws {
        _ = try apply("devices: []")
        #expect(try given(running: nil, refusing: nil).first == "1 devices: []")
        let digest = try #require(try database.execute("SELECT digest FROM blekeep.configuration").first)
        #expect(try given(running: FleetVersion(number: 1, digest: digest), refusing: nil) == [])
        #expect(try given(running: nil, givesConfiguration: false, refusing: nil) == [])
        #expect(try given(running: nil, refusing: "no") == ["1 devices: []"], "it isn't sent again")
        #expect(try database.execute("SELECT refused, problem FROM blekeep.running") == ["1|no"])
    }
}
