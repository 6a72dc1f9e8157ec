import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import BlekeepSimulation
import RunLoop
import Testing

@testable import BlekeepCLI
@testable import BlekeepLog

@Suite struct HostileNameTests {
    private static let name =
        "\u{1B}[2J\u{1B}]0;owned\u{7}\nfake: line\r\u{202E}live\u{2066}\u{200B}\u{115F}\u{3164}\u{85}\u{9B}1m,\"'=\\"

    private static func scenario() async throws -> Scenario {
        let evil = SimulatedPeripheral(
            name, try #require(BluetoothAddress("F0:00:00:00:00:66")),
            services: [
                .deviceInformation(manufacturer: name, model: name, serial: name, firmware: name),
                SimulatedService(
                    try #require(BluetoothUUID("b1e00001-6b65-4570-9a3e-2f0c5d81a7c4")),
                    [
                        SimulatedCharacteristic(
                            try #require(BluetoothUUID("b1e00002-6b65-4570-9a3e-2f0c5d81a7c4")), [.read, .notify],
                            constant: Array(name.utf8), descriptors: [.userDescription(name)])
                    ]),
            ])
        var scenario = Scenario("evil", "a name full of tricks", peripherals: [evil])
        scenario.adapters[0].offersMonitors = true
        return scenario
    }

    @Test(arguments: [
        ["scan", "--timeout", "2s"], ["scan", "--timeout", "2s", "--json"], ["scan", "--timeout", "2s", "--passive"],
        ["devices"], ["devices", "--json"],
        ["info", "F0:00:00:00:00:66"], ["info", "F0:00:00:00:00:66", "--json"], ["gatt", "F0:00:00:00:00:66"],
        ["gatt", "F0:00:00:00:00:66", "--json"], ["read", "F0:00:00:00:00:66", "2a29", "2a24"],
        ["read", "F0:00:00:00:00:66", "2a29", "--json"], ["add", "F0:00:00:00:00:66", "--print"],
        ["notify", "F0:00:00:00:00:66", "b1e00002-6b65-4570-9a3e-2f0c5d81a7c4", "--count", "1", "--csv"],
        ["notify", "F0:00:00:00:00:66", "b1e00002-6b65-4570-9a3e-2f0c5d81a7c4", "--count", "1", "--influx"],
        ["notify", "F0:00:00:00:00:66", "b1e00002-6b65-4570-9a3e-2f0c5d81a7c4", "--count", "1"],
        ["read", "F0:00:00:00:00:66", "2a29", "-vv"],
    ])
    func comesOutHarmless(arguments: [String]) async throws {
        let outcome = try await run(arguments, in: Self.scenario())
        #expect(outcome.failure == nil, "\(outcome.failure?.message ?? "")")
        #expect(!outcome.output.isEmpty)
        if !arguments.contains("--json") {
            // Tabs separate the columns of a scan: as many in each line.
            let tabs = outcome.lines.map { line in line.count { $0 == "\t" } }
            #expect(Set(tabs).count == 1)
            #expect(isHarmless(arguments[0] == "scan" ? outcome.output.replacing("\t", with: " ") : outcome.output))
        } else {
            // JSON may contain zero-width characters. Control characters and changes of direction are escaped.
            #expect(outcome.output.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0x7F })
            #expect(!outcome.output.unicodeScalars.contains { [0x202E, 0x2066, 0x85, 0x9B].contains($0.value) })
        }
        #expect(!outcome.lines.contains { $0.hasPrefix("fake: line") })
        for line in outcome.log { #expect(isHarmless(line)) }
    }

    /// Its name also fits a recipe.
    @Test(arguments: [
        ["scan", "--timeout", "2s"], ["add", "F0:00:07:00:00:66", "--print"],
    ])
    func comesOutHarmlessWithARecipe(arguments: [String]) async throws {
        var evil = try #require(
            RecipeCatalogue.recipe(named: "jbd").flatMap { SimulatedPeripheral($0, Scenario.numbered(0x66, group: 7)) })
        evil.name = "JBD-\(Self.name)"
        let outcome = try await run(arguments, in: Scenario("evil", "a name full of tricks", peripherals: [evil]))
        let output = outcome.output
        #expect(output.contains(arguments[0] == "scan" ? "JBD battery" : "jbd"))
        #expect(isHarmless(arguments[0] == "scan" ? output.replacing("\t", with: " ") : output))
        #expect(!outcome.lines.contains { $0.hasPrefix("fake: line") })
        for line in outcome.log { #expect(isHarmless(line)) }
    }

    @Test func isHarmlessInTheLiveTables() async throws {
        let address = try #require(BluetoothAddress("F0:00:00:00:00:66"))
        var model = PollModel()
        model.apply(
            Reading(
                time: 0, tick: 1, device: Self.name, address: address, service: nil,
                characteristic: BluetoothUUID(0x2A00), name: Self.name,
                outcome: .value(Measurement(field: Self.name, value: .text(Self.name), unit: Self.name), raw: [])))
        let line = try #require(model.lines(of: address).first).shown
        #expect(isHarmless(line.name + line.value + line.unit))
        #expect(!(line.name + line.value + line.unit).contains("\n"))
    }

    @Test func aLogLineStaysOne() {
        let lines = Lines()
        let handler = StandardErrorLog(level: .info, isJournal: true, write: lines.add)
        handler.log(
            event: .init(
                level: .warning, message: "\(Self.name)", metadata: nil, source: "", file: "", function: "", line: 0))
        #expect(lines.all.count == 1)
        #expect(lines.all[0].hasPrefix("<4>"))
        #expect(isHarmless(lines.all[0]) && !lines.all[0].contains("\n"))
    }
}
