import BlekeepRecords
import Glibc
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepOutputs

/// The checks of `doctor` with real servers.
@Suite struct SinkCheckTests {
    /// What a check says: the success, or the error.
    private func result(_ make: (RunLoop) -> any SinkCheck) throws -> String {
        let loop = try RunLoop()
        let check = make(loop)
        let done = Gate(loop)
        var text = "nothing within 30 s"
        check.start { result in
            switch result {
            case .success(let words): text = "ok: \(words)"
            case .failure(let error): text = "\(error)"
            }
            done.open()
        }
        try loop.run { await done.wait(until: loop.now + .seconds(30)) }
        check.end()
        return text
    }

    private func mqtt(_ broker: Broker) throws -> String {
        var configuration = MQTTConfiguration(
            host: "127.0.0.1", port: broker.port, isEncrypted: false, gateway: "cellar")
        // Only MQTT 5 says that a message is refused.
        configuration.version = .v5
        return try result { MQTTVisitor(configuration, on: $0) { nil } }.replacing(":\(broker.port)", with: "")
    }

    /// Starts a broker that lets everybody publish only this.
    private func broker(allowing topic: String) throws -> (Broker, TemporaryFolder) {
        let folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
        try folder.write("topic read #\ntopic write \(topic)\n", to: "rules")
        // With 0, mosquitto 2.0.11 ends a connection after it refused a message.
        let settings = ["allow_anonymous true", "acl_file \(folder.file("rules"))", "max_queued_messages 1000"]
        return (try Broker(settings), folder)
    }

    @Test func aBrokerThatTakesMessagesIsGood() throws {
        let broker = try Broker()
        #expect(try mqtt(broker) == "ok: 127.0.0.1 takes messages")
    }

    @Test func aBrokerThatTakesNoMessagesIsNoticed() throws {
        let (broker, folder) = try broker(allowing: "other/#")
        #expect(
            try mqtt(broker)
                == "127.0.0.1 doesn't let a client without user and password publish; check the broker's access rules")
        withExtendedLifetime((broker, folder)) {}
    }

    /// A running poller has the same gateway, and must stay connected.
    @Test func aCheckLeavesThePollersConnectionAlone() throws {
        let broker = try Broker()
        let loop = try RunLoop()
        var configuration = MQTTConfiguration(
            host: "127.0.0.1", port: broker.port, isEncrypted: false, gateway: "cellar")
        // Only MQTT 5 says that a message is refused.
        configuration.version = .v5
        let sink = MQTTSink(configuration, for: PollConfiguration(devices: []), version: "1.0", on: loop) { nil }
        let check = MQTTVisitor(configuration, on: loop) { nil }
        var events: [String] = []
        let (connected, checked, settled) = (Gate(loop), Gate(loop), Gate(loop))
        sink.onEvent = { event in
            events.append("\(event)")
            connected.open()
        }
        try loop.run {
            sink.connect()
            await connected.wait()
            check.start { _ in checked.open() }
            await checked.wait()
            // The broker tells of a takeover before it confirms this.
            sink.send([try makeLive(makeValue(.number(21)))], isLive: false, key: 1)
            await connected.wait()
            settled.open()
        }
        #expect(events == ["connected", "confirmed(1)"])
        check.end()
        sink.end()
        withExtendedLifetime(broker) {}
    }

    /// Rules for readings alone are enough; without them, no reading counts as sent.
    @Test(arguments: [("blekeep/#", "confirmed(1)"), ("homeassistant/#", "lost")])
    func aRefusedMessageDoesNotCountAsSent(topic: String, outcome: String) throws {
        let (broker, folder) = try broker(allowing: topic)
        let loop = try RunLoop()
        var configuration = MQTTConfiguration(
            host: "127.0.0.1", port: broker.port, isEncrypted: false, gateway: "cellar")
        // Only MQTT 5 says that a message is refused.
        configuration.version = .v5
        let device = DeviceConfiguration(
            alias: "greenhouse", address: try #require(BluetoothAddress("F0:00:00:00:00:01")))
        let sink = MQTTSink(configuration, for: PollConfiguration(devices: [device]), version: "1.0", on: loop) { nil }
        let value = try makeLive(makeValue(.number(21)))
        var events: [String] = []
        let done = Gate(loop)
        sink.onEvent = { event in
            events.append("\(event)")
            if case .connected = event { sink.send([value], isLive: true, key: 1) } else { done.open() }
        }
        sink.connect()
        try loop.run { await done.wait(until: loop.now + .seconds(30)) }
        sink.end()
        #expect(events.count == 2 && events[1].hasPrefix(outcome), "\(events)")
        withExtendedLifetime((broker, folder)) {}
    }

    @Test(.enabled(if: InfluxServer.isInstalled, "needs Debian's packages influxdb and influxdb-client"))
    func aDatabaseMustExist() throws {
        let server = try InfluxServer()
        func check() throws -> String {
            let influx = InfluxConfiguration(
                server: HTTPServerConfiguration(host: "127.0.0.1", port: server.port, isEncrypted: false),
                target: .database("cellar", user: nil, passwordFile: nil))
            return try result { HTTPCheck(InfluxFormat(influx), on: $0) { nil } }.replacing(":\(server.port)", with: "")
        }
        #expect(
            try check() == #"127.0.0.1 has no database 'cellar'; create it with 'CREATE DATABASE "cellar"'"#)
        try server.execute("CREATE DATABASE cellar")
        #expect(try check() == "ok: 127.0.0.1 takes requests")
    }
}
