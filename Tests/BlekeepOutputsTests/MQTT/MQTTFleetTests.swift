import BlekeepRecords
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepOutputs

/// Gateways of a fleet that say what they do with a device that `cellar` or `attic` may read.
@Suite struct MQTTFleetTests {
    private static let device = {
        var device = DeviceConfiguration(alias: "roof", address: BluetoothAddress(bits: 0xF000_0000_0001))
        device.gateways = ["cellar", "attic"]
        return device
    }()

    private func status(
        _ state: DeviceCondition.State = .new, isStandingBy: Bool = true, _ link: DeviceStatus.Link = .listening,
        isBonded: Bool = false
    ) -> LedgerChanges {
        var status = DeviceStatus(Self.device, since: 0)
        status.condition = DeviceCondition(state, failure: ReadingFailure(.connect, "no answer"))
        status.intervalReason = isStandingBy ? .standby : .configured
        status.link = link
        status.rssi = -61
        status.isBonded = isBonded
        return LedgerChanges(statuses: [status])
    }

    private func fleet(_ gateway: String = "cellar") -> FleetMember {
        FleetMember(fleet: "home", gateway: gateway, [Self.device], at: .start)
    }

    private func said(_ fleet: FleetMember) -> String { String(decoding: fleet.payload, as: UTF8.self) }

    @Test(
        arguments: [
            (.new, true, .listening, "hears"), (.lost, true, .searching, "silent"), (.good, true, .closing, "reads"),
            (.new, true, .connecting, "silent"),
            (.good, false, .held, "reads"), (.trying, false, .connecting, "reads"),
            (.needsUser, false, .released, "lost"),
        ] as [(DeviceCondition.State, Bool, DeviceStatus.Link, String)])
    func whatAGatewaySays(state: DeviceCondition.State, isStandingBy: Bool, link: DeviceStatus.Link, word: String) {
        var fleet = fleet()
        let isNews = [5, 6].map { fleet.apply(status(state, isStandingBy: isStandingBy, link), time: $0) }
        #expect(isNews == [true, false])
        let reason = word == "lost" ? #","reason":"no answer""# : ""
        #expect(
            said(fleet)
                == #"{"fleet":"home","devices":{"f00000000001":{"state":"\#(word)","since":5,"rssi":-61\#(reason)}}}"#)
        #expect(fleet.isInCharge(of: Self.device.id) == !isStandingBy)
    }

    /// Without Bluetooth, no device may fail for a while.
    @Test func aGatewayWithoutBluetoothReadsNothing() {
        var fleet = fleet()
        var changes = status(.good, isStandingBy: false, .released)
        changes.poller = GatewayStatus(pid: 1, started: 0, seen: 0)
        _ = fleet.apply(changes, time: 5)
        #expect(said(fleet).contains(#""state":"lost""#))
        changes.poller?.adapters = [GatewayStatus.Adapter(name: "hci0", isOn: true)]
        _ = fleet.apply(LedgerChanges(poller: changes.poller), time: 6)
        #expect(said(fleet).contains(#""state":"reads","since":6"#))
    }

    @Test func whatOthersSayDecides() {
        var (cellar, attic) = (fleet(), fleet("attic"))
        _ = cellar.apply(status(.good, isStandingBy: false, .held), time: 0)
        _ = attic.apply(status(), time: 0)
        attic.looked(at: .start)
        attic.heard(of: "cellar", isOnline: true, at: .start)
        attic.heard(of: "cellar", cellar.payload, at: .start)
        let early = attic.decide(at: .start + .seconds(900))
        #expect(early.isEmpty && attic.nextDecision(after: .start + .seconds(900)) == .never)
        attic.heard(of: "cellar", isOnline: false, at: .start + .seconds(1000))
        #expect(attic.nextDecision(after: .start + .seconds(1000)) == .start + .seconds(1030))
        let commands = attic.decide(at: .start + .seconds(1030))
        #expect(commands == [DeviceCommand(.takeOver(because: "cellar is gone"), Self.device.id)])
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"fleet":"home"}"#, #"{"fleet":"home","devices":{"f00000000001":{}}}"#,
        #"{"fleet":"home","devices":{"f00000000001":{"state":"owns"}}}"#,
        #"{"fleet":"other","devices":{"f00000000001":{"state":"reads"}}}"#,
        #"{"fleet":"home","devices":{"f00000000001":{"state":"reads","since":1e400}}}"#,
        String(repeating: "[", count: 100_000),
    ])
    func aMessageOfAnotherKindSaysNothing(payload: String) {
        var attic = fleet("attic")
        _ = attic.apply(status(), time: 0)
        attic.looked(at: .start)
        attic.heard(of: "cellar", isOnline: true, at: .start)
        attic.heard(of: "cellar", Array(payload.utf8), at: .start)
        let commands = attic.decide(at: .start + .seconds(90))
        #expect(!commands.isEmpty)
    }

    /// Its entities are removed when no gateway has it.
    @Test func aDeviceMayBeElsewhereUntilTheReportsSayOtherwise() {
        var cellar = fleet()
        let other = DeviceID(BluetoothAddress(bits: 0xF000_0000_0009))
        func report(_ ids: [DeviceID]) -> [UInt8] {
            let devices = ids.map { #""\#($0)":{"state":"reads"}"# }.joined(separator: ",")
            return Array(#"{"fleet":"home","devices":{\#(devices)}}"#.utf8)
        }
        #expect(cellar.mayBeElsewhere(other))
        cellar.heard(of: "attic", report([Self.device.id, other]), at: .start)
        #expect(cellar.mayBeElsewhere(other))
        cellar.heard(of: "attic", report([Self.device.id]), at: .start)
        #expect(!cellar.mayBeElsewhere(other))
        // What an earlier process of this gateway said.
        cellar.heard(of: "cellar", report([other]), at: .start)
        #expect(!cellar.mayBeElsewhere(other))
        cellar.heard(of: "shed", report((1...10_001).map { DeviceID(BluetoothAddress(bits: $0)) }), at: .start)
        cellar.heard(of: "attic", report([Self.device.id]), at: .start)
        #expect(cellar.mayBeElsewhere(other))
    }

    // MARK: With a real broker

    /// What a sink does, and how to wait for the next thing.
    private final class Doings: @unchecked Sendable {
        private var waiting: [String] = []
        private let gate: Gate
        private let loop: RunLoop

        init(of sink: MQTTSink, on loop: RunLoop) {
            self.loop = loop
            gate = Gate(loop)
            sink.onEvent = { [unowned self] in
                switch $0 {
                case .connected: waiting.append("connects")
                case .confirmed(let key): waiting.append("sent \(key)")
                case .decided(let command): waiting.append("\(command.action)")
                case .lost(let error): waiting.append("\(error)")
                case .lacks, .refused, .command, .ignored: return
                }
                gate.open()
            }
        }

        func next() async -> String? {
            if waiting.isEmpty { await gate.wait(until: loop.now + .seconds(30)) }
            return waiting.isEmpty ? nil : waiting.removeFirst()
        }
    }

    private func sink(_ gateway: String, isComplete: Bool = false, port: Int, on loop: RunLoop) -> MQTTSink {
        var mqtt = MQTTConfiguration(host: "127.0.0.1", port: port, isEncrypted: false, gateway: gateway)
        mqtt.fleet = "home"
        mqtt.installation = "of-\(gateway)"
        if isComplete { mqtt.discovery = nil }
        return MQTTSink(
            mqtt, for: PollConfiguration(devices: [Self.device]), isComplete: isComplete, version: "1.0",
            wallTime: { 7 }, on: loop
        ) { nil }
    }

    @Test func theFirstReadsAndAMoveGoesFromOneToTheOther() throws {
        nonisolated(unsafe) let broker = try Broker()
        let loop = try RunLoop()
        let (cellar, attic) = (sink("cellar", port: broker.port, on: loop), sink("attic", port: broker.port, on: loop))
        let (first, second) = (Doings(of: cellar, on: loop), Doings(of: attic, on: loop))
        let value = try makeLive(makeValue(.number(21.5)))
        try loop.run {
            cellar.note(status(isStandingBy: true, .searching), nil)
            cellar.connect()
            #expect(await first.next() == "connects")
            #expect(await first.next() == #"takeOver(because: "it is the first of its gateways")"#)
            cellar.note(status(.good, isStandingBy: false, .released), nil)
            attic.note(status(), nil)
            attic.connect()
            #expect(await second.next() == "connects")
            // The broker has what the attic says when it has that.
            attic.send([value], isLive: true, key: 1)
            #expect(await second.next() == "sent 1")
            try broker.publish("blekeep/home/f00000000001/move", "attic")
            #expect(await first.next() == #"standBy(because: "a user moved it to attic", atLinkEnd: false)"#)
            cellar.note(status(.good, isStandingBy: true, .searching), nil)
            #expect(await second.next() == #"takeOver(because: "a user moved it here")"#)
            attic.note(status(.good, isStandingBy: false, .released), nil)
        }
        let reports = try broker.messages("blekeep/+/devices", count: 2).lines().sorted()
        #expect(reports.count == 2)
        #expect(reports.first?.hasPrefix("blekeep/attic/devices ") == true)
        cellar.end()
        attic.end()
    }

    /// Otherwise, the gateway in charge would let go because of what an earlier process said.
    @Test func aGatewayThatStartsSaysFirstWhatItDoesNow() throws {
        nonisolated(unsafe) let broker = try Broker()
        let loop = try RunLoop()
        let (cellar, attic) = (sink("cellar", port: broker.port, on: loop), sink("attic", port: broker.port, on: loop))
        let (first, second) = (Doings(of: cellar, on: loop), Doings(of: attic, on: loop))
        let value = try makeLive(makeValue(.number(21.5)))
        var earlier = fleet("cellar")
        _ = earlier.apply(status(.good, isStandingBy: false, .held), time: 5)
        try broker.publish("blekeep/cellar/devices", said(earlier), isRetained: true)
        try broker.publish("blekeep/cellar/status", "offline", isRetained: true)
        try loop.run {
            attic.note(status(.good, isStandingBy: false, .released), nil)
            attic.connect()
            #expect(await second.next() == "connects")
            // Each confirmation comes after all that the other one has said.
            attic.send([value], isLive: true, key: 1)
            #expect(await second.next() == "sent 1")
            cellar.note(status(), nil)
            cellar.connect()
            #expect(await first.next() == "connects")
            cellar.send([value], isLive: true, key: 1)
            #expect(await first.next() == "sent 1")
            attic.send([value], isLive: true, key: 2)
            #expect(await second.next() == "sent 2")
        }
        cellar.end()
        attic.end()
    }

    /// What another gateway has isn't gone because this one's configuration lacks it.
    @Test(arguments: [true, false]) func whatLeftTheFleetIsCleared(isElsewhere: Bool) throws {
        let broker = try Broker()
        let loop = try RunLoop()
        let topics = ["availability", "paused", "state"].map { "blekeep/home/f00000000009/\($0)" }
        for topic in topics { try broker.publish(topic, "online", isRetained: true) }
        let others = isElsewhere ? #""f00000000009":{"state":"reads"}"# : ""
        try broker.publish("blekeep/attic/devices", #"{"fleet":"home","devices":{\#(others)}}"#, isRetained: true)
        let sink = sink("cellar", isComplete: true, port: broker.port, on: loop)
        let doings = Doings(of: sink, on: loop)
        let value = try makeLive(makeValue(.number(21.5)))
        try loop.run {
            sink.note(status(.good, isStandingBy: false, .released), nil)
            sink.connect()
            #expect(await doings.next() == "connects")
            // The broker has sent what it retains before it confirms the second one.
            for key in 1...3 {
                sink.send([value], isLive: true, key: key)
                #expect(await doings.next() == "sent \(key)")
            }
        }
        try broker.publish("blekeep/home/last/state", "{}", isRetained: true)
        let left = try broker.messages("blekeep/home/+/+", count: isElsewhere ? 4 : 1).lines()
        for topic in topics { #expect(left.contains { $0.hasPrefix(topic) } == isElsewhere) }
        sink.end()
    }

    /// What it says of a device would hide what the gateway in charge says.
    @Test func aGatewayOnStandbyAnnouncesNothingOfTheDevice() throws {
        nonisolated(unsafe) let broker = try Broker()
        let loop = try RunLoop()
        let sink = sink("cellar", port: broker.port, on: loop)
        let doings = Doings(of: sink, on: loop)
        let value = try makeLive(makeValue(.number(21.5)))
        try loop.run {
            sink.note(status(.good, isStandingBy: false, .released), nil)
            sink.note(Self.device.id, isAvailable: true)
            sink.connect()
            #expect(await doings.next() == "connects")
            sink.note(status(.good, isStandingBy: true), nil)
            sink.note(Self.device.id, isAvailable: false)
            sink.send([value], isLive: true, key: 1)
            while let next = await doings.next(), next != "sent 1" {}
        }
        #expect(
            try broker.messages("blekeep/home/+/availability", count: 1).lines() == [
                "blekeep/home/f00000000001/availability online"
            ])
        sink.end()
    }

    /// Home Assistant would show a sensor as unavailable for as long as another gateway reads it.
    @Test func aGatewayThatTriedInVainSaysNothingOfWhatAnotherReads() throws {
        nonisolated(unsafe) let broker = try Broker()
        let loop = try RunLoop()
        let (cellar, attic) = (sink("cellar", port: broker.port, on: loop), sink("attic", port: broker.port, on: loop))
        let (first, second) = (Doings(of: cellar, on: loop), Doings(of: attic, on: loop))
        let value = try makeLive(makeValue(.number(21.5)))
        let availability = "blekeep/home/f00000000001/availability"
        try loop.run {
            attic.note(status(.good, isStandingBy: false, .held), nil)
            attic.note(Self.device.id, isAvailable: true)
            attic.connect()
            #expect(await second.next() == "connects")
            attic.send([value], isLive: true, key: 1)
            #expect(await second.next() == "sent 1")
            // The first of the order, which had no network, and can't read the device.
            cellar.note(status(.lost, isStandingBy: false, .released), nil)
            cellar.note(Self.device.id, isAvailable: false)
            cellar.connect()
            #expect(await first.next() == "connects")
            #expect(await first.next() == #"standBy(because: "attic reads it", atLinkEnd: false)"#)
            cellar.send([value], isLive: true, key: 1)
            #expect(await first.next() == "sent 1")
        }
        #expect(try broker.messages(availability, count: 1).lines() == ["\(availability) online"])
        // One that said so before it let go.
        var other = fleet()
        _ = other.apply(status(.lost, isStandingBy: false, .released), time: 0)
        try broker.publish("blekeep/cellar/devices", said(other))
        try broker.publish(availability, "offline", isRetained: true)
        _ = other.apply(status(isStandingBy: true, .searching), time: 1)
        try broker.publish("blekeep/cellar/devices", said(other))
        try loop.run {
            for key in 2...3 {
                attic.send([value], isLive: true, key: key)
                while let next = await second.next(), next != "sent \(key)" {}
            }
        }
        #expect(try broker.messages(availability, count: 1).lines() == ["\(availability) online"])
        cellar.end()
        attic.end()
    }
}
