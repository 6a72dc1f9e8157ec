import BlekeepRecords
import Foundation
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepOutputs

/// The sink and a real InfluxDB 1.
@Suite(.enabled(if: InfluxServer.isInstalled, "needs Debian's packages influxdb and influxdb-client"))
struct InfluxSinkTests {
    /// Runs a sink until `isDone` says so of what has happened to it.
    private func run(
        _ port: Int, user: String? = nil, password: String? = nil,
        _ isDone: @escaping (BatchSink, SinkEvent) throws -> Bool
    ) throws {
        let loop = try RunLoop()
        let target = InfluxConfiguration.Target.database("cellar", user: user, passwordFile: nil)
        var server = HTTPServerConfiguration(host: "127.0.0.1", port: port, isEncrypted: false)
        server.batchAge = .seconds(1)
        let format = InfluxFormat(InfluxConfiguration(server: server, target: target))
        let sink = BatchSink(format, on: loop) { password }
        nonisolated(unsafe) var isOver = false
        let gate = Gate(loop)
        sink.onEvent = { event in
            do { if !isOver { isOver = try isDone(sink, event) } } catch { Issue.record(error) }
            if isOver { gate.open() }
        }
        loop.schedule(at: loop.now + .seconds(30)) { gate.open() }
        sink.connect()
        try loop.run { await gate.wait() }
        #expect(isOver)
        sink.end()
    }

    /// - Returns: why the sink has failed.
    private func failure(_ port: Int, user: String? = nil, password: String? = nil) throws -> String {
        let new = try readings(1...1)
        var text = ""
        try run(port, user: user, password: password) { sink, event in
            if case .connected = event { sink.send(new, isLive: false, key: 1) }
            if case .lost(let error) = event { text = "\(error)" }
            return !text.isEmpty
        }
        return text.replacing(":\(port)", with: "")
    }

    private func readings(_ numbers: ClosedRange<Int64>) throws -> [LiveReading] {
        try numbers.map { LiveReading(sequence: $0, reading: try makeReading()) }
    }

    /// All readings have the same time, and some come twice.
    @Test func eachReadingIsOnePoint() throws {
        let server = try InfluxServer()
        try server.execute("CREATE DATABASE cellar")
        let (new, old) = (try readings(5001...5010), try readings(1...5000))
        var confirmed: Set<Int> = []
        try run(server.port) { sink, event in
            switch event {
            case .connected:
                sink.send(new, isLive: true, key: 1)
                sink.send(old, isLive: false, key: 2)
                sink.send(old, isLive: false, key: 3)
            case .confirmed(let key): confirmed.insert(key)
            case .lacks, .lost, .refused, .command, .decided, .ignored: Issue.record("\(event)")
            }
            return confirmed == [1, 2, 3]
        }
        #expect(try server.count("value", in: "cellar") == 5010)
    }

    @Test func aValueOfAnotherTypeHoldsUpNoOther() throws {
        let server = try InfluxServer()
        try server.execute("CREATE DATABASE cellar")
        try server.execute("INSERT ble text=1 \(someTime)000000", "-database cellar")
        var old = try readings(1...100)
        old[41].reading.outcome = makeValue(.text("x"))
        var refused: [String] = []
        try run(server.port) { sink, event in
            if case .connected = event { sink.send(old, isLive: false, key: 1) }
            if case .refused(1, let reason) = event { refused.append(reason) }
            if case .confirmed = event { return true }
            return false
        }
        #expect(try server.count("value", in: "cellar") == 99)
        #expect(refused.first?.contains("field type conflict: input field \"text\"") == true, "\(refused)")
        #expect(refused.count == 1)
    }

    /// With a day's backlog and a restart, the first request has nothing that the server wants.
    @Test func readingsBeyondTheRetentionPolicyHoldUpNoOther() throws {
        let server = try InfluxServer()
        try server.execute("CREATE DATABASE cellar WITH DURATION 1h")
        var (old, new) = (try readings(1...3000), try readings(3001...3010))
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        for index in new.indices { new[index].reading.time = now }
        for index in old.indices { old[index].reading.time = now - (index.isMultiple(of: 100) ? 0 : 86_400_000) }
        var (refused, confirmed): ([Int], Set<Int>) = ([], [])
        try run(server.port) { sink, event in
            switch event {
            case .connected:
                sink.send(old, isLive: false, key: 1)
                sink.send(new, isLive: true, key: 2)
            case .refused(let count, let reason):
                refused.append(count)
                #expect(reason.hasPrefix("partial write: points beyond retention policy dropped="))
            case .confirmed(let key): confirmed.insert(key)
            case .lacks, .lost, .command, .decided, .ignored: Issue.record("\(event)")
            }
            return confirmed == [1, 2]
        }
        #expect(refused.reduce(0, +) == 2970)
        #expect(try server.count("value", in: "cellar") == 40)
    }

    @Test func aMissingDatabaseIsNamed() throws {
        let server = try InfluxServer()
        #expect(
            try failure(server.port)
                == "127.0.0.1 has no database 'cellar'; create it with 'CREATE DATABASE \"cellar\"'")
    }

    @Test func wrongCredentialsAreNamed() throws {
        let server = try InfluxServer(needsPassword: true)
        let asRoot = "-username root -password right"
        try server.execute("CREATE DATABASE cellar", asRoot)
        try server.execute("CREATE USER guest WITH PASSWORD 'right'", asRoot)
        #expect(
            try failure(server.port) == "127.0.0.1 requires a user and a password; set `user` and `password_file`")
        #expect(
            try failure(server.port, user: "root", password: "wrong")
                == "127.0.0.1 refused user 'root': user or password is wrong")
        #expect(
            try failure(server.port, user: "guest", password: "right")
                == "127.0.0.1 doesn't let user 'guest' write to the database 'cellar'; grant it WRITE")
        let new = try readings(1...1)
        try run(server.port, user: "root", password: "right") { sink, event in
            if case .connected = event { sink.send(new, isLive: false, key: 1) }
            if case .confirmed = event { return true }
            return false
        }
    }

    @Test func aServerThatIsKilledGetsTheRestLater() throws {
        let server = try InfluxServer()
        try server.execute("CREATE DATABASE cellar")
        let all = [try readings(1...10), try readings(11...20)]
        var texts: [String] = []
        try run(server.port) { sink, event in
            switch event {
            case .connected: sink.send(all[texts.count], isLive: false, key: texts.count)
            case .confirmed(0):
                server.kill()
                sink.send(all[1], isLive: false, key: 1)
            case .lost(let error):
                texts.append("\(error)")
                try server.start()
                sink.connect()
            case .confirmed: return true
            case .lacks, .refused, .command, .decided, .ignored: Issue.record("\(event)")
            }
            return false
        }
        #expect(texts.count == 1)
        // It depends on the moment at which the kernel has closed the connection.
        #expect(texts.first?.firstMatch(of: /closed the connection|refused the connection/) != nil, "\(texts)")
        #expect(try server.count("value", in: "cellar") == 20)
    }
}
