import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords
import Foundation
import Logging
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepPostgres

/// The sink, the publisher and a real PostgreSQL.
@Suite(.enabled(if: Database.programs != nil, "needs Debian's package postgresql"), .serialized)
struct PostgresSinkTests {
    /// A database with the schema, and a gateway's role `cellar`.
    private static func database() throws -> Database {
        let database = try Database()
        try database.execute(PostgresSchema.statements())
        try database.execute("CREATE ROLE cellar LOGIN PASSWORD 'right' IN ROLE \(PostgresSchema.gateways)")
        return database
    }

    private func settings(_ port: Int, user: String = "cellar", _ hosts: [Int] = []) -> PostgresConfiguration {
        var settings = PostgresConfiguration(
            hosts: (hosts + [port]).map { .init(name: "127.0.0.1", port: $0) }, database: "blekeep", isEncrypted: false,
            user: user, gateway: "cellar")
        settings.batchAge = .milliseconds(1)
        return settings
    }

    /// Identities that a test sets.
    private final class Parts: HistoryIdentity {
        var all = [HistoryPart(first: 1, id: String(repeating: "a", count: 32))]
        func parts() -> [HistoryPart] { all }
        func begin(at number: Int64) { all.append(HistoryPart(first: number, id: String(repeating: "b", count: 32))) }
        var devices: [DeviceID] = []
        func owned() -> [DeviceID] { devices }
        func keep(owned new: [DeviceID]) { devices = new }
        var last: DatabaseServer?
        func server() -> DatabaseServer? { last }
        func keep(_ server: DatabaseServer) { last = server }
    }

    private func readings(
        _ numbers: some Sequence<Int64>, _ change: (inout Reading) -> Void = { _ in }
    ) throws -> [LiveReading] {
        try numbers.map { number in
            var reading = try makeReading(makeValue(.number(Double(number) / 100)))
            change(&reading)
            return LiveReading(sequence: number, reading: reading)
        }
    }

    /// Sends these readings, and returns how that ended: `nil` when the database has them.
    private func send(
        _ readings: [LiveReading], to settings: PostgresConfiguration, of parts: Parts = Parts(),
        password: String = "right"
    ) throws -> String? {
        let loop = try RunLoop()
        let sink = BatchSink(settings, of: parts, devices: [], version: "0.1.0", on: loop) { password }
        nonisolated(unsafe) var end: String??
        let gate = Gate(loop)
        sink.onEvent = { event in
            switch event {
            case .connected: sink.send(readings, isLive: false, key: 1)
            case .confirmed: end = .some(end ?? nil)
            case .refused(let count, let reason): end = "refused \(count): \(reason)"
            case .lost(let error): end = "\(error)"
            default: return
            }
            if case .refused = event { return }
            if end != nil { gate.open() }
        }
        sink.connect()
        try loop.run { await gate.wait(until: loop.now + .seconds(60)) }
        sink.end()
        return try #require(end)?.replacing(":\(settings.hosts.last?.port ?? 0)", with: "")
    }

    @Test func eachReadingIsThereOnceWithItsTypeAndItsWords() throws {
        let database = try Self.database()
        let outcomes: [Reading.Outcome] = [
            makeValue(.integer(-3)), makeValue(.boolean(true), field: "open", unit: nil),
            makeValue(.text("a\"b\\c\u{0}'; DROP"), field: "text", unit: nil),
            makeValue(.list([.integer(1), .number(2.5)]), field: "list", unit: nil),
            makeValue(nil, field: "rate", state: "unknown"), makeFailure("no answer", code: "silent"),
        ]
        let all = try outcomes.enumerated().map { place, outcome in
            LiveReading(sequence: Int64(place + 1), reading: try makeReading(outcome, device: "größe"))
        }
        for _ in 0..<2 { #expect(try send(all, to: settings(database.port)) == nil) }
        let rows = try database.execute(
            "SELECT seq, gateway, device, alias, field, unit, value, text, error FROM blekeep.readings ORDER BY seq")
        #expect(
            rows == [
                "1|cellar|f00000000001|größe|temperature|°C|-3||", "2|cellar|f00000000001|größe|open||1|true|",
                "3|cellar|f00000000001|größe|text|||a\"b\\c\u{FFFD}'; DROP|",
                "4|cellar|f00000000001|größe|list|||[1,2.5]|", "5|cellar|f00000000001|größe|rate|°C||unknown|",
                "6|cellar|f00000000001|größe||||no answer|silent",
            ])
        #expect(try database.execute("SELECT received FROM blekeep.history") == ["{[1,7)}"])
        #expect(try database.execute("SELECT count(*) FROM blekeep.newest") == ["6"])
        #expect(try database.execute("SELECT count, mean FROM blekeep.hourly WHERE field = 'open'") == ["1|1"])
    }

    /// Two packets of manufacturer data with one field name are two series.
    @Test func twoFormatsAreTwoSeries() throws {
        let database = try Self.database()
        let packets = try makePackets()
        let all = (packets + packets).enumerated().map { place, reading in
            LiveReading(sequence: Int64(place + 1), reading: reading)
        }
        #expect(try send(all, to: settings(database.port)) == nil)
        #expect(
            try database.execute("SELECT name, value FROM blekeep.newest ORDER BY name") == [
                "Govee|30.5", "Ruuvi|20.5",
            ])
        #expect(
            try database.execute("SELECT name, format FROM blekeep.series ORDER BY name") == [
                "Govee|Govee", "Ruuvi|Ruuvi",
            ])
    }

    /// They are in the views as all others, and their hours have them, but they aren't the newest.
    @Test func whatADeviceKeptInItsMemoryIsThereOnce() throws {
        let database = try Self.database()
        let live = try readings(1...2)
        let memory = try readings(1...3) { $0.time -= 7_200_000 }.map { reading in
            LiveReading(
                logged: StoredReading(
                    sequence: StoredReading.loggedBase + (reading.sequence ?? 0), reading: reading.reading))
        }
        for _ in 0..<2 { #expect(try send(live + memory, to: settings(database.port)) == nil) }
        #expect(try database.execute("SELECT count(*), count(DISTINCT seq) FROM blekeep.readings") == ["5|5"])
        #expect(try database.execute("SELECT value FROM blekeep.newest") == ["0.02"])
        #expect(try database.execute("SELECT count FROM blekeep.hourly ORDER BY time") == ["3", "2"])
        let base = StoredReading.loggedBase
        #expect(
            try database.execute("SELECT received FROM blekeep.history") == ["{[1,3),[\(base + 1),\(base + 4))}"])
    }

    /// The clock is corrected between the two, so that the day is another one.
    @Test func aReadingThatComesAgainAtAnotherTimeIsTheSame() throws {
        let database = try Self.database()
        #expect(try send(try readings(1...50), to: settings(database.port)) == nil)
        let later = try readings(1...60) { $0.time += 86_400_000 }
        #expect(try send(later, to: settings(database.port)) == nil)
        #expect(try database.execute("SELECT count(*), count(DISTINCT seq) FROM blekeep.reading") == ["60|60"])
    }

    @Test func theDatabaseSaysWhichNumbersItLacks() {
        let one = [HistoryPart(first: 1, id: "a")]
        let two = one + [HistoryPart(first: 61, id: "b")]
        func lacking(_ texts: [String], of parts: [HistoryPart]) -> [Range<Int64>] {
            ReceivedNumbers(texts, of: parts, hadSome: false).lacking
        }
        #expect(lacking(["{}"], of: one) == [], "a new database begins with what comes")
        #expect(lacking(["{[40,101)}"], of: one) == [101..<Int64.max])
        #expect(lacking(["{[40,50),[60,101)}"], of: one) == [50..<60, 101..<Int64.max])
        // The readings from 61 to 100 of the first part were others.
        #expect(lacking(["{[40,50),[55,101)}", "{[70,90)}"], of: two) == [50..<55, 61..<70, 90..<Int64.max])
        #expect(lacking(["{[40,50)}", "{}"], of: two) == [50..<61, 61..<Int64.max])
        #expect(lacking(["{}", "{[70,90)}"], of: two) == [90..<Int64.max])
        #expect(ReceivedNumbers(["{[40,50),[60,101)}", "{[70,90)}"], of: two, hadSome: false).count == 71)
        // It was created again.
        #expect(ReceivedNumbers(["{}", "{}"], of: two, hadSome: true).lacking == [1..<61, 61..<Int64.max])
        #expect(ReceivedNumbers(["{[40,101)}"], of: one, hadSome: true).lacking == [101..<Int64.max])
        for text in ["", "[", "{[5,1)}", "{[-9223372036854775808,9223372036854775807)}", "{[1,99999999999999999999)}"] {
            #expect(
                ReceivedNumbers([text], of: one, hadSome: false) == ReceivedNumbers(["{}"], of: one, hadSome: false),
                "\(text)")
        }
    }

    @Test func whatFollowsARestoredHistoryIsAnotherHistory() throws {
        let database = try Self.database()
        let parts = Parts()
        #expect(try send(try readings(1...100), to: settings(database.port), of: parts) == nil)
        // 41 to 60 were unconfirmed in the backup; the readings from 61 on are others.
        let restored =
            try readings(41...60)
            + readings(61...120) {
                $0.device = "attic"; $0.outcome = makeValue(.number(-1))
            }
        let failure = try send(restored, to: settings(database.port), of: parts)
        #expect(
            failure?.contains(" has other readings from 61 on: an older history was restored, or ") == true)
        #expect(try send(restored, to: settings(database.port), of: parts) == nil)
        let rows = try database.execute(
            "SELECT installation, count(*), count(DISTINCT seq), min(seq) FROM blekeep.readings GROUP BY 1 ORDER BY 1")
        #expect(rows.map { $0.split(separator: "|").dropFirst().joined(separator: "|") } == ["100|100|1", "60|60|61"])
    }

    @Test func aReadingThatTheDatabaseRefusesIsSkippedAlone() throws {
        let database = try Self.database()
        #expect(try send(try readings(1...10), to: settings(database.port)) == nil)
        let all = try readings(11...40) { if $0.outcome == makeValue(.number(0.17)) { $0.time = .max / 4 } }
        let refused = try send(all, to: settings(database.port))
        #expect(refused?.hasPrefix("refused 1: ") == true, "\(refused ?? "")")
        #expect(try database.execute("SELECT count(*) FROM blekeep.reading") == ["39"])
    }

    @Test func readingsOfAllTimesAreStored() throws {
        let database = try Self.database()
        let all = try readings(1...200) { reading in
            guard case .value(let measurement, _) = reading.outcome, case .number(let number)? = measurement.value
            else { return }
            reading.time = Int64(number * 100) * 20 * 365 * 86_400_000 / 200
        }
        #expect(try send(all, to: settings(database.port)) == nil)
        #expect(try database.execute("SELECT count(*) FROM blekeep.reading") == ["200"])
    }

    /// As a panel, a backup, or a forgotten `BEGIN`, also over midnight.
    @Test func noGatewayWaitsForAReader() throws {
        let database = try Self.database()
        #expect(try send(try readings(1...5), to: settings(database.port)) == nil)
        try database.execute("GRANT \(PostgresSchema.readers) TO cellar")
        let loop = try RunLoop()
        let reader = PostgresClient(settings(database.port), on: loop)
        let gate = Gate(loop)
        nonisolated(unsafe) var answers = 0
        try loop.run {
            reader.connect(password: "right") { _ in gate.open() }
            await gate.wait(until: loop.now + .seconds(20))
            for view in ["readings", "newest", "hourly"] {
                reader.run("BEGIN; SELECT count(*) FROM blekeep.\(view)") { result in
                    if case .success = result { answers += 1 }
                    gate.open()
                }
                await gate.wait(until: loop.now + .seconds(20))
            }
        }
        #expect(answers == 3)
        try database.execute("UPDATE blekeep.setting SET keep = '1 day'")
        // The next day, and one that is over.
        let later = try readings(6...9) { $0.time += 86_400_000 * ($0.outcome == makeValue(.number(0.06)) ? 1 : -400) }
        #expect(try send(later, to: settings(database.port)) == nil)
        #expect(
            try database.execute("SELECT count(*) FROM pg_locks WHERE NOT granted OR mode = 'AccessExclusiveLock'")
                == ["0"])
        reader.close()
    }

    /// Whatever it locks, and however it sets its own timeouts.
    @Test func noRoleStopsTheReadingsOfAnother() throws {
        let database = try Self.database()
        try database.execute("CREATE ROLE attic LOGIN PASSWORD 'right' IN ROLE \(PostgresSchema.gateways)")
        let loop = try RunLoop()
        let attic = PostgresClient(settings(database.port, user: "attic"), on: loop)
        let gate = Gate(loop)
        nonisolated(unsafe) var hasLocks = false
        try loop.run {
            attic.connect(password: "right") { _ in gate.open() }
            await gate.wait(until: loop.now + .seconds(20))
            attic.run(
                """
                SET idle_in_transaction_session_timeout = 0; BEGIN;
                SELECT pg_advisory_lock(hashtext('blekeep.put'), hashtext('cellar')),
                    pg_advisory_lock(hashtext('blekeep.clean'))
                """
            ) { result in
                if case .success = result { hasLocks = true }
                gate.open()
            }
            await gate.wait(until: loop.now + .seconds(20))
        }
        #expect(hasLocks)
        let keep = "UPDATE blekeep.setting SET keep = '1 day', watched = now() - interval '2 minutes';"
        try database.execute("ALTER ROLE cellar SET lock_timeout = '5s'; \(keep)")
        #expect(try send(try readings(1...5), to: settings(database.port)) == nil)
        // They are years old.
        #expect(try database.execute("SELECT count(*) FROM blekeep.reading") == ["0"])
        #expect(try database.execute("SELECT watched > now() - interval '1 minute' FROM blekeep.setting") == ["t"])
        let left = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'attic'"
        #expect(try database.execute("SELECT blekeep.end_long('1 minute'); \(left)").last == "1")
        try database.execute("SELECT blekeep.end_long('0')")
        loop.schedule(at: loop.now + .seconds(20)) { gate.open() }
        attic.onEnd = { _ in gate.open() }
        try loop.run { await gate.wait(until: loop.now + .seconds(20)) }
        #expect(try database.execute(left) == ["0"])
    }

    @Test func oldReadingsAreDeletedAndTheirHoursStay() throws {
        let database = try Self.database()
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let all = try readings(1...90) { reading in
            guard case .value(let measurement, _) = reading.outcome, case .number(let number)? = measurement.value
            else { return }
            reading.time = now - Int64(number * 100) * 86_400_000
        }
        #expect(try send(all, to: settings(database.port)) == nil)
        try database.execute("UPDATE blekeep.setting SET keep = '30 days 1 minute'")
        #expect(try send(try readings([91]) { $0.time = now }, to: settings(database.port)) == nil)
        #expect(try database.execute("SELECT count(*) FROM blekeep.reading") == ["31"])
        // What came and is gone doesn't come again.
        #expect(try send(all, to: settings(database.port)) == nil)
        #expect(try database.execute("SELECT count(*) FROM blekeep.reading") == ["31"])
        #expect(
            try database.execute("SELECT sum(count), round(sum(mean * count)::numeric, 2) FROM blekeep.hourly") == [
                "91|41.86"
            ])
    }

    /// In whatever order they come, hours have all readings.
    @Test func hoursHaveWhatCameLate() throws {
        let database = try Self.database()
        func at(_ hour: Int64) -> (inout Reading) -> Void { { $0.time += hour * 3_600_000 } }
        for (numbers, hour) in [(1...4, 0), (9...10, 2), (5...8, 1), (11...12, 2), (13...13, 0)] {
            #expect(
                try send(
                    try readings((numbers as ClosedRange<Int>).map { Int64($0) }, at(Int64(hour))),
                    to: settings(database.port)) == nil)
        }
        #expect(
            try database.execute("SELECT count, round(mean::numeric, 3), min, max FROM blekeep.hourly ORDER BY time")
                == ["5|0.046|0.01|0.13", "4|0.065|0.05|0.08", "4|0.105|0.09|0.12"])
        #expect(try database.execute("SELECT value FROM blekeep.newest") == ["0.12"])
    }

    /// A clock that is ahead for a minute hides nothing for an hour.
    @Test func aReadingFromTheFutureIsTheNewestOnlyUntilTheNextOne() throws {
        let database = try Self.database()
        for (number, lead) in [(1, -60_000), (2, 3_600_000), (3, 0)] as [(Int64, Int64)] {
            let time = Int64(Date().timeIntervalSince1970 * 1000) + lead
            #expect(try send(try readings([number]) { $0.time = time }, to: settings(database.port)) == nil)
        }
        #expect(try database.execute("SELECT value FROM blekeep.newest") == ["0.03"])
        #expect(try database.execute("SELECT sum(count) FROM blekeep.hourly") == ["3"])
    }

    @Test func numbersOfHistoriesAreNotUsedUp() throws {
        let database = try Self.database()
        for number in 1...5 as ClosedRange<Int64> {
            #expect(try send(try readings([number]), to: settings(database.port)) == nil)
        }
        #expect(try database.execute("SELECT last_value FROM blekeep.history_id_seq") == ["1"])
        #expect(try database.execute("SELECT last_value FROM blekeep.series_id_seq") == ["1"])
    }

    /// Lost readings leave gaps for ever.
    @Test func gapsDoNotGrowWithoutBound() throws {
        let database = try Self.database()
        #expect(try send(try readings(stride(from: 1, to: 5000, by: 2)), to: settings(database.port)) == nil)
        let ranges = try database.execute(
            "SELECT count(*) FROM (SELECT unnest(received) FROM blekeep.history) AS parts")
        #expect(ranges == ["501"])
        #expect(try send(try readings(4000...4998), to: settings(database.port)) == nil)
        #expect(try database.execute("SELECT count(*) FROM blekeep.reading WHERE seq > 4000") == ["999"])
    }

    @Test func aGatewayMayOnlyCallItsFunctions() throws {
        let database = try Self.database()
        for statement in [
            "SELECT count(*) FROM blekeep.reading", "DELETE FROM blekeep.history", "SELECT blekeep.clean()",
            "SELECT blekeep.invite_1('x', 'y')", "CREATE TABLE blekeep.mine ()", "SELECT * FROM blekeep.readings",
        ] {
            #expect(throws: (any Error).self, "\(statement)") {
                try database.execute("SET SESSION AUTHORIZATION cellar; \(statement)")
            }
        }
        try database.execute("CREATE ROLE attic LOGIN PASSWORD 'right' IN ROLE \(PostgresSchema.gateways)")
        #expect(try send(try readings(1...3), to: settings(database.port)) == nil)
        // The name is the other gateway's.
        var attic = settings(database.port, user: "attic")
        let failure = try send(try readings(4...5), to: attic)
        #expect(
            failure?.hasPrefix("user 'attic' is the gateway of that name in 127.0.0.1, and this one is cellar") == true)
        #expect(try database.execute("SELECT count(*) FROM blekeep.reading") == ["3"])
        // And so is the history.
        attic.gateway = "attic"
        let parts = Parts()
        let part = try send(try readings(4...5), to: attic, of: parts)
        #expect(part?.hasSuffix("another role sent it so far; sending again") == true)
        #expect(parts.all.map(\.first) == [1, 4])
        #expect(try send(try readings(4...5), to: attic, of: parts) == nil)
        let sent =
            "SELECT gateway, count(*) FROM blekeep.reading JOIN blekeep.history AS h ON h.id = history GROUP BY 1 ORDER BY 1"
        #expect(try database.execute(sent) == ["attic|2", "cellar|3"])
    }

    @Test func aRoleSpeaksForItsGatewayAlone() throws {
        let database = try Self.database()
        try database.execute("CREATE ROLE attic LOGIN PASSWORD 'right' IN ROLE \(PostgresSchema.gateways)")
        for call in [
            "put_1('NAME', '{}', '[]')", "received_1('NAME', '{}')", "report_1('NAME', 'x', '{}', '[]')",
            "tick_1('NAME', 'x', '[]', '{}', '{}')", "configure_1('NAME', NULL, NULL, NULL, NULL, NULL)",
            "adopt_1('NAME', 'x')",
        ] {
            let words = "SET SESSION AUTHORIZATION cellar; SELECT blekeep.\(call)"
            for own in ["cellar", "cellar-simulated"] { try database.execute(words.replacing("NAME", with: own)) }
            for other in ["attic", "new", "\u{1b}[31m", "<b>"] {
                #expect(throws: (any Error).self, "\(call)") {
                    try database.execute(words.replacing("NAME", with: other))
                }
            }
        }
        let rows =
            "SELECT name FROM blekeep.gateway UNION SELECT name FROM blekeep.member UNION SELECT gateway FROM blekeep.running"
        #expect(Set(try database.execute(rows)) == ["cellar", "cellar-simulated"])
    }

    /// Also the names of devices that others read.
    @Test func whatARoleSaysOfADeviceChangesNothingThatOthersSay() throws {
        let database = try Self.database()
        try database.execute("CREATE ROLE attic LOGIN PASSWORD 'right' IN ROLE \(PostgresSchema.gateways)")
        #expect(try send(try readings(1...3), to: settings(database.port)) == nil)
        var attic = settings(database.port, user: "attic")
        attic.gateway = "attic"
        let parts = Parts()
        parts.begin(at: 0)
        parts.all.removeFirst()
        let evil = try readings(4...5) { ($0.device, $0.name) = ("\u{1b}[31m\u{9b}evil", "\u{7}") }
        #expect(try send(evil, to: attic, of: parts) == nil)
        #expect(
            try database.execute("SELECT gateway, alias, count(*) FROM blekeep.readings GROUP BY 1, 2 ORDER BY 1") == [
                "attic|\u{FFFD}[31m\u{FFFD}evil|2", "cellar|greenhouse|3",
            ])
        for value in [
            "'seq', -1", "'seq', 9e18::bigint", "'alias', chr(27)", "'device', '<b>'", "'field', repeat('x', 2000)",
            "'text', repeat('x', 20000)", "'error', 'a b'",
        ] {
            #expect(throws: (any Error).self, "\(value)") {
                try database.execute(
                    """
                    SET SESSION AUTHORIZATION attic;
                    SELECT blekeep.put_1('attic', ARRAY[repeat('b', 32)]::uuid[], json_build_array(
                        jsonb_build_object('h', 0, 'seq', 99, 'time', now(), 'device', 'd', 'address', '', 'service', '',
                            'characteristic', '', 'recipe', '', 'instance', 0, 'field', '', 'unit', '', 'alias', '', 'name', '',
                            'clock_set', true) || jsonb_build_object(\(value))));
                    """)
            }
        }
        #expect(try database.execute("SELECT count(*) FROM blekeep.reading") == ["5"])
    }

    @Test func failuresHaveSentences() throws {
        let database = try Self.database()
        let (one, good) = (try readings(1...1), settings(database.port))
        #expect(
            try send(one, to: good, password: "wrong")
                == "127.0.0.1 refused user 'cellar': the password is wrong, or has expired")
        try database.execute("ALTER ROLE cellar VALID UNTIL 'yesterday'")
        #expect(
            try send(one, to: good) == "127.0.0.1 refused user 'cellar': the password is wrong, or has expired")
        try database.execute("ALTER ROLE cellar VALID UNTIL 'infinity'")
        var other = good
        other.database = "nowhere"
        #expect(try send(one, to: other) == "127.0.0.1 has no database nowhere; make it with createdb")
        other.database = "postgres"
        #expect(
            try send(one, to: other)
                == "the database postgres lacks blekeep's tables, or has those of an older version; run `blekeep fleet init` for it"
        )
        other = good
        other.isEncrypted = true
        #expect(
            try send(one, to: other)
                == "127.0.0.1 doesn't speak TLS; turn `ssl` on there, or write `?sslmode=disable` in `url`")
        try database.execute("REVOKE \(PostgresSchema.gateways) FROM cellar")
        #expect(try send(one, to: good)?.contains("invite it with `blekeep fleet invite`") == true)
        database.kill()
        #expect(
            try send(one, to: good) == "127.0.0.1 refused the connection; is PostgreSQL running, and the port right?")
    }

    /// The first host is a standby of another kind: it refuses to write.
    @Test func theHostThatTakesReadingsIsFound() throws {
        let (standby, primary) = (try Database(), try Self.database())
        try standby.execute("CREATE ROLE cellar LOGIN PASSWORD 'right'")
        try standby.execute("ALTER ROLE cellar SET default_transaction_read_only = on")
        #expect(try send(try readings(1...3), to: settings(primary.port, [standby.port])) == nil)
        #expect(try primary.execute("SELECT count(*) FROM blekeep.reading") == ["3"])
    }

    /// Otherwise, the next batch would wait for ever, and a gateway without readings would count as offline.
    /// Readings that the old one takes are lost when it becomes a standby.
    @Test func theOldPrimaryOfAPromotedStandbyIsRefused() throws {
        let database = try Self.database()
        let parts = Parts()
        #expect(try send(readings(1...2), to: settings(database.port), of: parts) == nil)
        let server = try #require(parts.last)
        #expect(UInt64(server.system) != nil && server.timeline == 1)
        // The standby was promoted twice.
        parts.last?.timeline = 3
        let words = try send(readings(3...4), to: settings(database.port), of: parts)
        #expect(words?.contains("there is an old primary, on timeline 1: its standby was promoted") == true)
        #expect(parts.last?.timeline == 3)
        // Unless an administrator says that it is the right one.
        try database.execute("UPDATE blekeep.setting SET reign = 1")
        #expect(try send(readings(3...4), to: settings(database.port), of: parts) == nil)
        #expect(parts.last?.timeline == 4_294_967_297)
        parts.last?.timeline += 2
        #expect(try send(readings(5...6), to: settings(database.port), of: parts) != nil)
        try database.execute("UPDATE blekeep.setting SET reign = 0; DELETE FROM blekeep.reading WHERE seq > 2")
        #expect(try database.execute("SELECT count(*) FROM blekeep.readings") == ["2"])
        // Another server is no older one.
        parts.last?.system = "7"
        #expect(try send(readings(3...4), to: settings(database.port), of: parts) == nil)
        #expect(parts.last == server)
    }

    @Test func theSinkKnowsWhenTheConnectionEndsBetweenTwoBatches() throws {
        let database = try Self.database()
        let (first, second) = (try readings(1...5), try readings(6...9))
        let loop = try RunLoop()
        let sink = BatchSink(settings(database.port), of: Parts(), devices: [], version: "0.1.0", on: loop) { "right" }
        let gate = Gate(loop)
        nonisolated(unsafe) let real = database
        nonisolated(unsafe) var words: [String] = []
        sink.onEvent = { event in
            switch event {
            case .connected: sink.send(words.isEmpty ? first : second, isLive: true, key: 1)
            case .confirmed: words.append("confirmed")
            case .lost(let error): words.append("\(error)")
            default: return
            }
            if case .connected = event { return }
            gate.open()
        }
        try loop.run {
            sink.connect()
            await gate.wait(until: loop.now + .seconds(20))
            real.kill()
            await gate.wait(until: loop.now + .seconds(20))
            try real.start()
            sink.connect()
            await gate.wait(until: loop.now + .seconds(20))
        }
        #expect(words.count == 3 && words.first == "confirmed" && words.last == "confirmed", "\(words)")
        #expect(try database.execute("SELECT count(*) FROM blekeep.reading") == ["9"])
        sink.end()
    }

    @Test func theCertificateMustBeOfTheHostsNameAndOfATrustedAuthority() throws {
        let certificates = try Certificates()
        let database = try Self.database()
        var settings = settings(database.port)
        settings.hosts[0].name = "localhost"
        settings.isEncrypted = true
        func failure(_ host: String, days: Int = 10, authority: String? = "own") throws -> String? {
            database.kill()
            try database.start(tls: try certificates.make("db", for: host, days: days))
            settings.caFile = authority.map(certificates.authority)
            return try send(try readings(1...1), to: settings)
        }
        #expect(try failure("localhost") == nil)
        #expect(
            try failure("db.example")
                == "localhost: its certificate is for another name; use that name in `url`")
        let untrusted =
            "localhost: its certificate has expired, or no trusted authority signed it; check it, and `ca_file`"
        #expect(try failure("localhost", authority: "other") == untrusted)
        #expect(try failure("localhost", authority: nil) == untrusted)
        #expect(try failure("localhost", days: -1) == untrusted)
    }

    // MARK: What gateways say

    @Test func gatewaysSayWhatTheyDoAndEachSeesAll() throws {
        let database = try Self.database()
        try database.execute("CREATE ROLE attic LOGIN PASSWORD 'right' IN ROLE \(PostgresSchema.gateways)")
        let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        let device = DeviceConfiguration(alias: "greenhouse", address: address)
        let loop = try RunLoop()
        var settings = settings(database.port)
        settings.installation = "12345678"
        let server = PostgresServer(settings, of: Parts(), devices: [device], version: "0.1.0", on: loop) { "right" }
        var attic = self.settings(database.port, user: "attic")
        attic.gateway = "attic"
        let fleet = PostgresFleet(attic, devices: [device], on: loop) { "right" }
        var changes = LedgerChanges()
        changes.poller = GatewayStatus(pid: 42, started: 0, seen: 0, power: .init(mode: .normal, reason: ""))
        changes.poller?.adapters = [.init(name: "hci0", isOn: true, trouble: nil)]
        var status = DeviceStatus(address: address, name: "greenhouse", since: 0)
        status.rssi = -61
        changes.statuses = [status]
        let now = changes
        nonisolated(unsafe) let real = database
        try loop.run {
            let gate = Gate(loop)
            server.note(now, nil)
            server.connect { _ in gate.open() }
            await gate.wait(until: loop.now + .seconds(20))
            for _ in 0..<100 {
                if try real.execute("SELECT count(*) FROM blekeep.gateway") == ["1"] { break }
                try await loop.sleep(until: loop.now + .milliseconds(50))
            }
            fleet.start { _ in gate.open() }
            await gate.wait(until: loop.now + .seconds(20))
        }
        let cellar = fleet.view.gateway("cellar")
        #expect(cellar.isOnline == true && cellar.reads == 1 && cellar.installation == "12345678")
        #expect(cellar.state?.version == "0.1.0")
        #expect(fleet.view.devices.map(\.name) == ["greenhouse"] && fleet.view.devices[0].reader?.report?.rssi == -61)
        try database.execute("UPDATE blekeep.gateway SET seen = now() - interval '76 seconds'")
        try loop.run {
            let gate = Gate(loop)
            fleet.onChange = { gate.open() }
            await gate.wait(until: loop.now + .seconds(20))
        }
        #expect(fleet.view.gateway("cellar").isOnline == false)
        #expect(fleet.view.devices[0].trouble?.contains("cellar read it, and is offline") == true)
        #expect(throws: (any Error).self, "another role speaks in its name") {
            try database.execute(
                "SET SESSION AUTHORIZATION attic; SELECT blekeep.report_1('cellar', 'x', '{}', '{}')")
        }
        // It comes back, and says that it ends.
        func look() throws {
            try loop.run {
                let gate = Gate(loop)
                fleet.onChange = { gate.open() }
                await gate.wait(until: loop.now + .seconds(20))
            }
        }
        try database.execute("UPDATE blekeep.gateway SET seen = now()")
        try look()
        #expect(fleet.view.gateway("cellar").isOnline == true)
        server.end(isHandedOver: false)
        try look()
        #expect(fleet.view.gateway("cellar").isOnline == false)
        fleet.end()
    }

    /// PostgreSQL would refuse the second one in words that help nobody.
    @Test(arguments: [["invite", "invite"], ["remove", "invite"], ["remove", "remove"], ["invite", "remove"]])
    func twoAdministratorsAtOnceBothSucceed(words: [String]) throws {
        let database = try Self.database()
        let calls = words.map {
            $0 == "invite" ? "SELECT blekeep.invite_1('attic', NULL)" : "SELECT blekeep.remove_1('attic')"
        }
        if words[0] == "remove" { try database.execute("SELECT blekeep.invite_1('attic', NULL)") }
        try database.execute("ALTER ROLE postgres PASSWORD 'right'")
        let loop = try RunLoop()
        let gate = Gate(loop)
        nonisolated(unsafe) let real = database
        let clients = calls.map { _ in PostgresClient(settings(database.port, user: "postgres"), on: loop) }
        nonisolated(unsafe) var failures: [String] = []
        try loop.run {
            for client in clients {
                client.connect(password: "right") { _ in gate.open() }
                await gate.wait(until: loop.now + .seconds(20))
            }
            clients[0].run("BEGIN; \(calls[0])") { _ in gate.open() }
            await gate.wait(until: loop.now + .seconds(20))
            clients[1].run(calls[1]) { result in
                if case .failure(let error) = result { failures.append(error.description) }
                gate.open()
            }
            for _ in 0..<100 {
                if try real.execute("SELECT count(*) FROM pg_locks WHERE NOT granted") == ["1"] { break }
                try await loop.sleep(until: loop.now + .milliseconds(50))
            }
            clients[0].run("COMMIT") { _ in }
            await gate.wait(until: loop.now + .seconds(20))
        }
        #expect(failures == [])
        let roles = try database.execute("SELECT count(*) FROM pg_roles WHERE rolname = 'attic'")
        #expect(roles == [words[1] == "invite" ? "1" : "0"])
        for client in clients { client.close() }
    }

    // MARK: With a history

    /// Stores readings with these numbers as values, waits until the database has as many, and ends.
    private func poll(_ values: ClosedRange<Int>, into path: String, and database: Database) throws {
        let loop = try RunLoop()
        let history = try History(path: path)
        let sink = BatchSink(
            settings(database.port), of: history, devices: [], version: "0.1.0", on: loop
        ) { "right" }
        nonisolated(unsafe) let database = database
        let recorder = Recorder(
            store: history, sinks: [sink], loop: loop, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let readings = try values.map { try makeReading(makeValue(.integer(Int64($0)))) }
        try loop.run {
            recorder.begin()
            recorder.record(readings)
            let limit = loop.now + .seconds(60)
            while loop.now < limit {
                await recorder.settleSinks(until: loop.now + .seconds(5))
                if try database.execute("SELECT count(*) FROM blekeep.reading") == ["\(values.last ?? 0)"] { break }
                try await loop.sleep(until: loop.now + .milliseconds(200))
            }
            recorder.close(.stopped)
            recorder.end()
        }
        history.close()
    }

    /// As after a standby was promoted that lagged, or after a backup of the database was restored.
    @Test func whatTheDatabaseLostComesAgain() throws {
        let database = try Self.database()
        let folder = try TemporaryFolder()
        let path = folder.file("history.sqlite")
        try poll(1...500, into: path, and: database)
        try database.execute(
            """
            DELETE FROM blekeep.reading WHERE seq BETWEEN 100 AND 149 OR seq > 400;
            UPDATE blekeep.history SET received = '{[1,100),[150,401)}'
            """)
        try poll(501...510, into: path, and: database)
        #expect(
            try database.execute("SELECT count(*), count(DISTINCT value), max(value) FROM blekeep.reading")
                == ["510|510|510"])
        #expect(try database.execute("SELECT received FROM blekeep.history") == ["{[1,511)}"])
    }

    /// As when it was lost without a backup.
    @Test func aDatabaseThatWasCreatedAgainGetsAllAgain() throws {
        let database = try Self.database()
        let folder = try TemporaryFolder()
        let path = folder.file("history.sqlite")
        try poll(1...400, into: path, and: database)
        try database.execute("DROP SCHEMA blekeep CASCADE")
        try database.execute(PostgresSchema.statements())
        try poll(401...440, into: path, and: database)
        #expect(try database.execute("SELECT count(*), count(DISTINCT value) FROM blekeep.reading") == ["440|440"])
    }

    /// The connection stands meanwhile.
    @Test func aGatewayNoticesThatItsDatabaseIsCreatedAgain() throws {
        let database = try Self.database()
        let (first, second) = (try readings(1...5), try readings(6...9))
        let loop = try RunLoop()
        let sink = BatchSink(settings(database.port), of: Parts(), devices: [], version: "0.1.0", on: loop) { "right" }
        let gate = Gate(loop)
        nonisolated(unsafe) let real = database
        nonisolated(unsafe) var words: [String] = []
        sink.onEvent = { event in
            switch event {
            case .connected: if words.isEmpty { sink.send(first, isLive: true, key: 1) }
            case .confirmed: words.append("confirmed")
            case .lost(let error):
                words.append("\(error)".hasSuffix("the database was created again") ? "anew" : "\(error)")
            case .lacks(let numbers): words.append("lacks \(numbers)")
            default: return
            }
            if case .connected = event { return }
            gate.open()
        }
        try loop.run {
            sink.connect()
            await gate.wait(until: loop.now + .seconds(20))
            try real.execute("DROP SCHEMA blekeep CASCADE")
            try real.execute(PostgresSchema.statements())
            sink.send(second, isLive: true, key: 2)
            await gate.wait(until: loop.now + .seconds(20))
            sink.connect()
            await gate.wait(until: loop.now + .seconds(20))
        }
        #expect(words == ["confirmed", "anew", "lacks [Range(1..<9223372036854775807)]"])
        sink.end()
    }

    /// In the second case, the file was copied.
    @Test(arguments: [true, false]) func nothingIsLostOrTwiceAfterARestore(byBackup: Bool) throws {
        let database = try Self.database()
        let folder = try TemporaryFolder()
        let (path, copy) = (folder.file("history.sqlite"), folder.file("copy.sqlite"))
        try poll(1...500, into: path, and: database)
        if byBackup {
            _ = try HistoryReader(path: path).backUp(to: copy)
        } else {
            try FileManager.default.copyItem(atPath: path, toPath: copy)
        }
        try poll(501...1500, into: path, and: database)
        for file in [path, path + "-wal", path + "-shm"] { try? FileManager.default.removeItem(atPath: file) }
        try FileManager.default.moveItem(atPath: copy, toPath: path)
        try poll(1501...2500, into: path, and: database)
        try poll(2501...2510, into: path, and: database)
        #expect(
            try database.execute("SELECT count(*), count(DISTINCT value), min(value), max(value) FROM blekeep.reading")
                == ["2510|2510|1|2510"])
        #expect(try database.execute("SELECT count(*) FROM blekeep.history") == ["2"])
    }
}
