import DBus
import Testing

@testable import BlekeepBluetooth

@Suite struct DevicePathsTests {
    private let paths = DevicePaths([BluetoothAddress(bits: 0xF000_0000_0001), BluetoothAddress(bits: 2)])

    @Test(arguments: [
        ("/org/bluez/hci0/dev_F0_00_00_00_00_01", 0),
        ("/org/bluez/hci10/dev_F0_00_00_00_00_01/service000e/char000f", 0),
        ("/org/bluez/hci0/dev_00_00_00_00_00_02", 1),
    ])
    func ourDevicesAndTheirPartsAreFound(path: String, id: Int) {
        #expect(paths.device(of: ObjectPath(unchecked: path)) == id)
    }

    @Test(arguments: [
        "/", "/org/bluez", "/org/bluez/hci0", "/org/bluez/hci0/dev_", "/org/bluez/hci0/dev_F0_00_00_00_00",
        "/org/bluez/hci0/dev_F0_00_00_00_00_0G", "/org/bluez/hci0/dev_F0000000000001___", "/org/other/hci0/dev_F0_00",
        "/org/bluez/hci0/dev_F0_00_00_00_00_03", "/com/example/hci0/dev_F0_00_00_00_00_01",
    ])
    func nothingElseIs(path: String) { #expect(paths.device(of: ObjectPath(unchecked: path)) == nil) }

    @Test func aDeviceKeepsItsOtherPathsWhenOthersLeave() {
        let other: ObjectPath = "/org/bluez/hci0/dev_00_00_00_00_00_07"
        paths.aliases.add(BluetoothAddress(bits: 7), of: 1)
        #expect(paths.device(of: other) == 1)
        paths.replace(with: [BluetoothAddress(bits: 2), BluetoothAddress(bits: 3)])
        #expect(paths.device(of: other) == 0 && paths.aliases.addresses(of: 0) == [BluetoothAddress(bits: 7)])
        paths.replace(with: [BluetoothAddress(bits: 3)])
        #expect(paths.device(of: other) == nil)
    }

    @Test(arguments: [
        ("org.bluez.Reason.Timeout", LinkEnd.timeout), ("org.bluez.Reason.Local", .local),
        ("org.bluez.Reason.Remote", .remote), ("org.bluez.Reason.Authentication", .authentication),
        ("org.bluez.Reason.Suspend", .suspend), ("org.bluez.Reason.Unknown", .unknown), ("", .unknown),
        ("something else", .unknown),
    ])
    func everyReasonIsUnderstood(reason: String, end: LinkEnd) { #expect(LinkEnd(reason) == end) }
}
