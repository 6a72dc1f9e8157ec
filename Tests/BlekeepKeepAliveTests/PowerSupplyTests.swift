import Foundation
import Testing

@testable import BlekeepKeepAlive

@Suite struct PowerSupplyTests {
    /// A folder like /sys/class/power_supply, with these files.
    private func state(_ supplies: [String: [String: String]]) throws -> PowerState {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blekeep-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, files) in supplies {
            let supply = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: supply, withIntermediateDirectories: true)
            for (file, text) in files {
                try Data((text + "\n").utf8).write(to: supply.appendingPathComponent(file))
            }
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return PowerSupply.facts(in: folder.path).state
    }

    @Test func aLaptopOnItsBattery() throws {
        let battery = ["type": "Battery", "status": "Discharging", "scope": "System"]
        #expect(try state(["AC": ["type": "Mains", "online": "0"], "BAT0": battery]) == .battery)
        #expect(try state(["AC": ["type": "Mains", "online": "1"], "BAT0": battery]) == .mains)
    }

    @Test func aMouseDoesNotFeedTheMachine() throws {
        #expect(try state(["mouse": ["type": "Battery", "status": "Discharging", "scope": "Device"]]) == .mains)
    }

    @Test func nothingKnownIsUnknown() throws {
        #expect(try state([:]) == .mains)
        #expect(PowerSupply.facts(in: "/nowhere/at/all").state == .unknown)
    }
}
