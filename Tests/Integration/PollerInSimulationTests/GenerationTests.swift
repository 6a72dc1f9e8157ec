import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller

/// Requests for one bluetoothd never go to the next one.
@Suite struct GenerationTests {
    private static let adapter: ObjectPath = "/org/bluez/hci0"

    /// Returns the events of a session whose calls meet a new bluetoothd, and the results.
    private func called(
        _ call: @escaping @Sendable (Session, ObjectPath) async -> Void
    ) async throws -> (events: [Event], isDiscovering: Bool, isConnected: Bool) {
        try await Bench.run(.virtual, .house) { bench, world in
            nonisolated(unsafe) var events: [Event] = []
            let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
            let path = Bluez.path(of: address, on: Self.adapter)
            let bus = try await bench.connect()
            let central = CentralCore(on: bus, watching: [WatchedDevice(address: address)]) { _, _ in }
            let session = Session(central) { events.append($0) }
            let arrival = Gate(bench.loop)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await central.run() }
                try? await bench.loop.sleep(until: .start + .seconds(5))
                try? await bus.follow(Bluez.service) { event in
                    if case .owner(_?) = event, !central.mirror.isKnown { arrival.open() }
                }
                group.addTask {
                    await arrival.wait()
                    await call(session, path)
                }
                world.restartBluez(after: .milliseconds(100))
                try? await bench.loop.sleep(until: .start + .seconds(10))
                central.stop()
            }
            let device = bus.object(Bluez.service, at: path)
            let isDiscovering = try await bus.object(Bluez.service, at: Self.adapter)
                .get(Adapter1.discovering, within: .seconds(1))
            return (events, isDiscovering, try await device.get(Device1.connected, within: .seconds(1)))
        }
    }

    @Test func sendsNoConnectToANewBluetoothd() async throws {
        let seen = try await called { session, path in
            await session.connect(ConnectRequest(0, link: 1, path), within: .seconds(12), by: false)
        }
        #expect(!seen.isConnected)
        #expect(
            seen.events.contains {
                if case .device(0, .connected(link: 1, .disconnected?)) = $0 { true } else { false }
            })
    }

    /// Once, the end of an attempt whose Connect was never sent disconnected what another program had connected: BlueZ's
    /// objects weren't known yet, or (`isRenewed`) the connection to the bus was replaced before.
    @Test(arguments: [false, true])
    func theEndOfAnUnsentAttemptDisconnectsNothing(isRenewed: Bool) async throws {
        try await Bench.run(.virtual, .house) { bench, _ in
            nonisolated(unsafe) var events: [Event] = []
            let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
            let path = Bluez.path(of: address, on: Self.adapter)
            let other = try await bench.connect()
            _ = try await other.object(Bluez.service, at: Self.adapter)
                .call(Adapter1.startDiscovery, within: .seconds(1))
            try? await bench.loop.sleep(until: .start + .seconds(5))
            let session = Session(CentralCore(on: try await bench.connect(), watching: []) { _, _ in }) {
                events.append($0)
            }
            let request = ConnectRequest(0, link: 1, path)
            if !isRenewed { await session.connect(request, within: .seconds(12), by: false) }
            let device = other.object(Bluez.service, at: path)
            _ = try await device.call(Device1.connect, within: .seconds(20))
            session.disconnect(path, link: 1, after: request)
            if isRenewed { await session.connect(request, within: .seconds(12), by: false) }
            try? await bench.loop.sleep(until: bench.loop.now + .seconds(5))
            #expect(try await device.get(Device1.connected, within: .seconds(1)))
            #expect(events.count == (isRenewed ? 0 : 1))
            // A later connection may be blekeep's, from an earlier run.
            session.disconnect(path, link: 2, after: request)
            try? await bench.loop.sleep(until: bench.loop.now + .seconds(5))
            #expect(try await !device.get(Device1.connected, within: .seconds(1)))
        }
    }

    @Test func startsNoDiscoveryInANewBluetoothd() async throws {
        let seen = try await called { session, _ in await session.startDiscovery(Self.adapter, repeating: false) }
        #expect(!seen.isDiscovering)
        #expect(seen.events.contains { if case .discovering(_, .disconnected?, _) = $0 { true } else { false } })
    }
}
