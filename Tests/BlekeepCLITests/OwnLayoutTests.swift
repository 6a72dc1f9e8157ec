import Blekeep
import BlekeepSimulation
import Foundation
import Testing

@testable import BlekeepCLI

/// Configured layouts apply in every command that shows or takes a value, as in `poll`.
@Suite struct OwnLayoutTests {
    private static let probe = "F0:00:00:00:00:04"
    private static let temperature = "b1e00002-6b65-4570-9a3e-2f0c5d81a7c4"
    private static let interval = "b1e00003-6b65-4570-9a3e-2f0c5d81a7c4"

    private static let configuration: String = {
        let path = NSTemporaryDirectory() + "blekeep-layouts-\(getpid()).yaml"
        let text = """
            layouts:
              - uuid: \(interval)
                name: Interval
                fields: [{name: interval, type: uint16, scale: 0.5, unit: s, special: {0xffff: never}}]
              - uuid: \(temperature)
                name: Oven
                fields: [{name: heat, type: sint16, scale: 0.1, offset: 100, unit: K}]
              - uuid: 2a19
                name: Charge
                fields: [{name: charge, type: uint7, unit: V}, {name: empty, type: bits1}]

            """
        try? text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }()

    @Test func decodeTakesTheirNames() throws {
        let decode = try #require(
            try BlekeepCLI.Blekeep.parse(["decode", "oven", "e803", "-c", Self.configuration]) as? Decode)
        try decode.run()
    }

    @Test func readsByThem() async throws {
        #expect(
            try await run(["read", Self.probe, Self.interval, "-c", Self.configuration]).output == "Interval  30.0 s\n")
        #expect(
            try await run(["read", "F0:00:00:00:00:01", "2a19", "-c", Self.configuration]).output
                == "Charge  charge 87 V, empty 0\n", "before the assigned one")
        let json = try await run(["read", Self.probe, Self.interval, "--json", "-c", Self.configuration]).output
        #expect(json.contains(#""name":"Interval","field":"interval","value":30,"unit":"s""#), "\(json)")
    }

    @Test func showsThemInTheTreeAndTheFile() async throws {
        let tree = try await run(["gatt", Self.probe, "-c", Self.configuration]).output
        #expect(tree.contains("Interval") && tree.contains("30.0 s"), "\(tree)")
        let oven = try #require(tree.split(separator: "\n").first { $0.contains(Self.temperature) })
        #expect(oven.contains("Oven") && oven.hasSuffix(" K"), "\(oven)")
    }

    @Test func notifiesByThem() async throws {
        let outcome = try await run(
            ["notify", Self.probe, Self.temperature, "--count", "1", "--json", "-c", Self.configuration])
        #expect(outcome.output.contains(#""field":"heat""#) && outcome.output.contains(#""unit":"K""#))
    }

    @Test func readsTheDescriptorWithoutALayout() async throws {
        let output = try await run(["read", Self.probe, Self.temperature]).output
        #expect(output.hasPrefix("Probe temperature  ") && output.hasSuffix(" °C\n"), "\(output)")
    }

    @Test func writesByThem() async throws {
        let written = ["write", Self.probe, Self.interval, "-c", Self.configuration]
        #expect(try await run(written + ["45.5"]).output == "Interval  wrote 45.5 s\n")
        #expect(try await run(written + ["45.5", "--json"]).output.contains(#""written":"5b00""#))
        #expect(try await run(written + ["never", "--json"]).output.contains(#""written":"ffff""#))
        #expect(try await run(written + ["0x0100", "--json"]).output.contains(#""written":"0100""#))
        for (value, sentence) in [
            ("45.2", "interval has no step at 45.2; next to it are 45 s and 45.5 s"),
            ("-5", "-5 is out of range: interval goes from 0 to 32767 s; or never"), ("soon", "'soon' isn't a number"),
        ] {
            let outcome = try await run(written + [value])
            #expect(outcome.code == 2 && outcome.failure?.message.contains(sentence) == true, "\(outcome)")
        }
        let unknown = try await run(["write", Self.probe, Self.interval, "45"])
        #expect(unknown.code == 2)
        #expect(unknown.failure?.message.hasPrefix("blekeep has no layout for \(Self.interval); write") == true)
    }

    @Test func writesWhatTheDeviceSaysOfItself() async throws {
        let lamp = SimulatedPeripheral(
            "Lamp", try #require(BluetoothAddress("F0:00:00:00:00:31")),
            services: [
                SimulatedService(
                    BluetoothUUID(0xFFF0),
                    [
                        SimulatedCharacteristic(
                            BluetoothUUID(0xFFF1), [.read, .write], constant: [0, 0],
                            descriptors: [.presentation(format: 0x0E, exponent: -2, unit: 0x272F)]),
                        SimulatedCharacteristic(BluetoothUUID(0x2A06), [.writeWithoutResponse], constant: [0]),
                    ])
            ])
        let scenario = Scenario("lamp", "what can be written", peripherals: [lamp])
        let device = "F0:00:00:00:00:31"
        let typed = try await run(["write", device, "fff1", "-21.5", "--json"], in: scenario)
        #expect(typed.output.contains(#""written":"9af7""#), "\(typed)")
        #expect(
            try await run(["write", device, "Alert Level", "2"], in: scenario).output
                == "Alert Level  wrote High alert\n")
        #expect(try await run(["write", device, "Alert Level", "300"], in: scenario).code == 2)
    }
}
