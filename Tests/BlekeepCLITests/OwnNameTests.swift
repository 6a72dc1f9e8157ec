import Blekeep
import BlekeepSimulation
import Testing

@testable import BlekeepCLI

/// Devices by the names that `scan` shows.
@Suite struct OwnNameTests {
    @Test func aDeviceIsFoundByItsName() async throws {
        #expect(try await run(["read", "Freezer", "temperature"]).output.hasPrefix("Temperature"))
    }

    @Test func anotherNameIsAnError() async throws {
        let outcome = try await run(["read", "Icebox", "temperature"])
        #expect(outcome.code == 5)
        #expect(
            outcome.failure?.message
                == "no device is called 'Icebox': name one by its alias, or by its address such as F0:00:00:00:00:01")
    }

    @Test func aNameOfTwoDevicesIsRefusedWithTheirAddresses() async throws {
        let twins = try ["F0:00:00:00:00:22", "F0:00:00:00:00:21"].map { address in
            SimulatedPeripheral("Twin", try #require(BluetoothAddress(address)), services: [.battery(50)])
        }
        let outcome = try await run(
            ["read", "Twin", "battery-level"], in: Scenario("twins", "one name", peripherals: twins))
        #expect(outcome.code == 2)
        #expect(
            outcome.failure?.message
                == "2 devices are called 'Twin'; give an address: F0:00:00:00:00:21, F0:00:00:00:00:22")
    }

    @Test func addTakesTheNameAsAlias() async throws {
        let outcome = try await run(["add", "Freezer", "--print"])
        #expect(outcome.lines.contains("    alias: \"Freezer\""), "\(outcome)")
    }

    @Test func addAllNeedsATerminalOrYes() async throws {
        let outcome = try await run(["add", "--all"])
        #expect(outcome.code == 2)
    }
}
