import Blekeep
import DBus
import Foundation
import Testing

/// The tables in Swift, the files in `dbus/interfaces` and the real bluetoothd say the same.
struct InterfaceTableTests {
    @Test(arguments: Contract.tables.map(InterfaceDescription.init))
    func tableEqualsFile(_ table: InterfaceDescription) throws {
        #expect(try Contract.file(table.name) == table)
    }

    @Test func everyFileHasATable() throws {
        let folder = Contract.folder.appending(path: "interfaces")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        #expect(files.sorted() == Contract.tables.map { $0.name.text + ".xml" }.sorted())
    }

    /// The real service has more members than we use; those that we use are there with the same types.
    @Test(
        arguments: [
            ("org.bluez_hci0_Adapter1.xml", "org.bluez.Adapter1"),
            ("org.bluez_hci0_Adapter1_experimental.xml", "org.bluez.AdvertisementMonitorManager1"),
            ("org.bluez_hci0_Adapter1.xml", "org.bluez.LEAdvertisingManager1"),
            ("org.bluez_AgentManager1.xml", "org.bluez.AgentManager1"),
            ("org.bluez_Device1_Battery1.xml", "org.bluez.Device1"),
            ("org.bluez_Device1_Battery1.xml", "org.bluez.Battery1"),
            ("org.bluez_Device1_Battery1.xml", "org.freedesktop.DBus.Properties"),
            ("org.bluez_GattService1.xml", "org.bluez.GattService1"),
            ("org.bluez_GattCharacteristic1.xml", "org.bluez.GattCharacteristic1"),
            ("org.bluez_GattDescriptor1.xml", "org.bluez.GattDescriptor1"),
            ("org.freedesktop.DBus.xml", "org.freedesktop.DBus"),
            ("org.freedesktop.DBus.xml", "org.freedesktop.DBus.Introspectable"),
            ("org.freedesktop.DBus.xml", "org.freedesktop.DBus.Peer"),
            ("root.xml", "org.freedesktop.DBus.ObjectManager"),
            ("org.freedesktop.UPower.xml", "org.freedesktop.UPower"),
            ("org.freedesktop.UPower.Device.xml", "org.freedesktop.UPower.Device"),
            ("net.hadess.PowerProfiles.xml", "net.hadess.PowerProfiles"),
            ("org.freedesktop.login1.Manager.xml", "org.freedesktop.login1.Manager"),
            ("org.freedesktop.systemd1.Manager.xml", "org.freedesktop.systemd1.Manager"),
        ])
    func theRealServiceHasEveryMember(_ fixture: String, _ interface: String) throws {
        let table = try #require(Contract.tables.first { $0.name.text == interface })
        let live = try #require(try Contract.fixture(fixture).first { $0.name == interface })
        let missing = InterfaceDescription(table).members.subtracting(live.members).subtracting(Self.later)
        #expect(missing.isEmpty, "not in the real \(interface): \(missing.sorted())")
    }

    /// What the fixtures' BlueZ 5.66 does not have yet, and we do without: `Disconnected` came with 5.83,
    /// `PreferredBearer` with 5.80.
    private static let later: Set = ["signal Disconnected(ss)", "property PreferredBearer s readwrite"]
}
