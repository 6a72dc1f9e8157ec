import BlekeepRecords
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepOutputs

/// What the gateways of a fleet retain, as `fleet status` and `doctor` understand it.
@Suite struct FleetViewTests {
    private var view = Self.make([("freezer", 1, ["cellar", "attic"]), ("roof", 2, ["attic"])])

    private static func make(
        _ devices: [(alias: String, number: UInt64, gateways: [String])], own: String = "cellar"
    ) -> FleetView {
        var mqtt = MQTTConfiguration(host: "127.0.0.1", port: 1883, isEncrypted: false, gateway: own)
        (mqtt.fleet, mqtt.installation) = ("home", "of-\(own)")
        return FleetView(
            mqtt,
            devices: devices.map { alias, number, gateways in
                var device = DeviceConfiguration(
                    alias: alias, address: BluetoothAddress(bits: 0xF000_0000_0000 + number))
                device.gateways = gateways
                return device
            })
    }

    private mutating func say(_ topic: String, _ payload: String) { view.received(topic, payload: Array(payload.utf8)) }

    private mutating func online(_ gateway: String, _ devices: String, isOnline: Bool = true, fleet: String = "home") {
        say("blekeep/\(gateway)/status", isOnline ? "online" : "offline")
        say("blekeep/\(gateway)/devices", #"{"fleet":"\#(fleet)","devices":{\#(devices)}}"#)
    }

    private func shown() -> [String] {
        view.devices.map { device in
            ([device.name, device.state.rawValue, device.reader?.gateway ?? "-"] + device.others.map(\.words))
                .joined(separator: ", ")
        }
    }

    // MARK: Prometheus

    @Test(.enabled(if: Promtool.isInstalled, "needs Debian's package prometheus"))
    mutating func prometheusGetsWhatTheGatewaysSay() throws {
        online("cellar", #""f00000000001":{"state":"reads","rssi":-61}"#)
        online("attic", #""f00000000001":{"state":"hears","rssi":-80}"#, isOnline: false)
        let state = #"{"version":"0.1.0","backlog":7,"bluetooth_problem":false,"time":1002000}"#
        view.received("blekeep/cellar/state", payload: Array(state.utf8), sent: 1_000_000)
        let page = FleetMetrics.page(view, isConnected: true).bytes
        let lines = String(decoding: page, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(
            lines == [
                "blekeep_fleet_connected 1",
                #"blekeep_fleet_device_reader{device="freezer",gateway="cellar"} 1"#,
                #"blekeep_fleet_device_rssi_dbm{device="freezer",gateway="cellar"} -61"#,
                #"blekeep_fleet_device_state{device="freezer",state="lost"} 0"#,
                #"blekeep_fleet_device_state{device="freezer",state="read"} 1"#,
                #"blekeep_fleet_device_state{device="freezer",state="unread"} 0"#,
                #"blekeep_fleet_device_state{device="roof",state="lost"} 0"#,
                #"blekeep_fleet_device_state{device="roof",state="read"} 0"#,
                #"blekeep_fleet_device_state{device="roof",state="unread"} 1"#,
                #"blekeep_fleet_gateway_backlog_readings{gateway="cellar"} 7"#,
                #"blekeep_fleet_gateway_bluetooth_problem{gateway="cellar"} 0"#,
                #"blekeep_fleet_gateway_clock_lead_seconds{gateway="cellar"} 2"#,
                #"blekeep_fleet_gateway_devices{gateway="attic"} 0"#,
                #"blekeep_fleet_gateway_devices{gateway="cellar"} 1"#,
                #"blekeep_fleet_gateway_info{gateway="cellar",version="0.1.0"} 1"#,
                #"blekeep_fleet_gateway_last_message_timestamp_seconds{gateway="cellar"} 1000"#,
                #"blekeep_fleet_gateway_online{gateway="attic"} 0"#,
                #"blekeep_fleet_gateway_online{gateway="cellar"} 1"#,
            ])
        #expect(try Promtool.check(page) == "")
    }

    // MARK: Gateways

    private func notes(now: Int64 = 0) -> [String] { view.notes(now: now, failure: nil).map(\.text) }

    /// The broker says how old a message is, and the gateway what its clock said.
    @Test(
        arguments: [
            (1_004_999, nil), (1_005_000, "the clock of cellar is 5s ahead of this machine's"),
            (995_001, nil), (395_000, "the clock of cellar is 10m5s behind this machine's"),
            (Int64.max, "the clock of cellar is 106751991167d6h56m15s ahead of this machine's"), (Int64.min, nil),
        ] as [(Int64, String?)])
    mutating func aClockThatDiffersIsNoted(time: Int64, note: String?) {
        online("cellar", "")
        online("attic", "")
        let state = #"{"time":\#(time)}"#
        view.received("blekeep/cellar/state", payload: Array(state.utf8), sent: 1_000_000)
        view.received("blekeep/attic/state", payload: Array(state.utf8))
        #expect(notes().filter { $0.contains("clock") } == [note].compactMap(\.self))
    }

    @Test mutating func aGatewayThatIsOfflineSaidSomethingLast() {
        online("attic", "")
        view.received("blekeep/cellar/devices", payload: [], sent: 9000)
        view.received("blekeep/cellar/state", payload: Array("{}".utf8), sent: 3000)
        view.received("blekeep/cellar/devices", payload: Array("{}".utf8), sent: 1000)
        view.received("blekeep/cellar/status", payload: Array("offline".utf8))
        #expect(view.gateway("cellar").lastMessage == 3000)
        #expect(notes(now: 63_000).contains("cellar is offline: this is what it said last, 1m ago"))
        // Its clock may be ahead, or this one may go back.
        #expect(notes(now: 0).contains("cellar is offline: this is what it said last, 0s ago"))
    }

    /// A broker that lost its power together with a gateway keeps the gateway's `online`.
    @Test mutating func whoHasSaidNothingForMinutesIsNotOnline() {
        view.received("blekeep/cellar/status", payload: Array("online".utf8), sent: 1000)
        let report = #"{"fleet":"home","devices":{"f00000000001":{"state":"reads"}}}"#
        view.received("blekeep/cellar/devices", payload: Array(report.utf8), sent: 1000)
        #expect(view.at(181_000).gateway("cellar").isOnline == true)
        let later = view.at(181_001)
        #expect(later.gateway("cellar").isOnline == false)
        #expect(later.devices.first?.trouble?.hasPrefix("nobody reads it; cellar read it, and is offline") == true)
    }

    // MARK: Devices

    @Test mutating func devicesThatNoGatewayReadsComeFirst() {
        online("cellar", #""f00000000001":{"state":"reads","since":5,"rssi":-61},"f00000000007":{"state":"reads"}"#)
        online("attic", #""f00000000001":{"state":"hears","rssi":-70},"f00000000002":{"state":"lost","reason":"gone"}"#)
        #expect(
            shown() == [
                "roof, lost, attic", "f00000000007, read, cellar", "freezer, read, cellar, attic -70 dBm",
            ])
        #expect(view.devices.last?.reader?.report?.since == 5 && view.devices.last?.reader?.report?.rssi == -61)
        #expect(view.devices.map { $0.trouble == nil } == [false, true, true])
    }

    @Test(
        arguments: [
            (
                #"{"state":"hears","rssi":-70}"#,
                "cellar can't read it: no answer; attic hears it at -70 dBm and can take over"
            ),
            (#"{"state":"hears"}"#, "cellar can't read it: no answer; attic hears it and can take over"),
            (#"{"state":"silent"}"#, "cellar can't read it: no answer; attic doesn't hear it; nobody hears it"),
            (nil, "cellar can't read it: no answer; attic doesn't mention it; nobody hears it"),
        ] as [(String?, String)])
    mutating func aLostDeviceSaysWhoCouldTakeOver(attic: String?, trouble: String) {
        online("cellar", #""f00000000001":{"state":"lost","reason":"no answer"}"#)
        online("attic", attic.map { #""f00000000001":\#($0)"# } ?? "")
        #expect(view.devices.first { $0.name == "freezer" }?.trouble == trouble)
    }

    @Test mutating func onlyTheGatewayWithTheKeysReadsABondedDevice() {
        online("cellar", #""f00000000001":{"state":"lost","bonded":true}"#)
        online("attic", #""f00000000001":{"state":"hears","rssi":-70}"#)
        #expect(shown().first == "freezer, lost, cellar, attic -70 dBm")
        #expect(view.devices.first?.trouble == "cellar can't read it; only cellar has its keys")
    }

    @Test mutating func aGatewayThatReadsADeviceOutweighsOneThatLostIt() {
        online("cellar", #""f00000000001":{"state":"lost"}"#)
        online("attic", #""f00000000001":{"state":"reads"},"f00000000002":{"state":"reads"}"#)
        #expect(shown() == ["freezer, read, attic, cellar lost", "roof, read, attic"])
    }

    @Test mutating func whatAnOfflineGatewaySaidLastIsNoReading() {
        online("cellar", #""f00000000001":{"state":"reads"}"#, isOnline: false)
        online("attic", #""f00000000001":{"state":"hears"},"f00000000002":{"state":"lost"}"#, isOnline: false)
        #expect(shown() == ["freezer, unread, -, cellar offline, attic offline", "roof, unread, -, attic offline"])
        #expect(
            view.devices.map(\.trouble) == [
                "nobody reads it; cellar read it, and is offline; attic is offline; nobody hears it",
                "nobody reads it; attic is offline; no other gateway may read it",
            ])
        #expect(view.gateways.map(\.isOnline) == [false, false] && view.gateways.map(\.reads) == [0, 1])
    }

    @Test mutating func unknownGatewaysAndDevicesAreSaidToBeUnknown() {
        online("cellar", "")
        #expect(view.gateways.map(\.name) == ["attic", "cellar"] && view.gateways.map(\.isKnown) == [false, true])
        #expect(shown() == ["freezer, unread, -, cellar –, attic unknown", "roof, unread, -, attic unknown"])
        #expect(
            view.devices.map(\.trouble) == [
                "nobody reads it; cellar doesn't mention it; attic has never said anything; nobody hears it",
                "nobody reads it; attic has never said anything; no other gateway may read it",
            ])
        // The status has expired, and the report hasn't.
        say("blekeep/attic/devices", #"{"fleet":"home","devices":{"f00000000002":{"state":"reads"}}}"#)
        #expect(
            view.devices.last?.trouble
                == "nobody reads it; nothing says whether attic is online; no other gateway may read it")
    }

    @Test mutating func otherFleetsAndGatewaysWithoutAFleetDoNotCount() {
        online("cellar", #""f00000000001":{"state":"reads"}"#)
        online("shed", #""f00000000009":{"state":"lost"}"#, fleet: "garden")
        online("attic", #""f00000000002":{"state":"reads"}"#, fleet: "garden")
        say("blekeep/alone/status", "online")
        #expect(view.gateways.map(\.name) == ["attic", "cellar"] && view.gateways.map(\.isElsewhere) == [true, false])
        #expect(shown().first == "roof, unread, -, attic –")
        // It changed its fleet.
        online("shed", #""f00000000009":{"state":"reads"}"#)
        #expect(view.gateways.map(\.name) == ["attic", "cellar", "shed"])
    }

    @Test mutating func aDisabledDeviceIsMissedByNobody() {
        var device = DeviceConfiguration(alias: "old", address: BluetoothAddress(bits: 3))
        device.isEnabled = false
        var mqtt = MQTTConfiguration(host: "", port: 1, isEncrypted: false, gateway: "cellar")
        mqtt.fleet = "home"
        view = FleetView(mqtt, devices: [device])
        #expect(view.devices.isEmpty)
    }

    // MARK: Gateways

    @Test mutating func aGatewaySaysHowItIs() {
        online("attic", "")
        say("blekeep/attic/installation", "01234567")
        say(
            "blekeep/attic/state",
            #"{"version":"0.1.0","power_mode":"low","battery":7,"backlog":12,"bluetooth_problem":true,"adapters":{}}"#)
        let attic = view.gateway("attic")
        #expect(attic.isOnline == true && attic.installation == "01234567" && attic.state?.version == "0.1.0")
        #expect(
            attic.state?.powerMode == .low && attic.state?.backlog == 12 && attic.state?.hasBluetoothProblem == true)
        // The broker retains nothing any more.
        for part in ["status", "installation", "state", "devices"] { say("blekeep/attic/\(part)", "") }
        #expect(view.gateway("attic") == FleetView.Gateway(name: "attic"))
    }

    // MARK: Hostile messages

    private static let hostile = [
        "", "{", "[]", "null", String(repeating: "[", count: 50_000), #"{"fleet":"home"}"#,
        #"{"fleet":"home","devices":[]}"#, #"{"fleet":"home","devices":{"":{"state":"reads"}}}"#,
        #"{"fleet":"home","devices":{"f00000000001":{"state":7}}}"#,
        #"{"fleet":"home","devices":{"f00000000001":{"state":"dances"}}}"#,
        #"{"fleet":"home","devices":{"f00000000001":{"state":"lost","since":9223372036854775808}}}"#,
        #"{"fleet":"home","devices":{"f00000000001":{"state":"lost","rssi":1e400}}}"#,
        #"{"fleet":"home","devices":{"\u0000\u001b[2J":{"state":"reads"}}}"#,
        #"{"version":"\u001b[2J","backlog":-9223372036854775808,"power_mode":"","bluetooth_problem":1}"#,
    ]

    @Test(arguments: hostile) mutating func aMessageThatSaysNothingChangesNoDevice(payload: String) {
        online("cellar", #""f00000000001":{"state":"reads"}"#)
        for part in ["state", "devices", "installation"] { say("blekeep/attic/\(part)", payload) }
        #expect(shown() == ["roof, unread, -, attic unknown", "freezer, read, cellar, attic unknown"])
    }

    @Test mutating func textsAreShortAndControlNothing() {
        let reason = String(repeating: "\u{1B}[2J", count: 10_000)
        let escaped = reason.replacing("\u{1B}", with: #"\u001b"#)
        online(
            "cellar",
            #""f00000000001":{"state":"lost","reason":"\#(escaped)","rssi":-999999,"since":-9223372036854775808}"#)
        say("blekeep/cellar/state", #"{"version":"\#(escaped)"}"#)
        say("blekeep/cellar/installation", reason)
        let report = view.devices.first?.reader?.report
        #expect(report?.rssi == nil && report?.since == .min)
        let gateway = view.gateway("cellar")
        for text in [report?.reason, gateway.state?.version, gateway.installation, view.devices.first?.trouble] {
            let text = text ?? ""
            #expect(!text.isEmpty && text.utf8.count < 3000 && !text.contains("\u{1B}"))
        }
    }

    @Test mutating func topicsOfOthersAreNoGateways() {
        for topic in [
            "", "/", "blekeep", "blekeep//status", "blekeep/a b/status", "blekeep/x/y/status", "other/x/status",
            "blekeep/\u{1B}/status", "blekeep/x/doctor", "blekeep/home/f00000000001/state",
        ] { say(topic, "online") }
        #expect(view.gateways.map(\.isKnown) == [false, false])
        #expect(["", "a b", "x", "\u{1B}"].allSatisfy { !view.gateway($0).isKnown })
    }

    @Test mutating func whatOthersRetainFillsNoMemory() {
        for number in 0..<5000 { say("blekeep/g\(number)/status", "online") }
        let many = (0..<15_000).map { #""d\#($0)":{"state":"reads"}"# }.joined(separator: ",")
        for number in 0..<10 { online("g\(number)", many) }
        #expect(view.gateway("g999").isKnown && !view.gateway("g1000").isKnown)
        #expect(view.gateways.count { $0.reads == 15_000 } == 6)
        // What a gateway says again replaces what it said.
        for _ in 0..<3 { online("g0", many) }
        online("g0", "")
        online("g9", many)
        #expect(view.gateways.count { $0.reads == 15_000 } == 6)
    }

    // MARK: Doctor

    @Test mutating func aGatewayThatNobodyKnowsIsAWarning() {
        #expect(
            view.warnings == [
                "the broker has never heard of attic in `gateways` of devices; check the name, start blekeep there, and let the broker's access rules show blekeep/+/status"
            ])
        online("attic", "", isOnline: false)
        #expect(view.warnings.isEmpty)
    }

    @Test func aGatewayThatReadsNoDeviceIsAWarning() {
        let view = Self.make([("freezer", 1, ["barn"]), ("roof", 2, [])], own: "barm")
        #expect(
            view.warnings.last
                == "no device's `gateways` names this gateway, barm; add it to them, or set `gateway` to one of their names"
        )
        #expect(Self.make([("roof", 2, [])]).warnings.isEmpty)
    }

    @Test mutating func anotherMachineOfThisNameIsAWarning() {
        online("attic", "")
        online("cellar", "")
        say("blekeep/cellar/installation", "of-cellar")
        #expect(view.warnings.isEmpty)
        say("blekeep/cellar/installation", "another")
        #expect(
            view.warnings == [
                "another machine runs as the gateway cellar; give each its own `gateway`, or run 'blekeep fleet adopt' when this machine replaces it"
            ])
        say("blekeep/cellar/status", "offline")
        #expect(view.warnings.isEmpty)
    }

    // MARK: With a real broker

    /// A broker sends 20 messages before it waits for confirmations.
    @Test(arguments: MQTTConfiguration.Version.allCases)
    func aVisitorHasAllThatIsRetainedWhenItBegins(version: MQTTConfiguration.Version) throws {
        let broker = try Broker()
        for number in 0..<60 { try broker.publish("blekeep/g\(number)/status", "online", isRetained: true) }
        var mqtt = MQTTConfiguration(host: "127.0.0.1", port: broker.port, isEncrypted: false, gateway: "cellar")
        mqtt.version = version
        let loop = try RunLoop()
        let visitor = MQTTVisitor(mqtt, on: loop) { nil }
        let done = Gate(loop)
        var known = 0
        visitor.start { _ in
            known = (0..<60).count { visitor.view.gateway("g\($0)").isOnline == true }
            done.open()
        }
        try loop.run { await done.wait(until: loop.now + .seconds(30)) }
        #expect(known == 60)
        visitor.end()
    }
}
