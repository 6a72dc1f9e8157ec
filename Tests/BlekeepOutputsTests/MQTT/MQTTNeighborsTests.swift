import BlekeepRecords
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepOutputs

/// Several gateways at one broker.
@Suite struct MQTTNeighborsTests {
    private let device = DeviceID(BluetoothAddress(bits: 0xF000_0000_0001))
    private let online = Array("online".utf8)

    private func mqtt(_ gateway: String, fleet: String? = nil, port: Int = 1883) -> MQTTConfiguration {
        var mqtt = MQTTConfiguration(host: "127.0.0.1", port: port, isEncrypted: false, gateway: gateway)
        mqtt.fleet = fleet
        // With MQTT 3.1.1, the broker keeps no state.
        mqtt.version = .v5
        mqtt.installation = "of-\(gateway)"
        return mqtt
    }

    private func neighbors(fleet: String? = nil) -> MQTTNeighbors {
        let mqtt = mqtt("cellar", fleet: fleet)
        return MQTTNeighbors(MQTTTopics(mqtt), installation: mqtt.installation, devices: [device])
    }

    private func announcement(by gateway: String) -> [UInt8] {
        Array(#"{"name":"x/status","availability":[{"topic":"blekeep/\#(gateway)/status"}]}"#.utf8)
    }

    @Test func aGatewayThatAnnouncesOneOfTheDevicesKeepsAnotherFromBeginning() {
        var neighbors = neighbors()
        #expect(neighbors.flaw == nil)
        neighbors.received("homeassistant/sensor/x/config", payload: announcement(by: "attic"), announcing: device)
        #expect(neighbors.flaw == nil)
        neighbors.received("blekeep/attic/status", payload: online, announcing: nil)
        #expect(
            neighbors.flaw
                == "the gateway attic announces the device f00000000001, too; give both gateways the same `fleet`, or remove the device from one"
        )
        neighbors.received("blekeep/attic/status", payload: Array("offline".utf8), announcing: nil)
        #expect(neighbors.flaw == nil)
    }

    @Test func itsOwnAnnouncementsThoseOfOtherDevicesAndAFleetsAreNoReason() {
        var alone = neighbors()
        alone.received("blekeep/cellar/status", payload: online, announcing: nil)
        alone.received("homeassistant/sensor/x/config", payload: announcement(by: "cellar"), announcing: device)
        alone.received("blekeep/attic/status", payload: online, announcing: nil)
        alone.received(
            "homeassistant/sensor/x/config", payload: announcement(by: "attic"), announcing: DeviceID("other"))
        #expect(alone.flaw == nil)
        var fleet = neighbors(fleet: "home")
        fleet.received("blekeep/attic/status", payload: online, announcing: nil)
        let shared = Array(#"{"availability":[{"topic":"blekeep/home/f00000000001/availability"}]}"#.utf8)
        fleet.received("homeassistant/sensor/x/config", payload: shared, announcing: device)
        #expect(fleet.flaw == nil)
        // A gateway that isn't in the fleet yet.
        fleet.received("homeassistant/sensor/x/config", payload: announcement(by: "attic"), announcing: device)
        #expect(fleet.flaw != nil)
    }

    @Test(arguments: [("of-cellar", true, false), ("other", true, true), ("other", false, false), ("", true, false)])
    func anotherMachineOfThisNameThatIsOnline(holder: String, isOnline: Bool, isRefused: Bool) {
        var neighbors = neighbors(fleet: "home")
        neighbors.received("blekeep/cellar/installation", payload: Array(holder.utf8), announcing: nil)
        neighbors.received("blekeep/cellar/status", payload: isOnline ? online : Array("offline".utf8), announcing: nil)
        #expect((neighbors.flaw != nil) == isRefused)
    }

    @Test func whatOthersRetainFillsNoMemory() {
        var neighbors = neighbors()
        for number in 0..<5000 {
            neighbors.received("blekeep/g\(number)/status", payload: online, announcing: nil)
            neighbors.received("homeassistant/x/config", payload: announcement(by: "g\(number)"), announcing: device)
        }
        #expect(neighbors.flaw != nil)
        #expect("\(neighbors)".utf8.count < 200_000)
    }

    @Test func anInstallationDoesntShowTheMachinesID() {
        let id = MQTTConfiguration.installation(ofMachine: "0123456789abcdef0123456789abcdef")
        #expect(id?.count == 8 && id != MQTTConfiguration.installation(ofMachine: "1123456789abcdef0123456789abcdef"))
        #expect(MQTTConfiguration.installation(ofMachine: nil) == nil)
        #expect(MQTTConfiguration.installation(ofMachine: "") == nil)
    }

    // MARK: With a real broker

    private func sink(_ mqtt: MQTTConfiguration, on loop: RunLoop) -> MQTTSink {
        let configuration = DeviceConfiguration(alias: "greenhouse", address: BluetoothAddress(bits: 0xF000_0000_0001))
        return MQTTSink(mqtt, for: PollConfiguration(devices: [configuration]), version: "1.0", on: loop) { nil }
    }

    /// Connects a sink, and returns its first event; sends a value when it is let in.
    private func begin(_ sink: MQTTSink, _ value: LiveReading, on loop: RunLoop) async -> String {
        let gate = Gate(loop)
        var outcome = ""
        sink.onEvent = { event in
            switch event {
            case .connected: sink.send([value], isLive: true, key: 1)
            case .confirmed: outcome = outcome.isEmpty ? "sends" : outcome
            case .lost(let error): outcome = outcome.isEmpty ? "\(error)" : outcome
            case .lacks, .refused, .command, .decided, .ignored: break
            }
            if !outcome.isEmpty { gate.open() }
        }
        sink.connect()
        await gate.wait(until: loop.now + .seconds(30))
        return outcome
    }

    /// Ends a sink, and returns when the broker knows it: it may read another connection first.
    private func end(_ sink: MQTTSink, of gateway: String, at broker: Broker) throws {
        sink.end()
        let topic = "blekeep/\(gateway)/status"
        for _ in 0..<100 {
            if try broker.messages(topic, count: 1).lines() == ["\(topic) offline"] { return }
        }
        Issue.record("the broker doesn't know that \(gateway) ended")
    }

    @Test(arguments: [nil, "home"] as [String?])
    func aSecondGatewayWithTheSameDeviceNeedsAFleet(fleet: String?) throws {
        let broker = try Broker()
        let loop = try RunLoop()
        let value = try makeLive(makeValue(.number(21.5)))
        let (first, second) = (
            sink(mqtt("cellar", fleet: fleet, port: broker.port), on: loop),
            sink(mqtt("attic", fleet: fleet, port: broker.port), on: loop)
        )
        let (one, other) = try loop.run {
            (await begin(first, value, on: loop), await begin(second, value, on: loop))
        }
        #expect(one == "sends")
        if fleet == nil {
            #expect(other.contains("the gateway cellar announces the device f00000000001, too"), "\(other)")
        } else {
            #expect(other == "sends")
            let entities = try broker.messages("homeassistant/+/blekeep/+/config", count: 1).lines()
            #expect(entities.count == 1 && entities[0].contains(#""state_topic":"blekeep/home/f00000000001/state""#))
            #expect(entities.first?.contains("cellar") == false && entities.first?.contains("attic") == false)
            let states = try broker.messages("blekeep/home/#", count: 1).lines()
            #expect(states.count == 1 && states[0].hasPrefix("blekeep/home/f00000000001/state {"))
            #expect(states.first?.contains(#""gateway":"attic""#) == true, "\(states)")
        }
        first.end()
        second.end()
    }

    /// Once, the old name stayed online when a new configuration renamed the gateway, and kept the new one out for ever.
    @Test func aGatewayThatIsRenamedGoesOn() throws {
        let broker = try Broker()
        let loop = try RunLoop()
        let value = try makeLive(makeValue(.number(21.5)))
        let (old, new) = (
            sink(mqtt("cellar", port: broker.port), on: loop), sink(mqtt("attic", port: broker.port), on: loop)
        )
        #expect(old.role != new.role && old.role == sink(mqtt("cellar", port: broker.port), on: loop).role)
        #expect(try loop.run { await begin(old, value, on: loop) } == "sends")
        try end(old, of: "cellar", at: broker)
        #expect(try loop.run { await begin(new, value, on: loop) } == "sends")
        new.end()
    }

    /// The will of a client that was refused, or any other message.
    @Test func aGatewayThatIsSaidToBeOfflineSaysThatItIsnt() throws {
        nonisolated(unsafe) let broker = try Broker()
        let loop = try RunLoop()
        let value = try makeLive(makeValue(.number(21.5)))
        let sink = sink(mqtt("cellar", port: broker.port), on: loop)
        try loop.run {
            #expect(await begin(sink, value, on: loop) == "sends")
            try broker.publish("blekeep/cellar/status", "offline", isRetained: true)
            // The first confirmation comes after that message, and the second one after its answer.
            for key in 2...3 {
                let gate = Gate(loop)
                sink.onEvent = { if case .confirmed(key) = $0 { gate.open() } }
                sink.send([value], isLive: true, key: key)
                await gate.wait(until: loop.now + .seconds(30))
            }
        }
        #expect(try broker.messages("blekeep/cellar/status", count: 1).lines() == ["blekeep/cellar/status online"])
        sink.end()
    }

    @Test func aSecondMachineOfOneNameIsRefusedAndTheFirstGoesOn() throws {
        let broker = try Broker()
        // More than a broker sends before it waits for confirmations.
        for number in 0..<30 { try broker.publish("blekeep/g\(number)/status", "offline", isRetained: true) }
        let loop = try RunLoop()
        let value = try makeLive(makeValue(.number(21.5)))
        let first = sink(mqtt("cellar", port: broker.port), on: loop)
        var twin = mqtt("cellar", port: broker.port)
        twin.installation = "another"
        let second = sink(twin, on: loop)
        let (one, other) = try loop.run {
            (await begin(first, value, on: loop), await begin(second, value, on: loop))
        }
        #expect(one == "sends")
        #expect(other.contains("another machine runs as the gateway cellar"), "\(other)")
        #expect(try broker.messages("blekeep/cellar/status", count: 1).lines() == ["blekeep/cellar/status online"])
        // When the first says that it is gone, the other may have the name.
        try end(first, of: "cellar", at: broker)
        #expect(try loop.run { await begin(second, value, on: loop) } == "sends")
        second.end()
    }
}
