import BusBench
import DBus
import RunLoop
import Testing

/// The limits that a bus daemon sets, on the real one and on the one inside the process.
@Suite struct BusLimitTests {
    @Test(arguments: Bench.Kind.allCases)
    func lostRepliesUseUpTheConnection(_ kind: Bench.Kind) async throws {
        var limits = BusLimits()
        limits.replies = 12
        try await Bench.run(kind, limits: limits) { bench in
            let service = try await EchoService.make(bench)
            let client = try await bench.connect()
            let pressures = Pressures(client)
            await Self.loseReplies(12, on: client)
            #expect(pressures.all.isEmpty)
            let refused = await Self.echo(on: client)
            #expect(refused?.name == BusError.limitsExceeded)
            #expect(pressures.all == [.critical])
            // Another connection has slots of its own.
            #expect(await Self.echo(on: try await bench.connect()) == nil)
            // The called program exits: the daemon replies in its place.
            service.bus.close()
            let again = try await EchoService.make(bench)
            defer { again.bus.close() }
            #expect(await Self.echo(on: client) == nil)
        }
    }

    @Test(arguments: Bench.Kind.allCases)
    func lateRepliesFreeTheirSlots(_ kind: Bench.Kind) async throws {
        var limits = BusLimits()
        limits.replies = 12
        try await Bench.run(kind, limits: limits) { bench in
            let service = try await EchoService.make(bench)
            defer { service.bus.close() }
            let client = try await bench.connect()
            for _ in 0..<4 {
                service.bus.isDeaf = true
                await Self.loseReplies(10, on: client, answeredAfter: 0)
                service.bus.isDeaf = false
                #expect(await Self.echo(on: client) == nil)
            }
        }
    }

    @Test(arguments: Bench.Kind.allCases)
    func manyLostRepliesRaiseThePressure(_ kind: Bench.Kind) async throws {
        try await Bench.run(kind) { bench in
            let service = try await EchoService.make(bench)
            defer { service.bus.close() }
            let client = try await bench.connect()
            let pressures = Pressures(client)
            await Self.loseReplies(31, on: client)
            #expect(pressures.all.isEmpty)
            await Self.loseReplies(17, on: client)
            #expect(pressures.all == [ReplyPressure](repeating: .high, count: 16) + [.critical])
            #expect(await Self.echo(on: client) == nil)
        }
    }

    @Test(arguments: Bench.Kind.allCases)
    func abandonedCallsCountAsLost(_ kind: Bench.Kind) async throws {
        try await Bench.run(kind) { bench in
            let service = try await EchoService.make(bench)
            defer { service.bus.close() }
            let client = try await bench.connect()
            let pressures = Pressures(client)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<40 {
                    group.addTask { _ = try? await client.echo.call(Echo.wait, .max, within: .patience) }
                }
                while service.inProgress < 40 {
                    try? await client.loop.sleep(until: client.loop.now + .milliseconds(1))
                }
                client.abandonCalls(below: EchoService.path)
            }
            #expect(pressures.all == [ReplyPressure](repeating: .high, count: 9))
        }
    }

    @Test(arguments: Bench.Kind.allCases)
    func refusedRulesAreNotInForce(_ kind: Bench.Kind) async throws {
        var limits = BusLimits()
        limits.matchRules = 8
        try await Bench.run(kind, limits: limits) { bench in
            let service = try await EchoService.make(bench)
            defer { service.bus.close() }
            let client = try await bench.connect()
            let events = Events()
            try await client.follow(EchoService.service) { events.add($0) }
            let many = (0..<10).map { SignalMatch(path: ObjectPath(unchecked: "/test/\($0)"), interface: Echo.name) }
            let refused = await failure { () throws(BusError) in
                try await client.listen(EchoService.service, for: many)
            }
            #expect(refused?.name == BusError.limitsExceeded)
            // The same rules count once they are taken.
            try await client.listen(EchoService.service, for: Array(many.prefix(2)))
            for path in ["/test/5", "/test/1"] {
                service.bus.emit(
                    Signal(ObjectPath(unchecked: path), interface: Echo.name, member: "Said", arguments: []))
            }
            try await events.wait(for: 2)
            #expect(events.signals.map(\.path) == ["/test/1"])
        }
    }

    @Test(arguments: [Bench.Kind.virtual, .loopback])
    func limitsCallsToAProgramThatDoesNotRead(_ kind: Bench.Kind) async throws {
        var limits = BusLimits()
        limits.queuedBytes = 1 << 20
        try await Bench.run(kind, limits: limits) { bench in
            let service = try await EchoService.make(bench)
            defer { service.bus.close() }
            let client = try await bench.connect()
            service.bus.isDeaf = true
            var refused = 0
            for _ in 0..<20 {
                let error = await failure { () throws(BusError) in
                    let bytes = Variant([UInt8](repeating: 0, count: 100_000))
                    _ = try await client.echo.call(Echo.echo, bytes, within: .milliseconds(1))
                }
                if error?.isLimitExceeded == true { refused += 1 }
            }
            #expect(refused == 9)
        }
    }

    // MARK: Parts

    /// Makes calls that are given up before they are answered.
    private static func loseReplies(_ count: Int, on client: any Bus, answeredAfter pause: UInt32 = .max) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { _ = try? await client.echo.call(Echo.wait, pause, within: .milliseconds(20)) }
            }
        }
    }

    private static func echo(on client: any Bus) async -> BusError? {
        await failure { () throws(BusError) in
            _ = try await client.echo.call(Echo.echo, Variant(true), within: .patience)
        }
    }

    /// The pressure that a connection reports.
    private final class Pressures: @unchecked Sendable {
        private(set) var all: [ReplyPressure] = []

        init(_ bus: any Bus) { bus.onPressure = { self.all.append($0) } }
    }
}
