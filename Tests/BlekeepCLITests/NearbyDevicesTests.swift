import BlekeepSimulation
import BusBench
import DBus
import Foundation
import Logging
import RunLoop
import Testing

@testable import BlekeepCLI
@testable import BlekeepLog

/// Whether the machine has no configuration. For root, it would come before that of the tests.
private let isWithoutConfiguration =
    (try? FileManager.default.contentsOfDirectory(atPath: "/etc/blekeep"))?.isEmpty ?? true

/// `add --all`, which writes a file for each nearby device with values that blekeep can decode.
@Suite(.enabled(if: isWithoutConfiguration, "/etc/blekeep has a configuration"))
final class NearbyDevicesTests {
    private let home = NSTemporaryDirectory() + "blekeep-home-\(UUID().uuidString.prefix(8))"
    private var folder: String { "\(home)/.config/blekeep" }

    init() throws {
        try FileManager.default.createDirectory(atPath: "\(folder)/conf.d", withIntermediateDirectories: true)
        try "interval: 5s\n".write(toFile: "\(folder)/config.yaml", atomically: true, encoding: .utf8)
    }

    deinit { try? FileManager.default.removeItem(atPath: home) }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "\(folder)/conf.d").sorted() }
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder)/conf.d/\(name)", encoding: .utf8)
    }

    private func addAll(in scenario: Scenario) async throws -> Outcome {
        try await add(["--all", "--yes"], in: scenario)
    }

    private func add(_ arguments: [String], in scenario: Scenario) async throws -> Outcome {
        let home = home
        return try await Bench.run(.virtual, scenario) { bench, _ in
            let output = Collected()
            let log = Lines()
            let add = try #require(try BlekeepCLI.Blekeep.parse(["add"] + arguments) as? Add)
            let context = CommandContext(
                on: bench.loop, add.options, output: output, terminal: .none,
                log: Logger(label: "test") { _ in
                    StandardErrorLog(level: .notice, isJournal: false, write: log.add)
                }, environment: ["HOME": home]
            ) { () async throws(BusError) in try await bench.connect() }
            do {
                try await context.run(add)
                return Outcome(output: output.text, log: log.all, failure: nil)
            } catch {
                return Outcome(output: output.text, log: log.all, failure: try #require(error as? Failure))
            }
        }
    }

    @Test func devicesThatOnlyAdvertiseArePassive() async throws {
        let outcome = try await addAll(in: .beacons)
        #expect(outcome.code == 0)
        #expect(outcome.lines.contains { $0.hasPrefix("F0:00:05:00:00:01  Attic  Ruuvi: temperature ") })
        let count = Scenario.beacons.peripherals.count
        #expect(try files.count == count && files.contains("attic.yaml"))
        #expect(try text("attic.yaml").contains("mode: passive"))
        #expect(try !text("back-door.yaml").contains("mode: passive"))
        #expect(outcome.lines.count { $0.hasPrefix("wrote \(folder)/conf.d/") } == count)
        #expect(outcome.lines.last == "next: blekeep poll")
    }

    /// One device is added in the same way as all.
    @Test func oneDeviceThatOnlyAdvertisesIsPassive() async throws {
        let outcome = try await add(["F0:00:05:00:00:01"], in: .beacons)
        #expect(outcome.code == 0)
        let one = try text("attic.yaml")
        #expect(one.contains("    mode: passive  # Ruuvi: temperature "))
        unlink("\(folder)/conf.d/attic.yaml")
        _ = try await addAll(in: .beacons)
        let kind = try text("attic.yaml").split(separator: "#").dropLast()
        #expect(one.split(separator: "#").dropLast() == kind)
    }

    @Test func configuredDevicesStayAsTheyAre() async throws {
        let mine = "devices: [{address: \"F0:00:05:00:00:01\", alias: loft, mode: passive}]\n"
        try mine.write(toFile: "\(folder)/conf.d/mine.yaml", atomically: true, encoding: .utf8)
        let outcome = try await addAll(in: .beacons)
        #expect(!outcome.output.contains("Attic"))
        #expect(try files.count == Scenario.beacons.peripherals.count && !files.contains("attic.yaml"))
        // All are configured now.
        let again = try await addAll(in: .beacons)
        #expect(again.code == 5)
        #expect(
            again.failure?.message
                == "no new device nearby has values that blekeep can decode; 'blekeep scan' lists all")
    }

    /// As a configuration manager runs it again and again; the second time, nothing may need Bluetooth.
    @Test func aDeviceThatWasAddedStaysAsItIs() async throws {
        let probe = ["F0:00:00:00:00:04", "--alias", "oven"]
        #expect(try await add(probe, in: .house).output.hasPrefix("wrote \(folder)/conf.d/oven.yaml\n"))
        let mine = try text("oven.yaml") + "    interval: 10m\n"
        try mine.write(toFile: "\(folder)/conf.d/oven.yaml", atomically: true, encoding: .utf8)
        for arguments in [probe, [probe[0]], ["oven"]] {
            let again = try await add(arguments, in: .off)
            #expect(again.failure == nil, "\(arguments)")
            #expect(
                again.output
                    == "F0:00:00:00:00:04 is configured already, as oven, in \(folder)/conf.d/oven.yaml\n")
        }
        let json = try await add(probe + ["--json"], in: .off).output
        #expect(json.hasPrefix(#"{"device":"oven","address":"F0:00:00:00:00:04","state":"unchanged","file":"/"#))
        #expect(try files == ["oven.yaml"] && text("oven.yaml") == mine)
        // Not another alias, nor another device.
        #expect(try await add([probe[0], "--alias", "stove"], in: .off).code == 78)
        #expect(try await add(["F0:00:00:00:00:01", "--alias", "oven"], in: .off).code == 78)
    }

    @Test func aDeviceThatDoesNotConnectIsNamedAndOthersAreAdded() async throws {
        let outcome = try await addAll(in: .flaky)
        #expect(outcome.code == 1)
        #expect(try files.contains("flaky-drop.yaml"))
        #expect(try !files.contains("flaky-deaf.yaml"))
        #expect(outcome.failure?.message.contains("F0:00:01:00:00:04") == true)
    }

    @Test func withoutAnAdapterNothingIsWritten() async throws {
        let outcome = try await addAll(in: .off)
        #expect(outcome.code == 4)
        #expect(try files.isEmpty)
    }
}
