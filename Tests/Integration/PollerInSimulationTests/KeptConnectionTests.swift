import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

/// Connections that the library keeps, and the states of adapters, in the simulated world.
@Suite struct KeptConnectionTests {
    private static let livingRoom = "F0:00:00:00:00:01"

    private func run(
        _ kind: Bench.Kind = .virtual, _ scenario: Scenario = .house,
        _ body: @escaping @Sendable (Central, Peripheral, World, Bench) async throws -> Void
    ) async throws {
        let address = try #require(BluetoothAddress(Self.livingRoom))
        try await Bench.run(kind, scenario) { bench, world in
            world.tellsReasons = true
            let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
                try await bench.connect()
            }
            try await body(central, central.peripheral(address), world, bench)
            central.close()
        }
    }

    /// Returns the disconnection of the next state.
    private func disconnection(
        _ states: inout AsyncStream<ConnectionState>.Iterator
    ) async throws -> Disconnection {
        guard case .disconnected(let disconnection) = await states.next(isolation: nil) else {
            throw Failure()
        }
        return disconnection
    }

    /// Returns the link of the next state.
    private func link(_ states: inout AsyncStream<ConnectionState>.Iterator) async throws -> Link {
        guard case .connected(let link) = await states.next(isolation: nil) else { throw Failure() }
        return link
    }

    private func expect(
        _ words: String, _ states: inout AsyncStream<ConnectionState>.Iterator,
        at location: SourceLocation = #_sourceLocation
    ) async {
        let state = await states.next(isolation: nil)
        #expect(state.map { "\($0)" } == words, sourceLocation: location)
    }

    private struct Failure: Error {}

    private func isConnected(_ peripheral: Peripheral, _ central: Central) async -> Bool? {
        await central.knownDevices.first { $0.address == peripheral.address }?.isConnected
    }

    @Test(arguments: [Bench.Kind.virtual, .daemon])
    func connectsAgainAfterTheDeviceDisconnected(kind: Bench.Kind) async throws {
        try await run(kind) { central, peripheral, world, bench in
            var states = peripheral.keepConnected().makeAsyncIterator()
            await expect("connecting", &states)
            let first = try await link(&states)
            #expect(try await first.read(BluetoothUUID(0x2A6E)).count == 2)
            world.drop("Living Room")
            let lost = try await disconnection(&states)
            #expect(lost.error.code == .link && lost.end == .remote && lost.pause == .seconds(5))
            #expect("\(lost)" == "the connection ended: the device ended it")
            let start = bench.loop.now
            await expect("reconnecting", &states)
            if kind == .virtual { #expect(bench.loop.now - start == .seconds(5)) }
            let second = try await link(&states)
            #expect(try await second.read(BluetoothUUID(0x2A6E)).count == 2)
        }
    }

    @Test func pausesGrowUntilAConnectionOfAMinute() async throws {
        try await run { _, peripheral, world, bench in
            world.tellsReasons = false
            var states = peripheral.keepConnected().makeAsyncIterator()
            await expect("connecting", &states)
            var pauses: [Duration] = []
            for round in 1...7 {
                _ = try await link(&states)
                if round == 5 { try await bench.loop.sleep(until: bench.loop.now + .seconds(60)) }
                world.drop("Living Room")
                let lost = try await disconnection(&states)
                #expect(lost.end == nil && "\(lost)" == "the connection ended")
                pauses.append(try #require(lost.pause))
                await expect("reconnecting", &states)
            }
            #expect(pauses == [1, 2, 4, 8, 1, 2, 4].map { (seconds: Int) in Duration.seconds(seconds) })
        }
    }

    @Test func saysThatTheDeviceIsNotHeardAndGoesOn() async throws {
        try await run(.virtual, .fresh) { central, _, world, bench in
            let stranger = central.peripheral(try #require(BluetoothAddress("F0:00:00:00:00:99")))
            var states = stranger.keepConnected().makeAsyncIterator()
            await expect("connecting", &states)
            for pause in [1, 2, 4] {
                let failed = try await disconnection(&states)
                #expect(failed.error.code == .notFound && failed.end == nil && failed.pause == .seconds(pause))
                await expect("reconnecting", &states)
            }
        }
    }

    /// What goes away and comes back while a connection is up.
    enum Outage: CaseIterable {
        case off, unplugged, bluez

        var code: BluetoothError.Code {
            switch self {
            case .off: .adapterOff
            case .unplugged: .noAdapter
            case .bluez: .noBluez
            }
        }

        func begin(_ world: World) {
            switch self {
            case .off: world.power(on: false)
            case .unplugged: world.unplug()
            case .bluez: world.restartBluez(after: .seconds(200))
            }
        }

        func end(_ world: World) {
            switch self {
            case .off: world.power(on: true)
            case .unplugged: world.plug()
            case .bluez: break
            }
        }
    }

    @Test(arguments: Outage.allCases)
    func waitsForTheAdapterAndForBluetoothd(outage: Outage) async throws {
        try await run { _, peripheral, world, bench in
            var states = peripheral.keepConnected().makeAsyncIterator()
            await expect("connecting", &states)
            _ = try await link(&states)
            outage.begin(world)
            var lost = try await disconnection(&states)
            // BlueZ reports the end of the connection before the adapter's.
            if lost.pause != nil { lost = try await disconnection(&states) }
            #expect(lost.error.code == outage.code && lost.pause == nil)
            try await bench.loop.sleep(until: .start + .seconds(150))
            outage.end(world)
            await expect("reconnecting", &states)
            #expect(bench.loop.now >= .start + .seconds(150))
            #expect(try await link(&states).read(BluetoothUUID(0x2A6E)).count == 2)
        }
    }

    @Test(arguments: [Bench.Kind.virtual, .daemon])
    func aDroppedSequenceDisconnects(kind: Bench.Kind) async throws {
        try await run(kind) { central, peripheral, _, bench in
            for await case .connected in peripheral.keepConnected() { break }
            #expect(await isConnected(peripheral, central) == true)
            // BlueZ takes 2 s.
            for _ in 1...100 where await isConnected(peripheral, central) == true {
                try await bench.loop.sleep(until: bench.loop.now + .milliseconds(100))
            }
            #expect(await isConnected(peripheral, central) == false)
        }
    }

    @Test func aCancelledTaskEndsAnAttempt() async throws {
        try await run { central, peripheral, world, bench in
            world.hangConnect("Living Room")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in peripheral.keepConnected() {} }
                try await bench.loop.sleep(until: .start + .seconds(10))
                group.cancelAll()
            }
            world.heal("Living Room")
            try await bench.loop.sleep(until: .start + .seconds(40))
            #expect(await isConnected(peripheral, central) == false)
            // Nothing of the attempt is left: the next one is at once.
            let start = bench.loop.now
            try await peripheral.withLink { _ in }
            #expect(bench.loop.now - start < .seconds(3))
        }
    }

    @Test func aSlowLoopGetsTheNewestStates() async throws {
        try await run { central, peripheral, world, bench in
            world.tellsReasons = false
            let states = peripheral.keepConnected()
            for _ in 1...10 {
                try await bench.loop.sleep(until: bench.loop.now + .seconds(50))
                world.drop("Living Room")
            }
            try await bench.loop.sleep(until: bench.loop.now + .seconds(50))
            var iterator = states.makeAsyncIterator()
            var words: [String] = []
            for _ in 1...16 { words.append((await iterator.next(isolation: nil)).map { "\($0)" } ?? "") }
            #expect(words.last == "connected")
            #expect(words.suffix(3) == ["disconnected: the connection ended", "reconnecting", "connected"])
            // There isn't one more: the next state is news.
            world.drop("Living Room")
            await expect("disconnected: the connection ended", &iterator)
        }
    }

    @Test func aConnectionOfAnotherProgramStays() async throws {
        try await run { central, peripheral, _, bench in
            let other = try await bench.connect().object(
                Bluez.service, at: "/org/bluez/hci0/dev_F0_00_00_00_00_01")
            _ = try await other.call(Device1.connect, within: .seconds(10))
            for await case .connected in peripheral.keepConnected() { break }
            try await bench.loop.sleep(until: bench.loop.now + .seconds(10))
            #expect(await isConnected(peripheral, central) == true)
        }
    }

    @Test func withLinkUsesTheKeptConnection() async throws {
        try await run { central, peripheral, _, bench in
            var states = peripheral.keepConnected().makeAsyncIterator()
            await expect("connecting", &states)
            _ = try await link(&states)
            let start = bench.loop.now
            #expect(try await peripheral.withLink { try await $0.read(BluetoothUUID(0x2A6E)) }.count == 2)
            #expect(bench.loop.now - start < .milliseconds(100))
            try await bench.loop.sleep(until: bench.loop.now + .seconds(10))
            #expect(await isConnected(peripheral, central) == true)
        }
    }

    @Test(arguments: [Bench.Kind.virtual, .daemon])
    func endsWithTheMessageBus(kind: Bench.Kind) async throws {
        try await run(kind) { central, peripheral, _, bench in
            var states = peripheral.keepConnected().makeAsyncIterator()
            var adapter = central.adapterStates.makeAsyncIterator()
            await expect("connecting", &states)
            _ = try await link(&states)
            bench.killBus()
            let lost = try await disconnection(&states)
            #expect(lost.error.code == .noBluez && lost.pause == nil)
            #expect(await states.next(isolation: nil) == nil)
            #expect(await adapter.next(isolation: nil) == .poweredOn)
            #expect(await adapter.next(isolation: nil) == .noBluez)
            #expect(await adapter.next(isolation: nil) == nil)
        }
    }

    @Test(arguments: [Bench.Kind.virtual, .daemon])
    func theAdaptersStateFollowsIt(kind: Bench.Kind) async throws {
        try await run(kind, .off) { central, _, world, _ in
            var states = central.adapterStates.makeAsyncIterator()
            #expect(await states.next(isolation: nil) == .poweredOff)
            world.power(on: true)
            #expect(await states.next(isolation: nil) == .poweredOn)
            world.unplug()
            #expect(await states.next(isolation: nil) == .noAdapter)
            world.plug()
            while let state = await states.next(isolation: nil), state != .poweredOn {}
            world.restartBluez(after: .milliseconds(100))
            #expect(await states.next(isolation: nil) == .noBluez)
            #expect(await states.next(isolation: nil) == .poweredOn)
        }
    }
}
