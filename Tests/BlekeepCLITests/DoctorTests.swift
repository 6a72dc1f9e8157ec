import Blekeep
import BlekeepHistory
import BlekeepSimulation
import BusBench
import DBus
import Foundation
import Logging
import RunLoop
import Testing

@testable import BlekeepCLI

/// `doctor`: what it finds, and what it advises.
@Suite final class DoctorTests {
    private let folder = NSTemporaryDirectory() + "blekeep-doctor-\(UUID().uuidString.prefix(8))"
    private var configuration: String { "\(folder)/config.yaml" }

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try configure("devices: [{address: \"F0:00:00:00:00:01\", alias: living}]")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func configure(_ text: String) throws {
        try "history: \(folder)/history.sqlite\n\(text)\n".write(
            toFile: configuration, atomically: true, encoding: .utf8)
    }

    private func write(_ text: String, to name: String) throws {
        let path = "\(folder)/\(name)"
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try "\(text)\n".write(toFile: path, atomically: true, encoding: .utf8)
    }

    private func doctor(_ arguments: String..., in scenario: Scenario = .house) async throws -> Outcome {
        try await run(["doctor", "-c", configuration] + arguments, in: scenario)
    }

    // MARK: Notices

    @Test func saysWhetherAnybodyIsTold() async throws {
        try configure("notices: [{run: [/bin/true]}]\ndevices: [{address: \"F0:00:00:00:00:01\", alias: living}]")
        let silent = try await doctor()
        #expect(silent.code == 0)
        #expect(silent.output.contains("warn  notices: 'blekeep notices' isn't running, so no notice is given"))
        try NoticeFile(history: "\(folder)/history.sqlite").lock()
        #expect(try await doctor().lines.contains("ok    notices: 'blekeep notices' runs"))
    }

    // MARK: Keys

    @Test func saysWhatIsWrongWithAKey() async throws {
        try configure(
            """
            devices:
              - {address: "F0:00:00:00:00:01", alias: living}
              - {address: "F0:00:00:00:00:02", alias: attic, mode: passive, key: \(folder)/key}
            """)
        let missing = try await doctor()
        #expect(missing.code == 78)
        #expect(
            missing.output.contains(
                "fail  key: attic: `key`: can't read \(folder)/key: No such file or directory\n      write the secret"))
        try write("231d39c1d7cc1ab1aee224cd096db932", to: "key")
        chmod("\(folder)/key", 0o644)
        #expect(try await doctor().lines.contains("fail  key: attic: `key`: every user can read \(folder)/key"))
        chmod("\(folder)/key", 0o600)
        #expect(try await doctor().lines.contains("ok    key: the key of a device can be read"))
    }

    @Test func saysThatAKeyDoesNotFit() async throws {
        try write("00000000000000000000000000000000", to: "key")
        chmod("\(folder)/key", 0o600)
        try configure("devices: [{address: \"F0:00:05:00:00:0F\", alias: Boat, mode: passive, key: \(folder)/key}]")
        let failure = ReadingFailure(DecodeError.authentication.code, DecodeError.authentication.message)
        let boat = DeviceStatus(
            address: Scenario.numbered(15, group: 5), name: "Boat",
            condition: DeviceCondition(.trying, failure: failure), since: 0)
        let changes = LedgerChanges(statuses: [boat], poller: GatewayStatus(pid: 1, started: 1000, seen: 1000))
        _ = try History(path: "\(folder)/history.sqlite").append([], nil, changes, durable: false)
        let found = try await doctor(in: .beacons)
        let why = "warn  key: Boat: the key doesn't fit the advertisement: the key is wrong, or the bytes were changed"
        let advice = "      'blekeep set Boat key FILE' names another file with the device's key."
        #expect(found.output.contains("\(why)\n\(advice)\n"), "\(found)")
    }

    @Test func onlyTheServiceCanReadACredential() async throws {
        try configure("devices: [{address: \"F0:00:00:00:00:02\", alias: attic, mode: passive, key: attic-key}]")
        let found = try await doctor()
        #expect(found.code != 78 && found.output.contains("warn  key: attic: `key`: systemd passed no credentials"))
    }

    // MARK: The bus

    @Test func aMachineThatIsReadyPasses() async throws {
        let lines = try await doctor().lines
        #expect(lines.contains("ok    bus: the message bus answers"))
        #expect(lines.contains("ok    bluez: bluetoothd replies"))
        #expect(lines.contains { $0.hasPrefix("ok    adapter: hci0 ") && $0.contains(" is on") })
        #expect(lines.contains("ok    discovery: BlueZ searches for devices"))
        #expect(lines.contains("ok    configuration: good, 1 device"))
        #expect(lines.contains { $0.contains("history: \(folder)/history.sqlite") })
    }

    @Test func saysWhatAControllerCanHearBesides() async throws {
        var scenario = Scenario.house
        scenario.adapters[0].secondaryChannels = ["1M", "2M", "Coded"]
        let lines = try await doctor(in: scenario).lines
        #expect(lines.contains { $0.contains(" is on: ") && $0.hasSuffix("extended advertising, long range") })
    }

    @Test func saysWhatToDoAboutTheAdapter() async throws {
        let off = try await doctor(in: .off)
        #expect(off.code == 4)
        #expect(off.lines.contains { $0.hasPrefix("fail  adapter: hci0 ") && $0.hasSuffix(" is off") })
        #expect(off.output.contains("'rfkill unblock bluetooth', then 'bluetoothctl power on'"))
        let none = try await doctor(in: .empty)
        #expect(none.code == 4 && none.lines.contains("fail  adapter: there is no Bluetooth adapter"))
        let other = try await doctor("-a", "hci7")
        #expect(other.code == 4 && other.lines.contains("fail  adapter: there is no adapter hci7"))
        #expect(other.output.contains("\n      there is hci0"))
        try configure(
            "devices: [{address: \"F0:00:00:00:00:02\", alias: attic, adapter: hci7}, {address: \"F0:00:00:00:00:03\", adapter: hci8}]"
        )
        let pinned = try await doctor()
        #expect(pinned.code == 4 && pinned.lines.contains("fail  adapter: there is no adapter hci7, which attic names"))
        #expect(pinned.output.contains("there is no adapter hci8, which F0:00:00:00:00:03 names"))
    }

    /// Findings on a bus that nothing but the bus itself is on, or on none.
    private func findings(_ arguments: [String], hasBus: Bool) async throws -> Outcome {
        let file = configuration
        return try await Bench.run(.virtual) { bench in
            let output = Collected()
            let doctor = try #require(
                try BlekeepCLI.Blekeep.parse(["doctor", "-c", file] + arguments) as? Doctor)
            let context = CommandContext(
                on: bench.loop, doctor.options, output: output, terminal: .none,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, environment: [:]
            ) { () async throws(BusError) in
                guard hasBus else { throw .disconnected }
                return try await bench.connect()
            }
            let failure = await #expect(throws: Failure.self) { try await context.run(doctor) }
            return Outcome(output: output.text, log: [], failure: failure)
        }
    }

    @Test func namesEachServiceThatIsMissing() async throws {
        let outcome = try await findings([], hasBus: true)
        #expect(outcome.code == 3)
        #expect(outcome.lines.contains("fail  bluez: bluetoothd doesn't reply"))
        #expect(outcome.lines.contains("      install bluez, then 'systemctl enable --now bluetooth'"))
        for service in ["inhibit", "upower", "profiles", "clock"] {
            #expect(outcome.lines.contains { $0.hasPrefix("warn  \(service): ") }, "\(service)")
        }
        // The errors of D-Bus are for those who ask.
        #expect(!outcome.output.contains("org.freedesktop"))
        #expect(try await findings(["-v"], hasBus: true).output.contains("org.freedesktop.DBus.Error"))
    }

    @Test func withoutABusItStillChecksTheRest() async throws {
        let outcome = try await findings(["--json"], hasBus: false)
        #expect(outcome.code == 3)
        let first = try #require(outcome.lines.first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(first.utf8)) as? [String: Any])
        #expect(object["check"] as? String == "bus" && object["state"] as? String == "fail")
        #expect((object["advice"] as? String)?.contains("install dbus and start it") == true)
        #expect(outcome.lines.contains { $0.contains(#""check":"configuration","state":"ok""#) })
    }

    // MARK: The configuration

    @Test func withoutDevicesItNamesTheNextCommand() async throws {
        try configure("interval: 1m")
        let found = try await doctor()
        #expect(
            found.output.contains("warn  configuration: it names no devices\n      'blekeep scan' finds devices to add")
        )
    }

    @Test func mistakesInTheConfigurationFail() async throws {
        try configure("devices: [{alais: living}]")
        let outcome = try await doctor()
        // For a user without a home, the default history comes first: it has no place.
        #expect(outcome.code == (geteuid() == 0 ? 78 : 1))
        #expect(outcome.lines.contains("fail  configuration: it has mistakes"))
        #expect(outcome.lines.contains("      'blekeep config check' lists them"))
    }

    @Test func checksTheFilesThatItWrites() async throws {
        try configure("sinks: {file: {path: \(folder)/none/lines.ndjson}}\nmetrics: {textfile: \(folder)}")
        let outcome = try await doctor()
        #expect(outcome.code == 1)
        #expect(outcome.lines.contains("fail  file: the folder \(folder)/none doesn't exist"))
        #expect(outcome.lines.contains { $0.contains("  metrics: \(folder)/") })
    }

    @Test func aReportHidesAddresses() async throws {
        let report = "\(folder)/report.txt"
        _ = try await doctor("--report", report)
        let text = try String(contentsOfFile: report, encoding: .utf8)
        #expect(text.hasPrefix("blekeep ") && text.contains("\nconfiguration in force:\n"))
        #expect(text.contains("F0:00:00:XX:XX:XX") && !text.contains("F0:00:00:00:00:01"))
        // A report is never overwritten.
        let again = try await doctor("--report", report)
        #expect(again.failure?.message == "can't write \(report): it exists already")
    }

    // MARK: The machine

    private func machine() -> [Finding] {
        MachineChecks(root: "\(folder)/", historyPath: "\(folder)/history.sqlite").run()
    }

    @Test(arguments: [
        ("0", "0", "ok    rfkill: Bluetooth is not blocked"),
        ("1", "0", "fail  rfkill: Bluetooth is blocked\n      'rfkill unblock bluetooth'"),
        ("0", "1", "fail  rfkill: Bluetooth is blocked by a switch\n      use the machine's switch or key"),
    ])
    func tellsHowBluetoothIsBlocked(soft: String, hard: String, line: String) throws {
        try write("wlan", to: "sys/class/rfkill/rfkill0/type")
        try write("bluetooth", to: "sys/class/rfkill/rfkill1/type")
        try write(soft, to: "sys/class/rfkill/rfkill1/soft")
        try write(hard, to: "sys/class/rfkill/rfkill1/hard")
        let found = try #require(machine().first { $0.check == "rfkill" })
        #expect(found.line(on: .none, isDetailed: true) == line)
    }

    @Test func mentionsWifiThatSharesTheAir() throws {
        try write("up", to: "sys/class/net/wlan0/operstate")
        #expect(!machine().contains { $0.check == "wifi" })
        try write("", to: "sys/class/net/wlan0/wireless/x")
        #expect(machine().first { $0.check == "wifi" }?.text.hasPrefix("wlan0 is up") == true)
    }

    @Test func namesWhatWasPutAside() throws {
        #expect(!machine().contains { $0.check == "put aside" })
        for time in 1...3 { try write("damaged", to: "history.sqlite.corrupt.\(time)") }
        let finding = try #require(machine().first { $0.check == "put aside" })
        #expect(finding.state == .warn && finding.text.contains("history.sqlite.corrupt.3"))
        #expect(finding.advice == "check the disk; then move or delete them: blekeep puts no more aside")
    }

    @Test func aMachineWithoutAPlaceForTheHistoryFails() {
        let finding = MachineChecks(root: "\(folder)/", historyPath: nil).run().first { $0.check == "history" }
        #expect(finding?.state == .fail && finding?.advice == "set HOME, or 'history:' in the configuration")
    }
}
