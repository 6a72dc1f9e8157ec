import BlekeepRecords
import Foundation
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepOutputs

/// The sink and a real mosquitto.
@Suite struct MQTTSinkTests {
    private func configuration(_ port: Int) -> MQTTConfiguration {
        MQTTConfiguration(host: "127.0.0.1", port: port, isEncrypted: false, gateway: "cellar")
    }

    /// Runs a sink until `isDone` says so of what has happened to it.
    private func run(
        _ mqtt: MQTTConfiguration, password: String? = nil, isComplete: Bool = true, limit: Duration = .seconds(30),
        _ react: @escaping (MQTTSink, SinkEvent) -> Bool
    ) throws -> Bool {
        let loop = try RunLoop()
        let device = DeviceConfiguration(
            alias: "greenhouse", address: try #require(BluetoothAddress("F0:00:00:00:00:01")))
        let sink = MQTTSink(
            mqtt, for: PollConfiguration(devices: [device]), isComplete: isComplete, version: "1.0", on: loop
        ) {
            password
        }
        nonisolated(unsafe) var isDone = false
        let done = Gate(loop)
        sink.onEvent = { event in
            guard !isDone, react(sink, event) else { return }
            isDone = true
            done.open()
        }
        loop.schedule(at: loop.now + limit) { done.open() }
        sink.connect()
        try loop.run { await done.wait() }
        sink.end()
        return isDone
    }

    @Test(arguments: [MQTTConfiguration.Version.v5, .v311])
    func aSubscriberGetsStateAndHistory(version: MQTTConfiguration.Version) throws {
        let broker = try Broker()
        var mqtt = configuration(broker.port)
        mqtt.version = version
        mqtt.discovery = nil
        let (value, old) = (try makeLive(makeValue(.number(21.5))), try makeLive(makeValue(.number(20))))
        var confirmed: Set<Int> = []
        #expect(
            try run(mqtt) { sink, event in
                switch event {
                case .connected:
                    sink.note(DeviceID(BluetoothAddress(bits: 0xF000_0000_0001)), isAvailable: true)
                    sink.send([value], isLive: true, key: 1)
                    sink.send([old, old], isLive: false, key: 2)
                case .confirmed(let key): confirmed.insert(key)
                case .lost(let error): Issue.record("\(error)")
                case .lacks, .refused, .command, .decided, .ignored: break
                }
                return confirmed == [1, 2]
            })
        // What is retained: never the backlog, and a value only where it has an end.
        let isStateRetained = version == .v5
        let lines = try broker.messages("blekeep/#", count: isStateRetained ? 3 : 2).lines().sorted()
        #expect(lines.count == (isStateRetained ? 3 : 2))
        #expect(lines.first == "blekeep/cellar/f00000000001/availability online")
        let state = lines.contains { $0.contains("/state {") && $0.contains("\"181a_2a6e_temperature\":21.5") }
        #expect(state == isStateRetained)
        #expect(lines.last == "blekeep/cellar/status offline")
    }

    @Test func firstValueAnnouncesItsEntity() throws {
        let broker = try Broker()
        let value = try makeLive(makeValue(.number(21.5)))
        #expect(
            try run(configuration(broker.port)) { sink, event in
                if case .connected = event { sink.send([value], isLive: true, key: 1) }
                if case .confirmed = event { return true }
                return false
            })
        let lines = try broker.messages("homeassistant/#", count: 5).lines()
        #expect(lines.count == 5)
        #expect(lines.contains { $0.contains("f00000000001-181a_2a6e_temperature/config {") })
    }

    /// Home Assistant counts from the newest message, so that one comes again with the new time.
    @Test func aSlowerRhythmKeepsValuesCurrentForLonger() throws {
        let broker = try Broker()
        let value = try makeLive(makeValue(.number(21.5)))
        var slow = DeviceStatus(address: value.reading.address, name: "greenhouse", since: 0)
        slow.interval = .seconds(600)
        var poller = GatewayStatus(pid: 1, started: 0, seen: 0, power: .init(mode: .low, reason: "low battery 14 %"))
        poller.adapters = [.init(name: "hci0", isOn: true)]
        let changes = LedgerChanges(statuses: [slow], poller: poller)
        #expect(
            try run(configuration(broker.port)) { sink, event in
                switch event {
                case .connected: sink.send([value], isLive: true, key: 1)
                case .confirmed(1):
                    sink.note(changes, nil)
                    sink.send([value], isLive: true, key: 2)
                case .confirmed: return true
                case .lost(let error): Issue.record("\(error)")
                case .lacks, .refused, .command, .decided, .ignored: break
                }
                return false
            })
        let lines = try broker.messages("#", count: 8).lines()
        #expect(lines.contains { $0.contains("temperature/config") && $0.contains("\"expire_after\":1830") })
        #expect(
            lines.contains {
                $0.hasPrefix(
                    #"blekeep/cellar/state {"version":"1.0","power_mode":"low","backlog":0,"bluetooth_problem":false,"#
                        + #""adapters":{"hci0":"on"},"time":"#)
            })
    }

    /// `blekeep poll DEV` must not remove the other devices.
    @Test(arguments: [true, false]) func removesAnEntityOnlyWhereAllDevicesAreKnown(isComplete: Bool) throws {
        let broker = try Broker()
        let topic = "homeassistant/sensor/blekeep/f00000000009-181a_2a6e_temperature/config"
        let loop = try RunLoop()
        var mqtt = configuration(broker.port)
        mqtt.gateway = "other"
        let gate = Gate(loop)
        let before = try MQTTConnection(mqtt, password: nil, will: ("x", "y"), on: loop) { event in
            if case .connected = event { gate.open() }
            if case .confirmed = event { gate.open() }
        }
        try loop.run {
            before.open()
            await gate.wait()
            before.publish(topic, payload: Array(#"{"topic":"blekeep/cellar/status"}"#.utf8), isRetained: true)
            await gate.wait()
        }
        before.close(isPolite: true)
        let value = try makeLive(makeValue(.number(21.5)))
        // A broker sends what it retains before it confirms what came after the subscription, and has removed it before it
        // confirms what came after that.
        #expect(
            try run(configuration(broker.port), isComplete: isComplete) { sink, event in
                switch event {
                case .connected: sink.send([value], isLive: true, key: 1)
                case .confirmed(1): sink.send([value], isLive: true, key: 2)
                case .confirmed: return true
                default: break
                }
                return false
            })
        let lines = try broker.messages("homeassistant/#", count: isComplete ? 5 : 6).lines()
        #expect(lines.contains { $0.hasPrefix(topic) } == !isComplete)
    }

    /// A device, a pause and a rule that left the configuration, also before this run.
    @Test(arguments: MQTTConfiguration.Version.allCases, [true, false])
    func whatLeftTheConfigurationIsCleared(version: MQTTConfiguration.Version, isComplete: Bool) throws {
        let broker = try Broker()
        let gone = "blekeep/cellar/f00000000009"
        for (topic, text) in [("availability", "online"), ("paused", "OFF"), ("state", "{}"), ("rules/hot", "{}")] {
            try broker.publish("\(gone)/\(topic)", text, isRetained: true)
        }
        let others = ["blekeep/cellar/f00000000001/availability", "blekeep/attic/f00000000009/availability"]
        for topic in others { try broker.publish(topic, "online", isRetained: true) }
        for topic in ["paused", "rules/hot"] {
            try broker.publish("blekeep/cellar/f00000000001/\(topic)", "OFF", isRetained: true)
        }
        var mqtt = configuration(broker.port)
        (mqtt.version, mqtt.discovery) = (version, nil)
        let value = try makeLive(makeValue(.number(21.5)))
        #expect(
            try run(mqtt, isComplete: isComplete) { sink, event in
                switch event {
                case .connected: sink.send([value], isLive: true, key: 1)
                case .confirmed(1): sink.send([value], isLive: true, key: 2)
                case .confirmed(2): sink.send([value], isLive: true, key: 3)
                case .confirmed: return true
                default: break
                }
                return false
            })
        let count = (isComplete ? 3 : 9) + (version == .v5 ? 1 : 0)
        let lines = try broker.messages("blekeep/#", count: count).lines()
        #expect(lines.contains { $0.hasPrefix(gone) } == !isComplete)
        #expect(lines.contains { $0.contains("/paused ") || $0.contains("/rules/") } == !isComplete)
        for topic in others { #expect(lines.contains("\(topic) online")) }
    }

    /// A retained command would come again at each connection.
    @Test(arguments: [MQTTConfiguration.Version.v5, .v311])
    func takesCommandsThatAreNew(version: MQTTConfiguration.Version) throws {
        let broker = try Broker()
        var mqtt = configuration(broker.port)
        mqtt.version = version
        mqtt.commands = [.poll, .pause]
        let topic = "blekeep/cellar/f00000000001/command"
        try broker.publish("\(topic)/poll", "PRESS", isRetained: true)
        var (commands, ignored): ([DeviceCommand], [String]) = ([], [])
        #expect(
            try run(mqtt) { _, event in
                switch event {
                case .command(let command, _): commands.append(command)
                case .ignored(let reason):
                    ignored.append(reason)
                    // The subscription works.
                    guard ignored.count == 1 else { break }
                    #expect(throws: Never.self) {
                        try broker.publish("\(topic)/set/181a/2a6e", "1")
                        try broker.publish("\(topic)/pause", "1h")
                    }
                case .lost(let error): Issue.record("\(error)")
                case .lacks, .connected, .confirmed, .refused, .decided: break
                }
                return commands.count == 1 && ignored.count == 2
            })
        #expect(
            commands == [
                DeviceCommand(.pause(.time(.seconds(3600))), DeviceID(BluetoothAddress(bits: 0xF000_0000_0001)))
            ])
        #expect(
            Set(ignored) == [
                "the message is retained, and would come again at each connection",
                "the configuration doesn't allow the command set",
            ])
    }

    @Test func aDevicesPauseIsPublished() throws {
        let broker = try Broker()
        var mqtt = configuration(broker.port)
        mqtt.commands = [.pause]
        let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        var status = DeviceStatus(address: address, name: "greenhouse", since: 0)
        status.pause = .untilResumed
        // It left the configuration, and its topics are gone.
        let former = DeviceStatus(address: BluetoothAddress(bits: 1), name: "attic", since: 0)
        let value = try makeLive(makeValue(.number(21.5)))
        #expect(
            try run(mqtt) { sink, event in
                if case .connected = event {
                    sink.note(LedgerChanges(statuses: [former, status]), nil)
                    sink.send([value], isLive: true, key: 1)
                }
                if case .confirmed = event { return true }
                return false
            })
        #expect(
            try broker.messages("blekeep/+/+/paused", count: 1).lines() == ["blekeep/cellar/f00000000001/paused ON"])
        let entity = try broker.messages("homeassistant/switch/#", count: 1).lines()
        #expect(entity.first?.hasPrefix("homeassistant/switch/blekeep/f00000000001-pause/config {") == true)
    }

    /// It is retained, so that it comes again at each connection. MQTT 3.1.1 has no limit that the broker knows. The
    /// message is longer than what this process, which has run other tests, may have as free memory in one piece.
    @Test(arguments: [MQTTConfiguration.Version.v5, .v311])
    func aHugeMessageHoldsUpNoReading(version: MQTTConfiguration.Version) throws {
        let broker = try Broker()
        var mqtt = configuration(broker.port)
        mqtt.version = version
        mqtt.commands = [.poll]
        try broker.publish("blekeep/cellar/f00000000001/command/poll", megabytes: 80)
        let value = try makeLive(makeValue(.number(21.5)))
        var (lost, isConfirmed): ([String], Bool) = ([], false)
        #expect(
            try run(mqtt) { sink, event in
                switch event {
                case .connected: sink.send([value], isLive: true, key: 1)
                case .confirmed: isConfirmed = true
                case .lost(let error):
                    lost.append("\(error)")
                    isConfirmed = false
                    sink.connect()
                case .lacks, .command, .decided, .refused, .ignored: Issue.record("\(event)")
                }
                return isConfirmed && (version == .v5 || lost.count == 1)
            })
        #expect(lost.count == (version == .v5 ? 0 : 1))
        #expect(lost.allSatisfy { $0.contains("sent a message that is too long") }, "\(lost)")
    }

    /// In MQTT 5, blekeep knows the limit. Without it, the broker would end each connection.
    @Test func aReadingThatIsTooLongForTheBrokerIsCounted() throws {
        let broker = try Broker(["allow_anonymous true", "max_packet_size 1000"])
        var mqtt = configuration(broker.port)
        mqtt.version = .v5
        mqtt.discovery = nil
        let long = try makeLive(makeValue(.text(String(repeating: "x", count: 2000))))
        let value = try makeLive(makeValue(.number(21.5)))
        var (refused, confirmed): ([String], Set<Int>) = ([], [])
        #expect(
            try run(mqtt) { sink, event in
                switch event {
                case .connected:
                    sink.send([value, long, value], isLive: false, key: 1)
                    sink.send([long], isLive: true, key: 2)
                case .confirmed(let key): confirmed.insert(key)
                case .refused(let count, let reason): refused.append("\(count) \(reason)")
                case .lacks, .lost, .command, .decided, .ignored: Issue.record("\(event)")
                }
                return confirmed == [1, 2]
            })
        #expect(refused.count == 2 && refused.allSatisfy { $0.hasPrefix("1 127.0.0.1:") })
    }

    /// In MQTT 3.1.1, mosquitto closes the connection at a message that is too long.
    @Test func aReadingAtWhichTheBrokerClosesTheConnectionHoldsUpNoOther() throws {
        let broker = try Broker(["allow_anonymous true", "max_packet_size 1000"])
        var mqtt = configuration(broker.port)
        mqtt.version = .v311
        mqtt.discovery = nil
        func long(_ character: String) throws -> LiveReading {
            try makeLive(makeValue(.text(String(repeating: character, count: 2000))))
        }
        let (first, second, value) = (try long("x"), try long("y"), try makeLive(makeValue(.number(21.5))))
        var (ends, refused, confirmed): (Int, [String], Set<Int>) = (0, [], [])
        #expect(
            try run(mqtt) { sink, event in
                switch event {
                case .connected: sink.send([value, first, value, second, value], isLive: false, key: 1)
                case .confirmed(let key): confirmed.insert(key)
                case .refused(let count, let reason): refused.append("\(count) \(reason)")
                case .lost:
                    ends += 1
                    sink.connect()
                case .lacks, .command, .decided, .ignored: Issue.record("\(event)")
                }
                return confirmed == [1]
            })
        // The second one is as long as the first.
        #expect(ends == 5)
        #expect(refused.count == 2 && refused.allSatisfy { $0.contains("closes the connection at a message of 2") })
    }

    /// mosquitto 2.0.11 gives no reason, not even in MQTT 5.
    @Test(arguments: [MQTTConfiguration.Version.v5, .v311])
    func twoGatewaysOfOneNameTryLessAndLessOften(version: MQTTConfiguration.Version) throws {
        let broker = try Broker()
        var mqtt = configuration(broker.port)
        mqtt.version = version
        mqtt.discovery = nil
        var lost: [String] = []
        #expect(
            try run(mqtt) { sink, event in
                switch event {
                case .connected:
                    // Another process, as far as the broker can tell.
                    try? broker.takeOver(mqtt.gateway)
                case .lost(let error):
                    lost.append("\(error)")
                    if lost.count < 3 { sink.connect() }
                case .lacks, .confirmed, .refused, .command, .decided, .ignored: break
                }
                return lost.count == 3
            })
        let words = "check that each gateway has its own `gateway`"
        #expect(lost.last?.hasSuffix(words) == true, "\(lost)")
    }

    @Test func aWrongPasswordIsSaidInASentence() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("passwords")
        // "right", as mosquitto_passwd writes it.
        let entry =
            "blekeep:$7$101$Bpm3ng3k1KkkFHUG$Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYg==\n"
        try entry.write(toFile: file, atomically: true, encoding: .utf8)
        chmod(folder.path, 0o755)
        let broker = try Broker(["allow_anonymous false", "password_file \(file)"])
        var mqtt = configuration(broker.port)
        mqtt.user = "blekeep"
        var reason = ""
        #expect(
            try run(mqtt, password: "wrong") { _, event in
                if case .lost(let error) = event { reason = "\(error)" }
                return !reason.isEmpty
            })
        #expect(reason.hasSuffix("doesn't accept user 'blekeep'; check `user` and the broker's access rules"))
    }

    /// Which cause there is left depends on the version of libmosquitto.
    @Test(arguments: [
        (ECONNREFUSED, "desk refused the connection; is the broker running, and the port right?"),
        (EBADF, "desk can't be reached; is the broker running, and `url` right?"),
        (EHOSTUNREACH, "desk: No route to host"),
    ])
    func aBrokerThatIsAwayIsNamedByWhatIsKnown(system: Int32, text: String) {
        let error = MQTTError(code: 14, system: system, detail: "", certificate: nil, broker: "desk")
        #expect(error.description == text)
    }

    @Test func aRefusedConnectionIsReported() throws {
        let port = try Broker.freePort()
        var reason = ""
        #expect(
            try run(configuration(port)) { _, event in
                if case .lost(let error) = event { reason = "\(error)" }
                return !reason.isEmpty
            })
        #expect(reason == "127.0.0.1:\(port) refused the connection; is the broker running, and the port right?")
    }

    @Test func aBrokerThatIsKilledIsNoticed() throws {
        let broker = try Broker()
        var reason = ""
        #expect(
            try run(configuration(broker.port)) { _, event in
                if case .connected = event { broker.kill() }
                if case .lost(let error) = event { reason = "\(error)" }
                return !reason.isEmpty
            })
        #expect(reason == "127.0.0.1:\(broker.port) closed the connection")
    }
}
