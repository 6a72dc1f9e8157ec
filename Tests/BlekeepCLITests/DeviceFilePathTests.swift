import Blekeep
import Foundation
import Testing

@testable import BlekeepCLI

/// Where `add` writes a new device.
@Suite final class DeviceFilePathTests {
    private let home = NSTemporaryDirectory() + "blekeep-home-\(UUID().uuidString.prefix(8))"
    private let address = "F0:00:00:00:00:04"

    deinit { try? FileManager.default.removeItem(atPath: home) }

    private var folder: String { "\(home)/.config/blekeep" }

    private func write(_ text: String, to name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(folder)/conf.d", withIntermediateDirectories: true)
        try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }

    /// Returns the path of a new device's file, with the configuration of the home.
    private func path(_ alias: String?, _ options: [String] = []) throws -> String {
        let device = DeviceConfiguration(alias: alias, address: try #require(BluetoothAddress(address)))
        return try DeviceFilePath.path(for: device, try globalOptions(options), environment: ["HOME": home])
    }

    private func message(_ alias: String?, _ options: [String] = []) -> String? {
        do {
            _ = try path(alias, options)
            return nil
        } catch { return (error as? Failure)?.message ?? "\(error)" }
    }

    @Test func aDeviceHasAFileOfItsName() throws {
        try write("devices: []\n", to: "config.yaml")
        #expect(try path("Grüner Ofen 2") == "\(folder)/conf.d/gr-ner-ofen-2.yaml")
        #expect(try path(nil) == "\(folder)/conf.d/f0-00-00-00-00-04.yaml")
        // An alias without any letter that a file's name may have.
        #expect(try path("氷") == "\(folder)/conf.d/f0-00-00-00-00-04.yaml")
    }

    @Test func aFileIsNeverReplaced() throws {
        try write("# mine\n", to: "conf.d/oven.yaml")
        #expect(message("oven") == "\(folder)/conf.d/oven.yaml exists already")
    }

    @Test func aConfiguredDeviceIsRefusedWithItsFile() throws {
        try write("devices: [{address: \"\(address)\", alias: probe}]\n", to: "conf.d/probe.yaml")
        #expect(message("oven") == "\(address) is configured already, as probe, in \(folder)/conf.d/probe.yaml")
    }

    @Test func anAliasIsForOneDevice() throws {
        try write("devices: [{address: \"F0:00:00:00:00:01\", alias: oven}]\n", to: "config.yaml")
        #expect(message("oven") == "the alias 'oven' is taken already, by F0:00:00:00:00:01")
        #expect(message("stove") == nil)
    }

    @Test func aReplacedSensorsIDIsItsSuccessors() throws {
        let id = address.replacing(":", with: "").lowercased()
        try write("devices: [{address: \"F0:00:00:00:00:01\", alias: oven, id: \(id)}]\n", to: "config.yaml")
        #expect(message("probe")?.hasPrefix("the ID \(id) is taken already, by F0:00:00:00:00:01") == true)
        try write("devices: [{address: \"F0:00:00:00:00:01\", alias: oven, id: probe}]\n", to: "config.yaml")
        #expect(message("probe") == "the alias 'probe' is taken already, by F0:00:00:00:00:01")
    }

    @Test func aNamedConfigurationFileHasNoFolder() throws {
        try write("devices: []\n", to: "config.yaml")
        let file = "\(folder)/config.yaml"
        let refusal =
            "with the configuration file \(file), blekeep doesn't read conf.d; leave out -c and BLEKEEP_CONFIG"
        #expect(message("oven", ["-c", file]) == refusal)
    }
}
