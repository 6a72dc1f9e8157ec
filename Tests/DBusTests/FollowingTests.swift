import BusBench
import DBus
import Testing

struct FollowingTests {
    @Test(arguments: Bench.Kind.allCases)
    func reportsOwnersWithoutSignals(_ kind: Bench.Kind) async throws {
        try await Bench.run(kind) { bench in
            let (client, service) = (try await bench.connect(), try await bench.connect())
            let (alone, late) = (Events(), Events())
            try await client.followOwner(of: "test.name") { alone.add(.owner($0)) }
            _ = try await service.own("test.name")
            try await alone.wait(for: 2)
            try await client.followOwner(of: "test.name") { late.add(.owner($0)) }
            service.close()
            try await late.wait(for: 2)
            #expect(alone.owners == [nil, service.name, nil])
            #expect(late.owners == [service.name, nil])
        }
    }

    /// A name may pass from one connection to another: then those signals count that the new owner sends.
    @Test(arguments: Bench.Kind.allCases)
    func signalsAreThoseOfThePresentOwner(_ kind: Bench.Kind) async throws {
        try await Bench.run(kind) { bench in
            let client = try await bench.connect()
            let (first, second) = (try await bench.connect(), try await bench.connect())
            let events = Events()
            try await client.listen("test.name", for: [SignalMatch(interface: Echo.name)])
            try await client.follow("test.name") { events.add($0) }
            for (owner, stranger) in [(first, second), (second, first), (first, second)] {
                _ = try await owner.own("test.name")
                stranger.emit(Signal("/stranger", interface: Echo.name, member: "Said", arguments: []))
                owner.emit(Signal("/owner", interface: Echo.name, member: "Said", arguments: []))
                try await owner.release("test.name")
            }
            try await events.wait(for: 10)
            #expect(events.signals.map(\.path) == ["/owner", "/owner", "/owner"])
        }
    }
}
