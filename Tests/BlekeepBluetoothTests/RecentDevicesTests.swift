import DBus
import Testing

@testable import BlekeepBluetooth

@Suite struct RecentDevicesTests {
    private func path(_ number: Int) throws -> ObjectPath { try #require(ObjectPath("/dev_\(number)")) }

    @Test func dropsTheOldestDevicesThatAreNotInUse() throws {
        var strangers = RecentDevices()
        let kept = try path(3)
        var left: [ObjectPath] = []
        for number in 0..<RecentDevices.maxDevices + 10 { left += strangers.add(try path(number)) { $0 == kept } }
        #expect(left == (try [0, 1, 2, 4, 5, 6, 7, 8, 9, 10].map(path)))
        #expect(strangers.add(try path(100)) { _ in false } == [])
    }

    @Test func keepsAllDevicesThatAreInUse() throws {
        var strangers = RecentDevices()
        for number in 0..<RecentDevices.maxDevices + 5 { #expect(strangers.add(try path(number)) { _ in true } == []) }
    }
}
