import Blekeep
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepService

/// What the exported service answers to `Introspect` equals the files in `dbus/interfaces`.
struct ServiceContractTests {
    @Test(arguments: Bench.Kind.allCases) func introspectEqualsFile(_ kind: Bench.Kind) async throws {
        let device = DeviceConfiguration(address: try #require(BluetoothAddress("F0:00:00:00:00:01")))
        try await Bench.run(kind) { bench in
            let objects = ServiceObjects(PollConfiguration(devices: [device]), version: "1.0")
            let server = try await bench.connect()
            for object in objects.all { server.export(object) }
            let client = try await bench.connect()
            for (path, name) in [(Poller1.path, "org.blekeep.Poller1"), (objects.all[1].path, "org.blekeep.Device1")] {
                let xml = try await client.object(server.name, at: path).call(
                    Introspectable.introspect, within: .seconds(5))
                #expect(try InterfaceDescription.parse(xml).interfaces.contains(Contract.file(name)))
            }
        }
    }
}
