import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

/// An object of BlueZ loses an interface while it is read.
@Suite struct RemovedInterfaceTests {
    @Test func aReadOutlivesTheBatteryInterface() async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let home = Household(bench, world) { configuration in
                configuration.devices = configuration.devices.filter { $0.alias == "Living Room" }
            }
            world.slow("Living Room", by: .seconds(2))
            _ = try await home.keep(for: .seconds(100)) {
                while bench.loop.now < .start + .seconds(100) {
                    world.blinkBattery("Living Room")
                    try await bench.loop.sleep(until: bench.loop.now + .seconds(1))
                }
            }
            #expect(home.failures.isEmpty)
            #expect(home.moments(of: "Living Room", 0x2A6E).count >= 3)
        }
    }

    @Test func aCentralsReadOutlivesTheBatteryInterface() async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
                try await bench.connect()
            }
            let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
            let bytes = try await central.peripheral(address).withLink { link in
                world.slow("Living Room", by: .seconds(2))
                async let bytes = link.read(BluetoothUUID(0x2A6E))
                try await bench.loop.sleep(until: bench.loop.now + .seconds(1))
                world.blinkBattery("Living Room")
                return try await bytes
            }
            #expect(bytes.count == 2)
            central.close()
        }
    }
}
