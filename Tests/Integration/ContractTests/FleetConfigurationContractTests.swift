import BlekeepOutputs
import BlekeepRecords
import BusBench
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepPostgres

/// One configuration for all gateways, in a real PostgreSQL.
@Suite(.enabled(if: Database.programs != nil, "needs Debian's package postgresql"), .serialized)
struct FleetConfigurationContractTests {
    private static let gateways = ["attic", "cellar", "roof"]
    private let database: Database

    init() throws {
        database = try Database()
        try database.execute(PostgresSchema.statements())
        for gateway in Self.gateways {
            try database.execute("CREATE ROLE \(gateway) LOGIN PASSWORD 'right' IN ROLE \(PostgresSchema.gateways)")
        }
    }

    /// Says what a gateway runs.
    ///
    /// - Returns: the version that it is to have; `nil` when it has it.
    @discardableResult
    private func ask(_ gateway: String, runs version: Int? = nil, refuses refused: Int? = nil) throws -> Int? {
        func digest(_ version: Int?) -> String {
            version.map { "(SELECT digest FROM d WHERE version = \($0))" } ?? "NULL"
        }
        let rows = try database.execute(
            """
            CREATE TEMP TABLE d AS SELECT * FROM blekeep.configuration;
            GRANT SELECT ON d TO \(gateway);
            SET SESSION AUTHORIZATION \(gateway);
            SELECT wanted FROM blekeep.configure_1('\(gateway)', \(version.map { "\($0)" } ?? "NULL"), \(digest(version)),
                \(refused.map { "\($0)" } ?? "NULL"), \(digest(refused)), \(refused == nil ? "NULL" : "'line 3'"));
            """)
        return rows.first.flatMap { Int($0) }
    }

    private static let last = "(SELECT max(id) FROM blekeep.assignment)"

    /// - Parameter seen: the assignment that the author saw; `nil` for the last one.
    private func apply(_ yaml: String, to gateways: [String]? = nil, over seen: Int? = nil) throws -> Int? {
        let list = gateways.map { "'{\($0.joined(separator: ","))}'" } ?? "NULL"
        return try database.execute(
            "SELECT blekeep.apply_1('\(yaml)', \(list), \(seen.map { "\($0)" } ?? Self.last))"
        ).first.flatMap { Int($0) }
    }

    private func rollBack(to version: Int? = nil, over seen: Int? = nil) throws -> Int? {
        let (version, seen) = (version.map { "\($0)" } ?? "NULL", seen.map { "\($0)" } ?? Self.last)
        return try database.execute("SELECT blekeep.rollback_1(\(version), \(seen))").first.flatMap { Int($0) }
    }

    private func versions() throws -> FleetVersions {
        try #require(FleetVersions(try database.execute("SELECT blekeep.versions_1()").joined()))
    }

    @Test func nobodyGetsAnythingBeforeAVersionIsThere() throws {
        #expect(try ask("attic") == nil)
        #expect(try database.execute("SELECT blekeep.versions_1()") == [])
        #expect(try rollBack() == nil)
    }

    @Test func eachGatewayGetsTheLastVersionThatIsMeantForIt() throws {
        #expect(try apply("a: 1") == 1)
        for gateway in Self.gateways {
            #expect(try ask(gateway) == 1)
            #expect(try ask(gateway, runs: 1) == nil)
        }
        #expect(try apply("a: 2", to: ["attic"], over: 1) == 2)
        #expect(try ask("attic", runs: 1) == 2)
        #expect(try ask("cellar", runs: 1) == nil)
        #expect(try versions().all == 1)
        #expect(try versions().gateways["attic"]?.wanted == 2)
        #expect(try apply("a: 2", over: 2) == 2)
        #expect(try ask("cellar", runs: 1) == 2)
        #expect(
            try database.execute("SELECT version, gateways FROM blekeep.assignment ORDER BY id") == [
                "1|", "2|{attic}", "2|",
            ])
    }

    @Test func whatAGatewayRefusesIsSaidAndNotSentAgain() throws {
        _ = try apply("a: 1")
        for gateway in Self.gateways { try ask(gateway, runs: 1) }
        _ = try apply("a: 2", to: ["attic"], over: 1)
        #expect(try ask("attic", runs: 1) == 2)
        #expect(try ask("attic", runs: 1, refuses: 2) == nil, "it has said no")
        #expect(try versions().notes.map(\.text) == ["attic refused version 2 of the configuration: line 3"])
        #expect(try versions().words(of: "attic") == "1, refused 2")
        #expect(try versions().words(of: "roof") == "1")
        #expect(try apply("a: 3", to: ["attic"], over: 2) == 3)
        #expect(try versions().words(of: "attic") == "1, not yet 3")
        #expect(try versions().notes == [])
        #expect(try ask("attic", runs: 1, refuses: 2) == 3)
    }

    /// Two operators at once: the second one looks first at what the first one did.
    @Test func aVersionReplacesTheOneThatItsAuthorSaw() throws {
        #expect(try apply("a: 1") == 1)
        for seen in [0, 2] {
            #expect(throws: (any Error).self) { try apply("a: 2", over: seen) }
        }
        #expect(try database.execute("SELECT count(*) FROM blekeep.configuration") == ["1"])
        #expect(try apply("a: 2", over: 1) == 2)
    }

    @Test func aRollbackReachesAllAtOnce() throws {
        _ = try apply("a: 1")
        _ = try apply("a: 2", over: 1)
        #expect(try ask("attic", runs: 2) == nil)
        #expect(try rollBack() == 1)
        #expect(try ask("attic", runs: 2) == 1)
        #expect(try rollBack() == nil)
        #expect(try rollBack(to: 2) == 2)
        #expect(try rollBack(to: 9) == nil)
        #expect(try ask("attic", runs: 1) == 2)
        // What only some have goes back to what all have. The same text has the same version.
        #expect(try apply("a: 1", to: ["roof"]) == 1)
        #expect(try ask("roof", runs: 2) == 1)
        #expect(try rollBack() == 2)
        #expect(try ask("roof", runs: 1) == 2)
        #expect(try database.execute("SELECT count(*) FROM blekeep.configuration") == ["2"])
    }

    /// Two operators see the same mistake.
    @Test func twoRollbacksAtOnceGoBackOnce() throws {
        for text in ["a: 1", "a: 2", "a: 3"] { _ = try apply(text) }
        #expect(try rollBack(over: 3) == 2)
        for version in [nil, 1] {
            #expect(throws: (any Error).self) { try rollBack(to: version, over: 3) }
        }
        #expect(try versions().all == 2)
        // What only some have, and had before, is something else, too.
        _ = try apply("a: 3", to: ["attic"])
        #expect(throws: (any Error).self) { try apply("a: 3", to: ["roof"], over: 4) }
    }

    @Test func aRollbackGoesToWhatWasInForceBefore() throws {
        for text in ["a: 1", "a: 2", "a: 3", "a: 1"] { _ = try apply(text) }
        #expect(try rollBack() == 3)
        #expect(try rollBack() == 2)
        _ = try rollBack(to: 3)
        #expect(try rollBack() == 2)
        // All had the same before some had another.
        _ = try apply("a: 3", to: ["attic"])
        _ = try apply("a: 2")
        #expect(try (0..<2).map { _ in try rollBack() } == [1, nil])
    }

    @Test func aVersionNeverChangesAndGatewaysMayOnlyAsk() throws {
        _ = try apply("a: 1")
        #expect(throws: (any Error).self) { try database.execute("UPDATE blekeep.configuration SET yaml = 'x'") }
        try ask("attic", runs: 1)
        for statement in [
            "SELECT blekeep.apply_1('x', NULL, NULL)", "SELECT blekeep.rollback_1(1, 1)",
            "SELECT * FROM blekeep.configuration", "DELETE FROM blekeep.assignment",
            "SELECT blekeep.configure_1('attic', 1, '', NULL, NULL, NULL)", "SELECT blekeep.meant_for('attic')",
        ] {
            #expect(throws: (any Error).self, "\(statement)") {
                try database.execute("SET SESSION AUTHORIZATION cellar; \(statement)")
            }
        }
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
                return true
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

    /// A gateway takes new versions slowly.
    @Test func aVersionThatIsReplacedMeanwhileIsNotTaken() throws {
        let settings = PostgresConfiguration(hosts: [], database: "blekeep", isEncrypted: false, gateway: "attic")
        nonisolated(unsafe) var (isEarly, taken) = (true, [Int]())
        let configurer = FleetConfigurer(
            settings,
            apply: { version, _, _ in
                if !isEarly { taken.append(version.number) }
                return !isEarly
            }, on: try RunLoop())
        configurer.answered(PostgresRow(["2", "two", "a: 2"]))
        isEarly = false
        configurer.answered(PostgresRow(["3", "three", "a: 3"]))
        #expect(taken == [3])
    }
}
