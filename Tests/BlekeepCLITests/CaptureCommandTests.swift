import Blekeep
import BlekeepConfiguration
import BlekeepSimulation
import BusBench
import DBus
import Foundation
import Logging
import Testing

@testable import BlekeepCLI
@testable import BlekeepLog

/// `capture`, on simulated devices.
@Suite final class CaptureCommandTests {
    private static let asked = Scenario.asked(RecipeCatalogue.all)
    private let file = NSTemporaryDirectory() + "blekeep-capture-\(UUID().uuidString.prefix(8)).yaml"

    deinit { try? FileManager.default.removeItem(atPath: file) }

    private var capture: Capture { get throws { try CaptureFile.read(file) } }

    private func peripheral(_ recipe: String) throws -> SimulatedPeripheral {
        try #require(Self.asked.peripherals.first { $0.recipe == recipe })
    }

    private func run(_ arguments: [String], in scenario: Scenario) async throws -> Outcome {
        let line = ["capture", "--file", file, "-c", emptyConfiguration] + arguments
        return try await Bench.run(.virtual, scenario) { bench, _ in
            let (output, log) = (Collected(), Lines())
            let command = try #require(try BlekeepCLI.Blekeep.parse(line) as? CaptureCommand)
            let context = CommandContext(
                on: bench.loop, command.options, output: output, terminal: .none,
                log: Logger(label: "test") { _ in
                    StandardErrorLog(level: .notice, isJournal: false, write: log.add)
                }, environment: [:], wallTime: { 1_795_694_400_000 }
            ) { () async throws(BusError) in try await bench.connect() }
            do {
                try await context.run(command)
                return Outcome(output: output.text, log: log.all, failure: nil)
            } catch {
                return Outcome(output: output.text, log: log.all, failure: try #require(error as? Failure))
            }
        }
    }

    @Test func aRecipeThatWritesNeedsAYes() async throws {
        let device = try peripheral("jbd")
        let refused = try await run(["\(device.address)"], in: Self.asked)
        #expect(
            refused.failure?.message
                == "the recipe jbd (JBD battery) writes dda50300fffd77 to ff00/ff02, dda50400fffc77 to ff00/ff02 to "
                + "\(device.address): run this on a terminal, or add --yes; '--recipe none' writes nothing")
        #expect(refused.code == 2 && !FileManager.default.fileExists(atPath: file))

        let done = try await run(["\(device.address)", "--yes"], in: Self.asked)
        #expect(
            done.failure == nil && done.lines.last?.hasSuffix("'blekeep poll --simulate \(file)' plays it.") == true)
        let capture = try capture
        #expect(capture.date == "2026-11-26" && capture.recipe == "jbd" && capture.failure == nil)
        #expect(capture.address.description == "C0:00:00:00:00:01" && capture.name == "JBD-0")
        let recipe = try #require(RecipeCatalogue.recipe(named: "jbd"))
        let trial = RecipeTrial(recipe, answers: recipe.example)
        #expect(capture.expected == trial.outcome.answers.flatMap(\.measurements).map { Capture.Value($0) })
        #expect(capture.exchanges.filter { $0.kind == .written }.map(\.bytes) == trial.writes)
        #expect(capture.packets.count == 1 && capture.packets[0].services == [BluetoothUUID(0xFF00)])
        #expect(!done.output.contains("\(device.address)") && !done.output.contains("differs"))
    }

    /// What a capture plays reads as the device did: the file goes round once more.
    @Test(arguments: ["miflora", "airthings-wave-plus", "ibbq", "jk", "mj-ht-v1", "radoneye", "sensortag", "seplos-v2"])
    func aCaptureOfAPlayedCaptureHasTheSameValues(name: String) async throws {
        let first = try await run(["\(try peripheral(name).address)", "--recipe", name, "--yes"], in: Self.asked)
        #expect(first.failure == nil)
        let capture = try capture
        let recipe = try #require(RecipeCatalogue.recipe(named: name))
        try FileManager.default.removeItem(atPath: file)
        let played = Scenario("capture", "played", peripherals: [SimulatedPeripheral(capture, recipe: recipe)])
        let second = try await run(["\(capture.address)", "--recipe", name, "--yes"], in: played)
        #expect(second.failure == nil)
        let again = try self.capture
        #expect(again.expected == capture.expected && !capture.expected.isEmpty)
        #expect(again.failure == nil && again.packets.map(\.services) == capture.packets.map(\.services))
    }

    @Test func aFailedConversationIsRecorded() async throws {
        var scenario = Self.asked
        for index in scenario.peripherals.indices {
            scenario.peripherals[index] = scenario.peripherals[index].behaving { $0.answering = .init(.lost) }
        }
        let done = try await run(["\(try peripheral("jbd").address)", "--yes"], in: scenario)
        #expect(done.failure == nil && done.lines.contains("failed      no answer to step 1 within 5s"))
        let capture = try capture
        let recipe = try #require(RecipeCatalogue.recipe(named: "jbd"))
        #expect(capture.failure == "no answer to step 1 within 5s" && capture.expected.isEmpty)
        #expect(capture.trial(of: recipe).outcome.failure?.message == capture.failure)
        #expect(capture.exchanges.count { $0.kind == .written } == 2)
    }

    @Test func aDeviceThatOnlyAdvertisesIsNotConnected() async throws {
        let tag = try #require(Scenario.beacons.peripherals.first { $0.name == "Attic" })
        let done = try await run(["\(tag.address)"], in: .beacons)
        #expect(done.failure == nil)
        let capture = try capture
        #expect(
            !capture.packets.isEmpty && capture.services.isEmpty && capture.exchanges.isEmpty && capture.recipe == nil)
        // Ruuvi's packet ends with the address.
        let data = try #require(capture.packets[0].manufacturerData[0x0499])
        #expect(Array(data.suffix(6)) == capture.address.bytes && capture.name == "xxxxx")
        let scan = SimulatedPeripheral(capture, recipe: nil).data(at: .zero)
        #expect(scan.manufacturerData == capture.packets[0].manufacturerData)
    }

    @Test func valuesThatNeedPairingAreLeftOutAndTheOthersAreRead() async throws {
        let done = try await run(["F0:00:04:00:00:01"], in: .passkey)
        #expect(done.failure == nil)
        #expect(done.lines.contains { $0.hasSuffix("and 1 value that couldn't be read") }, "\(done.output)")
        let points = try capture.services.flatMap(\.characteristics)
        #expect(points.first { $0.uuid == BluetoothUUID(0x2A6E) }?.failure == "needs pairing")
        #expect(points.first { $0.uuid == BluetoothUUID(0x2A19) }?.value == [87])
    }

    @Test func withoutARecipeWhatADeviceNotifiesIsRecorded() async throws {
        let strap = try #require(Scenario.house.peripherals.first { $0.name == "Heart Strap" })
        let done = try await run(["\(strap.address)", "--keep-name"], in: .house)
        #expect(done.failure == nil)
        let capture = try capture
        let pulses = capture.exchanges.filter { $0.kind == .notified }
        #expect(pulses.count >= 8 && pulses.allSatisfy { $0.characteristic.uuid == BluetoothUUID(0x2A37) })
        #expect(capture.name == "Heart Strap" && capture.address.description == "00:1B:DC:00:00:01")
    }
}
