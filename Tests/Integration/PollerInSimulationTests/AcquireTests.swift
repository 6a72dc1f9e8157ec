import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

/// Notifications through a socket, in real time: in virtual time there are no descriptors.
@Suite struct AcquireTests {
    private static let logger = "F0:00:00:00:00:51"

    /// Counts up fifty times a second; another characteristic only indicates.
    private static func scenario() throws -> Scenario {
        let counter = SimulatedCharacteristic(BluetoothUUID(0xFFF1), [.notify], every: .milliseconds(20)) { time in
            [UInt8(truncatingIfNeeded: time.components.seconds), 7]
        }
        let indicating = SimulatedCharacteristic(BluetoothUUID(0xFFF2), [.indicate], constant: [1])
        return Scenario(
            "logger", "a fast one",
            peripherals: [
                SimulatedPeripheral(
                    "Logger", try #require(BluetoothAddress(logger)),
                    services: [SimulatedService(BluetoothUUID(0xFFF0), [counter, indicating])])
            ])
    }

    private func run(
        _ kind: Bench.Kind,
        _ body: @escaping @Sendable (Link, Link.Characteristic, World, any Bus) async throws -> Void
    ) async throws {
        let address = try #require(BluetoothAddress(Self.logger))
        try await Bench.run(kind, Self.scenario()) { bench, world in
            let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
                try await bench.connect()
            }
            let other = try await bench.connect()
            try await central.peripheral(address).withLink { link in
                try await body(link, try await link.characteristic(BluetoothUUID(0xFFF1)), world, other)
            }
            central.close()
        }
    }

    @Test(arguments: [Bench.Kind.loopback, .daemon])
    func takesEachPacketAsAValue(_ kind: Bench.Kind) async throws {
        try await run(kind) { link, characteristic, _, _ in
            let (values, mtu) = try await link.acquiredNotifications(of: characteristic)
            #expect(mtu == 517)
            var count = 0
            for await value in values {
                #expect(value.count == 2 && value[1] == 7)
                count += 1
                if count == 10 { break }
            }
        }
    }

    @Test(arguments: [Bench.Kind.loopback, .daemon])
    func endsWithTheLink(_ kind: Bench.Kind) async throws {
        try await run(kind) { link, characteristic, world, _ in
            let (values, _) = try await link.acquiredNotifications(of: characteristic)
            var count = 0
            for await _ in values {
                count += 1
                if count == 3 { world.drop("Logger") }
            }
            #expect(count >= 3)
        }
    }

    @Test(arguments: [Bench.Kind.loopback, .daemon])
    func subscribesOnceTheSocketIsClosed(_ kind: Bench.Kind) async throws {
        try await run(kind) { link, characteristic, _, other in
            try await holding(link, characteristic)
            // BlueZ notices in its own time that the socket was closed; from then on both ways are free.
            for attempt in 1...200 {
                guard (try? await link.notifications(of: characteristic)) == nil else { break }
                #expect(attempt < 200, "never released")
                try? await other.loop.sleep(until: other.loop.now + .milliseconds(10))
            }
        }
    }

    /// Has the socket for as long as this runs.
    private func holding(_ link: Link, _ characteristic: Link.Characteristic) async throws {
        let acquired = try await link.acquiredNotifications(of: characteristic).values
        let second = await error { () async throws(BluetoothError) in
            _ = try await link.acquiredNotifications(of: characteristic)
        }
        #expect(second?.code == .characteristic)
        #expect(second?.description.hasSuffix("another program has the socket already") == true)
        await #expect(throws: BluetoothError.self) { _ = try await link.notifications(of: characteristic) }
        for await _ in acquired { break }
    }

    @Test func tellsWhyThereIsNoSocket() async throws {
        try await run(.loopback) { link, characteristic, _, _ in
            let subscription = try await link.notifications(of: characteristic)
            let busy = await error { () async throws(BluetoothError) in
                _ = try await link.acquiredNotifications(of: characteristic)
            }
            #expect(busy?.description.hasSuffix("another program is subscribed already") == true)
            withExtendedLifetime(subscription) {}
            let indicating = try await link.characteristic(BluetoothUUID(0xFFF2))
            let refused = await error { () async throws(BluetoothError) in
                _ = try await link.acquiredNotifications(of: indicating)
            }
            #expect(refused?.code == .characteristic)
            #expect(refused?.description.hasSuffix("the characteristic only indicates") == true)
        }
    }

    private func error(_ action: () async throws(BluetoothError) -> Void) async -> BluetoothError? {
        do throws(BluetoothError) {
            try await action()
            return nil
        } catch { return error }
    }
}
