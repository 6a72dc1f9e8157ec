import BlekeepRecords
import BusBench
import DBus
import Foundation
import RunLoop
import Subprocess
import Testing

@testable import BlekeepSimulation

/// Independent clients check the simulation: bluetoothctl, busctl and bleak.
struct ForeignClientTests {
    private static let device: ObjectPath = "/org/bluez/hci0/dev_F0_00_00_00_00_01"

    /// The house, with a living room whose values don't change while two clients read it.
    private static let scenario: Scenario = {
        var scenario = Scenario.house
        scenario.peripherals[0] = .environmentalSensor(
            "Living Room", address: BluetoothAddress(literal: ConnectTests.living), temperature: 2125...2125)
        return scenario
    }()

    @Test func bluetoothctlListsAndShowsDevices() async throws {
        let (devices, info, show) = try await Bench.run(.daemon, Self.scenario) { bench, _ in
            (
                try await Self.run("bluetoothctl", ["devices"], on: bench),
                try await Self.run("bluetoothctl", ["info", ConnectTests.living], on: bench),
                try await Self.run("bluetoothctl", ["show"], on: bench)
            )
        }
        for peripheral in Self.scenario.peripherals {
            #expect(devices.contains("Device \(peripheral.address) \(peripheral.name)\n"))
        }
        #expect(info.contains("Name: Living Room"))
        #expect(info.contains("Connected: no"))
        #expect(info.contains("UUID: Environmental Sensing"))
        #expect(show.contains("Controller 00:1A:7D:DA:71:00"))
        #expect(show.contains("Powered: yes"))
    }

    @Test func busctlWalksTheTreeAndReads() async throws {
        let (tree, value, ours) = try await Bench.run(.daemon, Self.scenario) { bench, _ in
            let client = try await Client.make(bench)
            try await client.open(Self.device)
            let path = try await client.characteristic(0x2A6E, of: Self.device)
            let call = ["call", "org.bluez", path.text, "org.bluez.GattCharacteristic1", "ReadValue", "a{sv}", "0"]
            return (
                try await Self.run("busctl", ["tree", "org.bluez"], on: bench),
                try await Self.run("busctl", call, on: bench), try await client.read(path)
            )
        }
        #expect(tree.contains("\(Self.device)/service000e/char000f/desc0011"))
        #expect(value == "ay \(ours.count) \(ours.map(String.init).joined(separator: " "))\n")
    }

    @Test func bleakReadsWhatWeRead() async throws {
        struct Found: Decodable {
            let name: String
            let services: [String]
            let temperature, battery, notified: [UInt8]
        }
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let script = folder.appending(path: "read-with-bleak.py").path
        let (output, temperature, battery) =
            try await Bench.run(.daemon, Self.scenario) { bench, _ in
                // Debian installs bleak for its own Python, which may not be the first one in the path.
                var python = "python3"
                if !(await Self.succeeds(python, ["-c", "import bleak"], on: bench)) { python = "/usr/bin/python3" }
                let output = try await Self.run(python, [script, ConnectTests.living], on: bench)
                let client = try await Client.make(bench)
                try await client.open(Self.device)
                return (
                    output, try await client.read(try await client.characteristic(0x2A6E, of: Self.device)),
                    try await client.read(try await client.characteristic(0x2A19, of: Self.device))
                )
            } as (String, [UInt8], [UInt8])
        let found = try JSONDecoder().decode(Found.self, from: Data(output.utf8))
        #expect(found.name == "Living Room")
        #expect(found.services.contains(BluetoothUUID(0x181A).full))
        #expect(found.temperature == temperature)
        #expect(found.notified == temperature)
        #expect(found.battery == battery)
    }

    // MARK: Running

    private struct Failed: Error { let output: String }

    private static func succeeds(_ program: String, _ arguments: [String], on bench: Bench) async -> Bool {
        (try? await run(program, arguments, on: bench)) != nil
    }

    /// Returns the output of a program that uses the simulated bus as the system bus.
    private static func run(_ program: String, _ arguments: [String], on bench: Bench) async throws -> String {
        let address = try #require(bench.address)
        let result = try await Subprocess.run(
            program.hasPrefix("/") ? .path(.init(program)) : .name(program), arguments: Arguments(arguments),
            environment: .inherit.updating(["DBUS_SYSTEM_BUS_ADDRESS": address, "LC_ALL": "C.UTF-8"]),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        let output = result.standardOutput
        guard result.terminationStatus.isSuccess else {
            throw Failed(output: output + result.standardError)
        }
        return output
    }
}
