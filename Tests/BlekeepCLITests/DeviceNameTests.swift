import Blekeep
import Testing

@testable import BlekeepCLI

@Suite struct DeviceNameTests {
    private let known: [DeviceConfiguration] = [
        ("freezer", ["cellar", "cold"]), ("boiler", ["cellar"]), ("attic", []),
    ].enumerated().map { index, device in
        var configuration = DeviceConfiguration(alias: device.0, address: BluetoothAddress(bits: UInt64(index)))
        configuration.tags = device.1
        return configuration
    }

    @Test(arguments: [
        (["tag:cellar"], ["freezer", "boiler"]), (["boiler", "tag:cellar"], ["boiler", "freezer"]),
        (["attic", "attic"], ["attic"]), (["tag:cold", "attic"], ["freezer", "attic"]),
    ])
    func groupsStandForTheirDevices(names: [String], devices: [String]) throws {
        #expect(try DeviceName.resolveAll(names, among: known).map(\.name) == devices)
    }

    @Test func aGroupMayLeaveOutDisabledDevices() throws {
        var known = known
        known[0].isEnabled = false
        #expect(try DeviceName.resolveAll(["tag:cellar"], among: known, skipsDisabled: true).map(\.name) == ["boiler"])
        #expect(try DeviceName.resolveAll(["freezer"], among: known, skipsDisabled: true).map(\.name) == ["freezer"])
    }

    @Test func aGroupOfOneIsADevice() throws {
        #expect(try DeviceName.resolve("tag:cold", among: known).name == "freezer")
    }

    @Test(arguments: [
        ("tag:cellar", "'tag:cellar' names 2 devices, and this command takes one: freezer, boiler"),
        ("tag:x", "no device has the tag 'x'; the tags are cellar, cold"),
    ])
    func otherGroupsAreNoDevice(name: String, message: String) {
        let failure = #expect(throws: Failure.self) { try DeviceName.resolve(name, among: known) }
        #expect(failure?.message == message)
    }
}
