import Blekeep
import BusBench
import DBus
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepCLI
@testable import BlekeepOutputs

/// `blekeep fleet`, with a real broker.
@Suite struct FleetTests {
    private let broker: Broker

    init() throws { broker = try Broker() }

    private func retain(_ topic: String, _ payload: String) throws {
        try broker.publish("blekeep/\(topic)", payload, isRetained: true)
    }

    /// A gateway of the fleet.
    private func say(_ gateway: String, _ devices: String, isOnline: Bool = true) throws {
        try retain("\(gateway)/status", isOnline ? "online" : "offline")
        try retain("\(gateway)/devices", #"{"fleet":"home","devices":{\#(devices)}}"#)
    }

    private func configuration(_ sinks: String? = nil) -> String {
        """
        gateway: cellar
        sinks: {\(sinks ?? "mqtt: {url: \"mqtt://127.0.0.1:\(broker.port)\", fleet: home, version: 5}")}
        devices:
          - {address: "F0:00:00:00:00:01", alias: freezer\(sinks == nil ? ", gateways: [cellar, attic, shed]" : "")}
          - {address: "F0:00:00:00:00:02", alias: roof}
        """
    }

    /// Types `blekeep fleet …`.
    ///
    /// - Parameters:
    ///   - sinks: other ones than the broker.
    ///   - gateways: the gateways that take part, on the same loop.
    private func fleet(
        _ arguments: String..., sinks: String? = nil, output: Collected = Collected(),
        with gateways: FakeGateways? = nil
    ) async throws -> Outcome {
        try await withConfiguration(configuration(sinks)) { path in
            defer { gateways?.end() }
            return try runInRealTime(["fleet"] + arguments + ["-c", path], output: output) {
                await gateways?.begin(on: $0)
            }
        }
    }

    // MARK: status

    @Test func statusSaysWhoReadsWhatAndWhoCouldTakeOver() async throws {
        try say("cellar", #""f00000000001":{"state":"lost","reason":"no answer","rssi":-90}"#)
        try say("attic", #""f00000000001":{"state":"hears","rssi":-70},"f00000000002":{"state":"reads","rssi":-50}"#)
        try retain(
            "attic/state", #"{"version":"0.1.0","power_mode":"battery","backlog":3,"bluetooth_problem":false}"#)
        let status = try await fleet("status")
        #expect(
            status.lines == [
                "GATEWAY  STATE    READS  WAITING  POWER    BLUETOOTH  VERSION",
                "shed     unknown                                      ",
                "attic    online       1        3  battery  good       0.1.0",
                "cellar   online       0                               ",
                "DEVICE   STATE  GATEWAY  RSSI  OTHERS                       ID",
                "freezer  lost   cellar    -90  attic -70 dBm, shed unknown  f00000000001",
                "roof     read   attic     -50                               f00000000002",
                "freezer: cellar can't read it: no answer; attic hears it at -70 dBm and can take over; shed has never said anything",
                "shed has said nothing: it may never have been connected",
            ])
        #expect(status.code == 1)
        let json = try await fleet("status", "--json")
        #expect(json.lines.count == 1 && json.code == 1)
        for part in [
            #"{"fleet":"home","gateways":[{"name":"shed","state":"unknown"},{"name":"attic","state":"online","version":"0.1.0","#,
            #"{"device":"freezer","id":"f00000000001","state":"lost","gateway":"cellar","rssi":-90,"bonded":false,"#,
            #""others":[{"gateway":"attic","online":true,"state":"hears","rssi":-70,"bonded":false},{"gateway":"shed"}]"#,
        ] { #expect(json.output.contains(part), "\(json.output)") }
    }

    @Test func statusIsGoodWhenEachDeviceIsRead() async throws {
        try say("cellar", #""f00000000001":{"state":"reads"},"f00000000002":{"state":"reads"}"#)
        try say("attic", "", isOnline: false)
        let status = try await fleet("status")
        #expect(status.code == 0)
        #expect(status.lines.contains("attic is offline: this is what it said last"))
    }

    /// In MQTT 5, the broker says how long it still keeps a message, and so how old it is.
    @Test func statusSaysWhichClockIsWrong() async throws {
        try say("cellar", #""f00000000001":{"state":"reads"},"f00000000002":{"state":"reads"}"#)
        let time = WallClock.milliseconds() + 230_500
        try broker.publish("blekeep/cellar/state", #"{"time":\#(time)}"#, isRetained: true, lifetime: 86_400 - 100)
        let status = try await fleet("status")
        #expect(status.output.contains("the clock of cellar is 5m"), "\(status.output)")
        let json = try await fleet("status", "--json").output
        let lead = json.firstMatch(of: /"clock_lead_s":(-?\d+)/).flatMap { Int($0.output.1) }
        // The broker counts in seconds.
        #expect((325...335).contains(lead ?? 0) && json.contains(#""last_message":"20"#), "\(json)")
    }

    @Test func statusOfABrokerThatRetainsNothing() async throws {
        let status = try await fleet("status")
        #expect(status.code == 6)
        #expect(status.lines.contains("attic has said nothing: it may never have been connected"))
    }

    @Test func aSmallWindowShowsSomeGatewaysAndNotes() {
        var mqtt = MQTTConfiguration(host: "", port: 1, isEncrypted: false, gateway: "g0")
        mqtt.fleet = "home"
        var view = FleetView(mqtt, devices: [])
        for number in 0..<20 {
            view.received("blekeep/g\(number)/status", payload: Array((number == 7 ? "offline" : "online").utf8))
            let devices = #"{"fleet":"home","devices":{"d\#(number)":{"state":"lost"}}}"#
            view.received("blekeep/g\(number)/devices", payload: Array(devices.utf8))
        }
        let report = FleetReport(view, now: 0)
        let small = report.picture(columns: 80, rows: 24, on: .none)
        #expect(small.head.count == 11 && small.head[1].hasPrefix("g7 ") && small.head[8] == "… and 13 more gateways")
        #expect(small.rows.count == 20 && small.foot.count == 5 && small.foot[1].hasPrefix("d0: g0 can't read it"))
        #expect(report.picture(columns: 80, rows: 100, on: .none).head.count == 23)
    }

    @Test func watchShowsEachChangeUntilItEnds() async throws {
        try say("cellar", #""f00000000001":{"state":"reads"}"#)
        let output = Collected()
        let gateways = FakeGateways(broker.port) { _ in }
        output.isEnough = { text in
            if !text.contains("offline") { gateways.publish("blekeep/cellar/status", "offline") }
            return text.contains("cellar is offline")
        }
        let end = try await fleet("status", "--watch", "--timeout", "1m", output: output, with: gateways)
        #expect(end.code == 0)
        let states = output.lines.filter { $0.hasPrefix("cellar   ") }.map { $0.contains("online") }
        #expect(states == [true, false], "\(output.text)")
    }

    @Test func watchConnectsAgain() async throws {
        try say("cellar", "")
        let output = Collected()
        let broker = broker
        var isRestarted = false
        output.isEnough = { text in
            if !text.contains("no connection, so that") {
                broker.kill()
            } else if !isRestarted {
                isRestarted = true
                do { try broker.start() } catch { Issue.record(error) }
            }
            // The broker that was killed retains nothing any more.
            return text.contains("cellar has said nothing")
        }
        let end = try await fleet("status", "--watch", "--timeout", "1m", output: output)
        #expect(end.code == 0, "\(output.text)")
    }

    // MARK: move

    @Test func moveWaitsUntilTheOtherGatewayReads() async throws {
        try say("cellar", #""f00000000001":{"state":"reads"}"#)
        try say("attic", #""f00000000001":{"state":"silent"}"#)
        let gateways = FakeGateways(broker.port) { gateways in
            gateways.report("cellar", "hears")
            gateways.report("attic", "reads")
        }
        let moved = try await fleet("move", "freezer", "attic", with: gateways)
        #expect(moved.lines == ["attic reads freezer"] && moved.code == 0, "\(moved)")
        #expect(gateways.messages == ["attic"])
        // It is there already, so that nothing is published.
        let again = try await fleet("move", "freezer", "attic", "--json", with: gateways)
        #expect(again.lines == [#"{"device":"freezer","id":"f00000000001","state":"moved","gateway":"attic"}"#])
        #expect(gateways.messages == ["attic"])
    }

    @Test func moveSaysWhyItCannotBegin() async throws {
        try say("cellar", #""f00000000001":{"state":"reads","bonded":true}"#)
        try say("attic", #""f00000000001":{"state":"hears"}"#)
        for (arguments, message, code) in [
            (["roof", "attic"], "roof can't move: its key `gateways` must name several gateways", 2),
            (["freezer", "barn"], "'barn' isn't among `gateways` of freezer: cellar, attic, shed", 2),
            (
                ["freezer", "shed"],
                "shed has never said anything; start 'blekeep poll' there, or choose another gateway", 6
            ),
            (["freezer", "attic"], "only cellar has the keys of freezer; pair it at attic, or let cellar read it", 7),
        ] {
            let failed = try await fleet("move", arguments[0], arguments[1])
            #expect(failed.failure?.message == message && Int(failed.code) == code, "\(failed)")
        }
        try say("attic", "", isOnline: false)
        let failed = try await fleet("move", "freezer", "attic")
        #expect(failed.failure?.message.hasPrefix("attic is offline; ") == true && failed.code == 6)
    }

    // MARK: adopt

    private static let installation = MQTTConfiguration.installation(ofMachine: SystemFile.line(of: "/etc/machine-id"))

    @Test(.enabled(if: installation != nil, "needs a machine ID")) func adoptTakesTheNameOfAMachineThatIsGone()
        async throws
    {
        // The broker takes it for online, because both lost power.
        try say("cellar", "")
        try retain("cellar/installation", "another")
        let adopted = try await fleet("adopt")
        #expect(
            adopted.lines == [
                "this machine is the gateway cellar now; 'blekeep poll' begins within a minute, or when you start it"
            ])
        let installation = Self.installation ?? ""
        #expect(
            try broker.messages("blekeep/cellar/installation", count: 1).lines()
                == ["blekeep/cellar/installation \(installation)"])
        #expect(try broker.messages("blekeep/cellar/status", count: 1).lines() == ["blekeep/cellar/status offline"])
        // Another name, without a fleet.
        let sinks = "mqtt: {url: \"mqtt://127.0.0.1:\(broker.port)\"}"
        let other = try await fleet("adopt", "attic", "--json", sinks: sinks)
        #expect(other.lines == [#"{"gateway":"attic","state":"adopted","installation":"\#(installation)"}"#])
    }

    @Test(.enabled(if: installation != nil, "needs a machine ID")) func adoptLeavesAMachineThatAnswersItsName()
        async throws
    {
        try say("attic", "")
        try retain("attic/installation", "another")
        let gateways = FakeGateways(broker.port) { $0.publish("blekeep/attic/status", "online") }
        gateways.trigger = "blekeep/attic/status"
        let refused = try await fleet("adopt", "attic", with: gateways)
        #expect(
            refused.failure?.message
                == "the gateway attic is online; stop 'blekeep poll' on that machine first, or choose another name for this one"
        )
        #expect(refused.code == 75)
        #expect(
            try broker.messages("blekeep/attic/installation", count: 1).lines()
                == ["blekeep/attic/installation another"])
    }

    // MARK: Without a fleet

    @Test func withoutAFleetOrABrokerASentenceSaysWhatToSet() async throws {
        let alone = "mqtt: {url: \"mqtt://127.0.0.1:\(broker.port)\"}"
        let status = try await fleet("status", sinks: alone)
        #expect(
            status.failure?.message
                == "the configuration has no fleet: set `fleet` below `sinks: mqtt:`, or `sinks: postgres:`")
        #expect(status.code == 78)
        let adopt = try await fleet("adopt", sinks: "file: {path: /nowhere/lines}")
        #expect(adopt.failure?.message == "the configuration has no broker: set `url` below `sinks: mqtt:`")
        #expect(adopt.code == 78)
        let name = try await fleet("adopt", "a b", sinks: alone)
        #expect(name.failure?.message == "'a b' isn't a gateway's name" && name.code == 2)
    }

    @Test func aBrokerThatSaysNothingIsNamedAtTheTimeout() async throws {
        let server = try SilentTCPServer()
        let sinks = "mqtt: {url: \"mqtt://127.0.0.1:\(server.port)\", fleet: home}"
        let status = try await fleet("status", "--timeout", "100ms", sinks: sinks)
        #expect(status.failure?.message == "stopped after 100ms, while waiting for 127.0.0.1:\(server.port)")
        #expect(status.code == 124)
    }

    @Test func aBrokerThatIsAwayIsNamed() async throws {
        broker.kill()
        let status = try await fleet("status")
        #expect(
            status.failure?.message
                == "127.0.0.1:\(broker.port) refused the connection; is the broker running, and the port right?")
        #expect(status.code == 6)
    }
}

/// Gateways that answer a message of the broker, on the loop of the command.
private final class FakeGateways: @unchecked Sendable {
    private let port: Int
    private let answer: (FakeGateways) -> Void
    private var connection: MQTTConnection?
    /// The topic of the message that they answer.
    var trigger = "blekeep/home/f00000000001/move"
    /// Those that came.
    private(set) var messages: [String] = []

    init(_ port: Int, answer: @escaping (FakeGateways) -> Void) {
        (self.port, self.answer) = (port, answer)
    }

    /// Returns when the broker has the subscription.
    func begin(on loop: RunLoop) async {
        let mqtt = MQTTConfiguration(host: "127.0.0.1", port: port, isEncrypted: false, gateway: "fake")
        let ready = Gate(loop)
        connection = try? MQTTConnection(mqtt, password: nil, will: nil, on: loop) { [unowned self] event in
            switch event {
            case .connected:
                connection?.subscribe(trigger)
                publish("ready", "now", isRetained: false)
            case .confirmed: ready.open()
            case .message(let message) where !message.isRetained:
                guard message.payload != Array("online".utf8) else { return }
                messages.append(String(decoding: message.payload ?? [], as: UTF8.self))
                answer(self)
            case .message, .refused, .lost: break
            }
        }
        connection?.open()
        await ready.wait()
    }

    func publish(_ topic: String, _ payload: String, isRetained: Bool = true) {
        connection?.publish(topic, payload: Array(payload.utf8), isRetained: isRetained)
    }

    /// Says what a gateway does with the freezer.
    func report(_ gateway: String, _ state: String) {
        publish(
            "blekeep/\(gateway)/devices",
            #"{"fleet":"home","devices":{"f00000000001":{"state":"\#(state)","rssi":-60}}}"#)
    }

    func end() {
        connection?.close(isPolite: true)
        connection = nil
    }
}
