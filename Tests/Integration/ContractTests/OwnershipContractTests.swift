import BlekeepOutputs
import BlekeepRecords
import BusBench
import RunLoop
import SampleReadings
import Swarming
import Testing

@testable import BlekeepPostgres

/// The same random calls to a real PostgreSQL and to its model have the same answers. Time passes by moving what the database
/// has into the past.
@Suite(.enabled(if: Database.programs != nil, "needs Debian's package postgresql"), .serialized)
struct OwnershipContractTests {
    private static let gateways = ["attic", "cellar", "roof", "shed", "yard"]

    private let database: Database

    init() throws {
        database = try Database()
        try database.execute(PostgresSchema.statements())
        for gateway in Self.gateways {
            try database.execute("CREATE ROLE \(gateway) LOGIN PASSWORD 'right' IN ROLE \(PostgresSchema.gateways)")
        }
    }

    private static func call(_ gateway: String, _ tick: OwnershipTick, installation: String = "one") -> String {
        let texts = ([gateway, installation] + PostgresTick.parameters(of: tick)).map {
            "'\($0?.replacing("'", with: "''") ?? "")'"
        }
        return """
            SET SESSION AUTHORIZATION \(gateway);
            SELECT blekeep.tick_1(\(texts[0]), \(texts[1]), \(texts[2])::json, \(texts[3])::text[], \(texts[4])::json);
            RESET SESSION AUTHORIZATION;
            """
    }

    private static func pass(_ seconds: Int) -> String {
        """
        UPDATE blekeep.member
            SET seen = seen - interval '\(seconds) s', steady = steady - interval '\(seconds) s';
        UPDATE blekeep.owner SET since = since - interval '\(seconds) s', good_until = good_until - interval '\(seconds) s';
        UPDATE blekeep.heard SET time = time - interval '\(seconds) s';
        """
    }

    private static func random(_ random: inout SplitMix64, of gateway: String) -> OwnershipTick {
        var tick = OwnershipTick()
        for number in 1...4 as ClosedRange<UInt64> where !random.next().isMultiple(of: 5) {
            var device = OwnershipTick.Device(DeviceID(BluetoothAddress(bits: 0xF000_0000_0000 + number)))
            device.isHeard = random.next().isMultiple(of: 2)
            device.rssi = random.next().isMultiple(of: 8) ? nil : -50 - Int(random.next() % 45)
            // Seconds that differ from all limits, because the statements of a test take time.
            device.heardAge = 3 + Int(random.next() % 5) * 10
            device.isBonded = number == 4 && random.next().isMultiple(of: 4)
            device.valueAge = 4 + Int(random.next() % 40) * 10
            tick.devices.append(device)
            switch random.next() % 8 {
            case 0...3: tick.claims.append(device.id)
            case 4:
                tick.gives[device.id] = Self.gateways[Int(random.next() % 5)]
            default: break
            }
        }
        return tick
    }

    @Test(arguments: 1...TestLength.of(3, atNight: 8 as UInt64))
    func theDatabaseDoesWhatItsModelDoes(seed: UInt64) throws {
        var (random, model, script) = (SplitMix64(seed: seed), ModelStore(), "")
        var expected: [OwnershipAnswer] = []
        for _ in 0..<150 {
            let gateway = Self.gateways[Int(random.next() % 5)]
            switch random.next() % 10 {
            case 0...5:
                let tick = Self.random(&random, of: gateway)
                expected.append(model.tick(gateway, tick))
                script += Self.call(gateway, tick)
            case 6, 7, 8:
                let seconds = [10, 10, 10, 20, 40, 70, 200][Int(random.next() % 7)]
                model.now += seconds
                script += Self.pass(seconds)
            default:
                let device = DeviceID(BluetoothAddress(bits: 0xF000_0000_0000 + 1 + random.next() % 4))
                if random.next().isMultiple(of: 2) {
                    model.leave(gateway)
                    script +=
                        "SET SESSION AUTHORIZATION \(gateway); SELECT blekeep.leave_1('\(gateway)', 'one'); RESET SESSION AUTHORIZATION;\n"
                } else if model.move(device, to: gateway) {
                    script += "SELECT blekeep.move_1('\(device)', '\(gateway)');\n"
                }
            }
        }
        let answers = try database.execute(script).filter { $0.hasPrefix("{") }.map { OwnershipAnswer($0) }
        #expect(answers.count == expected.count)
        for (place, (answer, expected)) in zip(answers, expected).enumerated() where answer != expected {
            for (one, other) in zip(answer.devices, expected.devices) where one != other {
                Issue.record("call \(place): \(one) instead of \(other)")
            }
            return
        }
        #expect(model.owners.values.contains { $0.epoch > 3 }, "nothing changed hands")
    }

    private static let owner = "SELECT coalesce(gateway, '-'), epoch FROM blekeep.owner"

    private func owner() throws -> [String] { try database.execute(Self.owner) }

    private static func claim() -> OwnershipTick {
        var tick = OwnershipTick()
        tick.devices = [OwnershipTick.Device(DeviceID(BluetoothAddress(bits: 0xF000_0000_0001)))]
        tick.claims = tick.devices.map(\.id)
        return tick
    }

    /// A gateway whose row another transaction doesn't see yet is none that is gone.
    @Test func aGatewayThatHasJustJoinedKeepsWhatItClaims() throws {
        try database.execute("INSERT INTO blekeep.owner (device, gateway) VALUES ('f00000000001', 'new')")
        try database.execute(Self.call("attic", Self.claim()))
        #expect(try owner() == ["new|1"])
    }

    /// All at once, while each has just joined.
    @Test func gatewaysThatClaimAtTheSameTimeNeverTakeWhatAnotherHas() async throws {
        var tick = OwnershipTick()
        tick.devices = (1...100).map { OwnershipTick.Device(DeviceID(BluetoothAddress(bits: 0xF000_0000_0000 + $0))) }
        nonisolated(unsafe) let database = database
        // Swift 6.2.3 lets no task capture what is not `Sendable`.
        let execute: @Sendable (String) throws -> Void = { try database.execute($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, gateway) in Self.gateways.enumerated() {
                var own = tick
                // In different orders.
                own.devices = place.isMultiple(of: 2) ? tick.devices : tick.devices.reversed()
                own.claims = own.devices.map(\.id)
                let script = String(repeating: Self.call(gateway, own), count: 20)
                group.addTask { try execute(script) }
            }
            try await group.waitForAll()
        }
        #expect(try database.execute("SELECT count(*), min(epoch), max(epoch) FROM blekeep.owner") == ["100|1|1"])
    }

    /// Also where a user wanted the device to go to one of those that are gone, or to stay.
    @Test(arguments: ["cellar", "attic"]) func whatIsLeftOfGatewaysThatAreGoneIsFree(heir: String) throws {
        try database.execute(Self.call("attic", Self.claim()))
        try database.execute(Self.call("cellar", OwnershipTick()))
        try database.execute("SELECT blekeep.move_1('f00000000001', '\(heir)')")
        // The gateways didn't vanish at once.
        try database.execute(Self.pass(200))
        for _ in 0..<12 {
            // The others may be about to come back. One program asks, because the time that it takes to start counts, too.
            let owners = try database.execute(Self.call("roof", Self.claim()) + Self.pass(10) + Self.owner)
            #expect(!owners.contains("roof|2"))
        }
        try database.execute(Self.call("roof", Self.claim()))
        #expect(try owner() == ["roof|2"])
    }

    /// A gateway that says that it alone has the keys, and that its values are good for ever.
    @Test func noGatewayKeepsWhatAUserMoves() throws {
        var tick = Self.claim()
        (tick.devices[0].isBonded, tick.devices[0].patience) = (true, .max >> 33)
        try database.execute(Self.call("attic", tick) + Self.call("cellar", OwnershipTick()))
        try database.execute(Self.call("attic", tick) + "SELECT blekeep.move_1('f00000000001', 'cellar')")
        for _ in 0..<6 {
            #expect(try owner() == ["attic|1"])
            try database.execute(Self.pass(11) + Self.call("attic", tick) + Self.call("cellar", Self.claim()))
        }
        #expect(try owner() == ["cellar|2"])
    }

    /// While the database is away for half a minute, some gateways come back to it sooner than others.
    @Test func aGatewayThatComesBackToTheDatabaseLaterKeepsItsDevice() throws {
        try database.execute(Self.call("attic", Self.claim()) + Self.call("cellar", OwnershipTick()))
        try database.execute(Self.pass(25) + Self.call("cellar", OwnershipTick()))
        for _ in 0..<4 { try database.execute(Self.pass(10) + Self.call("cellar", Self.claim())) }
        #expect(try owner() == ["attic|1"])
        try database.execute(Self.call("attic", Self.claim()))
        // And now it is gone while the other is there.
        for _ in 0..<4 { try database.execute(Self.pass(10) + Self.call("cellar", Self.claim())) }
        #expect(try owner() == ["cellar|2"])
    }

    @Test func aGatewayThatOnlyRestartsLosesWhatItDoesNotRead() throws {
        var tick = Self.claim()
        // There was never a value.
        tick.devices[0].valueAge = 100_000_000
        let rest = Self.call("attic", tick) + Self.pass(10) + Self.call("cellar", OwnershipTick())
        try database.execute(String(repeating: rest, count: 29))
        try database.execute(Self.call("attic", tick) + Self.call("cellar", Self.claim()))
        #expect(try owner() == ["attic|1"])
        try database.execute(rest + rest + Self.call("cellar", Self.claim()))
        #expect(try owner() == ["cellar|2"])
    }

    /// A gateway that said so is away at once, but may have come back while the database was away, and reads what it had.
    @Test func aGatewayThatEndedBeforeTheDatabaseWasAwayHasTimeToComeBack() throws {
        let leave =
            "SET SESSION AUTHORIZATION attic; SELECT blekeep.leave_1('attic', 'one'); RESET SESSION AUTHORIZATION;"
        try database.execute(Self.call("attic", Self.claim()))
        try database.execute(Self.call("cellar", OwnershipTick()) + leave + Self.pass(5))
        try database.execute(Self.pass(300) + Self.call("cellar", Self.claim()))
        #expect(try owner() == ["attic|1"])
        // At once, because the database counts real seconds, too.
        try database.execute(
            Self.pass(10) + Self.call("attic", Self.claim()) + leave + Self.pass(3)
                + Self.call("cellar", Self.claim()))
        #expect(try owner() == ["cellar|2"])
    }

    @Test func anotherMachineOfTheSameNameIsRefused() throws {
        try database.execute(Self.call("attic", Self.claim()))
        #expect(throws: (any Error).self) {
            try database.execute(Self.call("attic", Self.claim(), installation: "two"))
        }
        func adopt() throws {
            try database.execute("SET SESSION AUTHORIZATION attic; SELECT blekeep.adopt_1('attic', 'two')")
        }
        #expect(throws: (any Error).self, "the other machine runs") { try adopt() }
        try database.execute(Self.pass(31))
        try adopt()
        try database.execute(Self.call("attic", Self.claim(), installation: "two"))
        #expect(throws: (any Error).self) { try database.execute(Self.call("attic", Self.claim())) }
    }

    @Test func aGatewayMayOnlySpeakForItself() throws {
        try database.execute(Self.call("attic", Self.claim()))
        let words = Self.call("attic", Self.claim()).replacing("AUTHORIZATION attic", with: "AUTHORIZATION cellar")
        #expect(throws: (any Error).self) { try database.execute(words) }
        for statement in ["UPDATE blekeep.owner SET gateway = 'attic'", "DELETE FROM blekeep.member"] {
            #expect(throws: (any Error).self) {
                try database.execute("SET SESSION AUTHORIZATION attic; \(statement)")
            }
        }
        try database.execute("SET SESSION AUTHORIZATION cellar; SELECT blekeep.leave_1('attic', 'one')")
        #expect(try database.execute("SELECT blekeep.is_alive(m) FROM blekeep.member AS m") == ["t"])
    }

    /// As a role that turns its timeouts off can.
    @Test func anOpenTransactionOfAGatewayHoldsUpNoOther() throws {
        let devices = (1...3).map { OwnershipTick.Device(DeviceID(BluetoothAddress(bits: 0xF000_0000_0000 + $0))) }
        func claim(_ places: Int..., of gateway: String) -> String {
            var tick = OwnershipTick()
            (tick.devices, tick.claims) = (devices, places.map { devices[$0].id })
            return Self.call(gateway, tick)
        }
        try database.execute(claim(0, of: "attic"))
        let open = "BEGIN; \(claim(0, 1, of: "attic"))"
        let loop = try RunLoop()
        let attic = PostgresClient(Self.settings(database.port, "attic"), on: loop)
        let gate = Gate(loop)
        nonisolated(unsafe) var isOpen = false
        try loop.run {
            attic.connect(password: "right") { _ in gate.open() }
            await gate.wait(until: loop.now + .seconds(20))
            attic.run(open) { result in
                if case .success = result { isOpen = true }
                gate.open()
            }
            await gate.wait(until: loop.now + .seconds(20))
        }
        #expect(isOpen)
        // The last one claims what the other one has claimed, and can't know that yet.
        for words in [claim(0, 2, of: "cellar"), claim(1, of: "cellar")] {
            try database.execute("SET lock_timeout = '5s'; \(words)")
        }
        #expect(
            try database.execute("SELECT gateway, device FROM blekeep.owner ORDER BY device") == [
                "attic|f00000000001", "cellar|f00000000003",
            ])
        attic.close()
    }

    @Test func aGatewayLeavesFewRows() throws {
        func tick(_ letter: String, gives: Bool = false) -> String {
            let ids = "SELECT '\(letter)' || n AS id, 1 AS heard FROM generate_series(1, 9000) AS n"
            return """
                SET SESSION AUTHORIZATION attic;
                SELECT blekeep.tick_1('attic', 'one', (SELECT json_agg(i) FROM (\(ids)) AS i), ARRAY(SELECT id FROM (\(ids)) AS i),
                    (\(gives ? "SELECT json_object_agg(i.id, 'x') FROM (\(ids)) AS i" : "SELECT '{}'::json"))) IS NULL;
                RESET SESSION AUTHORIZATION;
                """
        }
        let count = "SELECT count(*) FROM blekeep.owner;"
        #expect(try database.execute(tick("a") + tick("b") + count).last == "5000")
        #expect(
            try database.execute(tick("a", gives: true) + tick("b") + tick("c", gives: true) + count).last == "6000")
        let move = "SELECT blekeep.move_1('d' || n, 'attic') FROM generate_series(1, 1500) AS n;"
        #expect(try database.execute(move + count).last == "6000")
        #expect(try database.execute("SELECT count(*) FROM blekeep.heard") == ["9000"])
    }

    // MARK: The server

    final class OnePart: HistoryIdentity {
        func parts() -> [HistoryPart] { [HistoryPart(first: 1, id: String(repeating: "a", count: 32))] }
        func begin(at number: Int64) {}
        func owned() -> [DeviceID] { [] }
        func keep(owned devices: [DeviceID]) {}
        var last: DatabaseServer?
        func server() -> DatabaseServer? { last }
        func keep(_ server: DatabaseServer) { last = server }
    }

    private static func settings(_ port: Int, _ gateway: String) -> PostgresConfiguration {
        PostgresConfiguration(
            hosts: [.init(name: "127.0.0.1", port: port)], database: "blekeep", isEncrypted: false, user: gateway,
            gateway: gateway)
    }

    /// A gateway that hears a device, and does what it decides.
    private final class Member {
        let server: PostgresServer
        private(set) var decisions: [String] = []
        private var status: DeviceStatus

        init(_ settings: PostgresConfiguration, _ device: DeviceConfiguration, on loop: RunLoop, gate: Gate) {
            server = PostgresServer(settings, of: OnePart(), devices: [device], version: "0.1.0", on: loop) { "right" }
            status = DeviceStatus(device, since: 0)
            (status.intervalReason, status.link) = (.standby, .listening)
            server.onDecision = { [unowned self] command in
                self.decisions.append("\(command.action)")
                if case .takeOver = command.action { self.status.intervalReason = .configured }
                gate.open()
            }
        }

        func begin() {
            var changes = LedgerChanges()
            changes.poller = GatewayStatus(pid: 42, started: 0, seen: 0, power: .init(mode: .normal, reason: ""))
            changes.poller?.adapters = [.init(name: "hci0", isOn: true, trouble: nil)]
            changes.statuses = [status]
            server.note(changes, nil)
            server.note(status.id, rssi: -50)
            server.connect { _ in }
        }
    }

    @Test func aGatewayThatEndsLeavesItsDeviceToTheOther() throws {
        var device = DeviceConfiguration(alias: "roof", address: try #require(BluetoothAddress("F0:00:00:00:00:01")))
        device.gateways = ["any"]
        let loop = try RunLoop()
        let gate = Gate(loop)
        let other = Self.settings(database.port, "attic")
        let cellar = Member(Self.settings(database.port, "cellar"), device, on: loop, gate: gate)
        let attic = Member(other, device, on: loop, gate: gate)
        nonisolated(unsafe) let members = [cellar, attic]
        try loop.run {
            members[0].begin()
            await gate.wait(until: loop.now + .seconds(20))
            members[1].begin()
            await gate.wait(until: loop.now + .seconds(2))
            members[0].server.end(isHandedOver: false)
            await gate.wait(until: loop.now + .seconds(30))
        }
        #expect(cellar.decisions.count == 1 && attic.decisions.count == 1, "\(cellar.decisions) \(attic.decisions)")
        #expect(try database.execute("SELECT gateway, epoch FROM blekeep.owner") == ["attic|2"])
        attic.server.end(isHandedOver: true)
        #expect(try database.execute("SELECT count(*) FROM blekeep.member AS m WHERE blekeep.is_alive(m)") == ["1"])
    }

    /// Otherwise, the others would wait for the lease to end.
    @Test func aGatewayThatEndsSaysSoAlsoWithReadingsOnTheirWay() throws {
        var device = DeviceConfiguration(alias: "roof", address: try #require(BluetoothAddress("F0:00:00:00:00:01")))
        device.gateways = ["any"]
        let loop = try RunLoop()
        let gate = Gate(loop)
        let cellar = Member(Self.settings(database.port, "cellar"), device, on: loop, gate: gate)
        let readings = try (1...500 as ClosedRange<Int64>).map { number in
            LiveReading(sequence: number, reading: try makeReading(makeValue(.integer(number))))
        }
        nonisolated(unsafe) let member = cellar
        try loop.run {
            member.begin()
            await gate.wait(until: loop.now + .seconds(20))
            let sink = BatchSink(member.server, on: loop)
            sink.send(readings, isLive: false, key: 1)
            sink.end()
        }
        #expect(try database.execute("SELECT has_left FROM blekeep.member") == ["t"])
        #expect(try database.execute("SELECT count(*) FROM blekeep.reading") == ["500"])
    }

    /// A connection that the network lost would keep the locks of its last statement.
    @Test func aGatewayHasOneConnection() throws {
        let device = DeviceConfiguration(alias: "roof", address: try #require(BluetoothAddress("F0:00:00:00:00:01")))
        let loop = try RunLoop()
        func connect() throws -> PostgresServer {
            let server = PostgresServer(
                Self.settings(database.port, "cellar"), of: OnePart(), devices: [device], version: "0.1.0", on: loop
            ) { "right" }
            let gate = Gate(loop)
            try loop.run {
                server.connect { _ in gate.open() }
                await gate.wait(until: loop.now + .seconds(20))
            }
            return server
        }
        let count = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'cellar'"
        let lost = try connect()
        let next = try connect()
        #expect(try database.execute(count) == ["1"])
        for server in [lost, next] { server.end(isHandedOver: true) }
    }
}
