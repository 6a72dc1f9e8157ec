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

    @Test func aGroupOfDevicesThatAreNotPolledSaysWhy() {
        var known = known
        known[0].isEnabled = false
        known[1].gateways = ["attic", "barn"]
        known[1].isElsewhere = true
        let failure = #expect(throws: Failure.self) {
            try DeviceName.resolveAll(["tag:cellar"], among: known, skipsDisabled: true)
        }
        #expect(
            failure?.message
                == "blekeep polls no device with the tag 'cellar': freezer is disabled, boiler is read only by the gateways "
                + "attic, barn; 'blekeep set DEV enabled true' enables one")
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

    @Test(arguments: [("Attic", "attic"), ("FREEZER", "freezer"), ("F00000000001", "boiler")])
    func aNameMatchesWithoutRegardToCase(text: String, device: String) throws {
        var known = known
        known[1].ownID = DeviceID("f00000000001")
        #expect(try DeviceName.resolve(text, among: known).name == device)
    }

    @Test func theExactNameCountsBeforeOneThatDiffersByCase() throws {
        var known = known
        known[2].alias = "Boiler"
        #expect(try DeviceName.resolve("boiler", among: known).address == known[1].address)
        #expect(try DeviceName.resolve("Boiler", among: known).address == known[2].address)
        let failure = #expect(throws: Failure.self) { try DeviceName.resolve("BOILER", among: known) }
        #expect(failure?.code == .usage)
        #expect(
            failure?.message
                == "'BOILER' may mean 'boiler', 'Boiler'; write the name with the same capital letters")
    }

    @Test(arguments: [
        ("frezer", "no device is called 'frezer' ('blekeep status' lists all); did you mean 'freezer'?"),
        ("att", "no device is called 'att' ('blekeep status' lists all); did you mean 'attic'?"),
        ("garage", "no device is called 'garage'; 'blekeep status' lists all"),
    ])
    func anUnknownNameIsNotFoundAndNamesSimilarOnes(text: String, message: String) {
        let failure = #expect(throws: Failure.self) { try DeviceName.resolve(text, among: known) }
        #expect(failure?.code == .notFound)
        #expect(failure?.message == message)
    }

    @Test func atMostThreeSimilarNamesAreShown() {
        let names = ["sensor 1", "sensor 2", "sensor 3", "sensor 4"]
        #expect(
            DeviceNames.unknown("sensor 9", among: names, list: "x lists all")
                == "no device is called 'sensor 9' (x lists all); did you mean 'sensor 1', 'sensor 2' or 'sensor 3'?")
    }
}
