import BusBench
import DBus
import RunLoop
import Testing

/// One suite that every bus passes: in the process in virtual and in real time, and a real dbus-daemon.
struct BusTests {
    private static let values: [Value] = [
        .byte(0xFF), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max),
        .int64(.min), .uint64(.max), .double(-0.0), .double(.infinity), .string(""), .string("gr\u{00FC}n \u{1F600}"),
        .path(.root), .path("/a/b"), .signature("a{sv}"), .signature(.empty), .bytes([]), .bytes([0, 255]),
        .array("s", []), .array("s", [.string("a"), .string("b")]),
        .array("ay", [.bytes([1]), .bytes([])]), .array("(yv)", [.structure([.byte(1), .variant(.byte(2))])]),
        .dictionary(key: "s", value: "v", []),
        .dictionary(key: "q", value: "v", [Value.Entry(.uint16(1), .variant(.bytes([1, 2])))]),
        .dictionary(key: "s", value: "a{sv}", [Value.Entry(.string("k"), .dictionary(key: "s", value: "v", []))]),
        .structure([.string("x"), .structure([.double(1.5), .bytes([9])])]), .variant(.variant(.int16(-1))),
    ]

    @Test(arguments: Bench.Kind.allCases)
    func everyTypeSurvives(_ kind: Bench.Kind) async throws {
        let echoed = try await Bench.run(kind) { bench in
            let (service, client) = (try await EchoService.make(bench), try await bench.connect())
            defer { _ = service }
            var echoed: [Value] = []
            for value in Self.values {
                echoed.append(
                    try await client.echo.call(Echo.echo, Variant(content: value), within: .patience).content)
            }
            return echoed
        }
        #expect(echoed == Self.values)
    }

    @Test(arguments: Bench.Kind.allCases)
    func errorsKeepNameAndMessage(_ kind: Bench.Kind) async throws {
        let error = try await onEcho(kind) { client, _ in
            await failure { () throws(BusError) in
                _ = try await client.echo.call(Echo.fail, "org.bluez.Error.Failed", "no\nluck", within: .patience)
            }
        }
        #expect(error == .remote(name: "org.bluez.Error.Failed", message: "no\nluck"))
    }

    /// Each failed reading would have all of it in the history.
    @Test func theTextOfAnErrorHasABound() async throws {
        let error = try await onEcho(.daemon) { client, _ in
            await failure { () throws(BusError) in
                let text = String(repeating: "ü", count: 20_000)
                _ = try await client.echo.call(Echo.fail, "org.bluez.Error.Failed", text, within: .patience)
            }
        }
        let text = String(repeating: "ü", count: (BusError.maxText - 3) / 2) + "…"
        #expect(error == .remote(name: "org.bluez.Error.Failed", message: text))
    }

    @Test(arguments: Bench.Kind.allCases)
    func deadlinesAreKeptAndLateAnswersDropped(_ kind: Bench.Kind) async throws {
        let (error, waited, late) = try await onEcho(kind) { client, _ in
            let start = client.loop.now
            let error = await failure { () throws(BusError) in
                _ = try await client.echo.call(Echo.wait, 150, within: .milliseconds(100))
            }
            let waited = client.loop.now - start
            // The late answer comes while this call waits for its own.
            let late = try await client.echo.call(Echo.wait, 200, within: .patience)
            return (error, waited, late)
        }
        #expect(error == .timedOut)
        #expect(waited >= .milliseconds(100) && (kind != .virtual || waited == .milliseconds(100)))
        #expect(late == 200)
    }

    @Test(arguments: Bench.Kind.allCases)
    func aProgramThatHungAnswersItsCallsLate(_ kind: Bench.Kind) async throws {
        let (error, count) = try await onEcho(kind) { client, service in
            service.bus.isDeaf = true
            let error = await failure { () throws(BusError) in
                try await client.echo.set(Echo.count, to: 7, within: .milliseconds(100))
            }
            service.bus.isDeaf = false
            // Later calls follow it.
            return (error, try await client.echo.get(Echo.count, within: .patience))
        }
        #expect(error == .timedOut)
        #expect(count == 7)
    }

    @Test(arguments: Bench.Kind.allCases)
    func aReplyArrivesAfterItsSenderLeft(_ kind: Bench.Kind) async throws {
        let answer = try await onEcho(kind) { client, service in
            service.answersOnce = true
            return try await client.echo.call(Echo.echo, Variant(true), within: .patience)
        }
        #expect(answer == Variant(true))
    }

    @Test(arguments: Bench.Kind.allCases)
    func twoHundredCallsAtOnceSucceedAndFewAreUnderWay(_ kind: Bench.Kind) async throws {
        let (answers, most) = try await onEcho(kind) { client, service in
            let answers = try await withThrowingTaskGroup(of: UInt32.self) { group in
                for _ in 0..<200 {
                    group.addTask { try await client.echo.call(Echo.wait, 5, within: .patience) }
                }
                return try await group.reduce(into: 0) { count, _ in count += 1 }
            }
            return (answers, service.maxUnderWay)
        }
        #expect(answers == 200)
        // In real time the first may be answered before the last is sent.
        #expect(kind == .virtual ? most == maxCallsInFlight : most <= maxCallsInFlight)
    }

    @Test(arguments: Bench.Kind.allCases)
    func unknownThingsAreNamed(_ kind: Bench.Kind) async throws {
        let names = try await onEcho(kind) { client, _ in
            let calls = [
                MethodCall("nobody.there", at: "/", interface: Echo.name, member: "Echo", within: .patience),
                MethodCall(
                    EchoService.service, at: "/nothing", interface: Echo.name, member: "Echo", within: .patience),
                MethodCall(
                    EchoService.service, at: EchoService.path, interface: "no.Such", member: "Echo", within: .patience),
                MethodCall(
                    EchoService.service, at: EchoService.path, interface: Echo.name, member: "NoSuch", within: .patience
                ),
                MethodCall(
                    EchoService.service, at: EchoService.path, interface: Echo.name, member: "Echo",
                    arguments: [.byte(1)], within: .patience),
            ]
            var names: [String] = []
            for call in calls {
                let error = await failure { () throws(BusError) in _ = try await client.call(call) }
                names.append(String(error?.name.split(separator: ".").last ?? ""))
            }
            return names
        }
        // A daemon that may not start services says that the name has no owner.
        #expect(["ServiceUnknown", "NameHasNoOwner"].contains(names[0]))
        #expect(names.dropFirst() == ["UnknownObject", "UnknownMethod", "UnknownMethod", "UnknownMethod"])
    }

    @Test(arguments: Bench.Kind.allCases)
    func answersOfAnotherTypeAreMalformed(_ kind: Bench.Kind) async throws {
        let error = try await onEcho(kind) { client, _ in
            let wrong: Property<UInt16> = Echo.property("Count")
            return await failure { () throws(BusError) in
                _ = try await client.echo.get(wrong, within: .patience)
            }
        }
        guard case .malformed = error else { return #expect(error == .malformed("")) }
    }

    @Test(arguments: Bench.Kind.allCases)
    func propertiesAreReadAndWritten(_ kind: Bench.Kind) async throws {
        try await onEcho(kind) { client, service in
            try await client.echo.set(Echo.count, to: 42, within: .patience)
            #expect(service.count == 42)
            let count = try await client.echo.get(Echo.count, within: .patience)
            #expect(count == 42)
            let all = try await client.echo.call(PropertiesInterface.getAll, Echo.name.text, within: .patience)
            #expect(all == ["Count": Variant(UInt32(42)), "Label": Variant("label")])
            let refused = await failure { () throws(BusError) in
                try await client.echo.set(Echo.count, to: 100, within: .patience)
            }
            #expect(refused?.name == "org.freedesktop.DBus.Error.InvalidArgs")
            let readOnly = await failure { () throws(BusError) in
                try await client.echo.set(Echo.label, to: "x", within: .patience)
            }
            #expect(readOnly?.name == "org.freedesktop.DBus.Error.PropertyReadOnly")
        }
    }

    @Test(arguments: Bench.Kind.allCases)
    func namesHaveOneOwner(_ kind: Bench.Kind) async throws {
        try await Bench.run(kind) { bench in
            let (first, second) = (try await bench.connect(), try await bench.connect())
            #expect(first.name.isUnique && first.name != second.name)
            #expect(try await first.own("test.name"))
            #expect(try await first.own("test.name"))
            #expect(try await !second.own("test.name"))
            try await first.release("test.name")
            #expect(try await second.own("test.name"))
        }
    }

    @Test(arguments: Bench.Kind.allCases)
    func followersHearOfOwnersInOrder(_ kind: Bench.Kind) async throws {
        try await Bench.run(kind) { bench in
            let (client, service) = (try await bench.connect(), try await bench.connect())
            let events = Events()
            try await client.follow("test.name") { events.add($0) }
            _ = try await service.own("test.name")
            try await events.wait(for: 2)
            service.close()
            try await events.wait(for: 3)
            #expect(events.owners == [nil, service.name, nil])
        }
    }

    /// The reply to a query of the owner may be older than a signal that arrived before the reply was processed.
    @Test(arguments: Bench.Kind.allCases)
    func followersKeepOwnersThatComeWhileTheyAsk(_ kind: Bench.Kind) async throws {
        try await Bench.run(kind) { bench in
            let (client, service) = (try await bench.connect(), try await bench.connect())
            for number in 0..<200 {
                let name = BusName(unchecked: "test.name\(number)")
                let events = Events()
                async let owned = service.own(name)
                try await client.follow(name) { events.add($0) }
                _ = try await owned
                // Whatever was sent before this answer has arrived with it.
                _ = try await client.own("test.barrier")
                try await client.loop.sleep(until: client.loop.now + .microseconds(10))
                #expect(events.owners.last == service.name, "\(name): \(events.owners)")
            }
        }
    }

    @Test(arguments: Bench.Kind.allCases)
    func leavingEndsAllCalls(_ kind: Bench.Kind) async throws {
        let (remote, abandoned) = try await onEcho(kind) { client, service in
            async let remote = failure { () throws(BusError) in
                _ = try await client.echo.call(Echo.wait, .max, within: .patience)
            }
            async let abandoned = failure { () throws(BusError) in
                _ = try await client.object(EchoService.service, at: "/test/other").call(
                    Echo.wait, .max, within: .patience)
            }
            while service.inProgress == 0 { try await client.loop.sleep(until: client.loop.now + .milliseconds(1)) }
            client.abandonCalls(below: "/test/other")
            service.bus.close()
            return (await remote, await abandoned)
        }
        #expect(remote?.name == "org.freedesktop.DBus.Error.NoReply")
        #expect(abandoned?.name == "org.freedesktop.DBus.Error.UnknownObject")
    }

    @Test(arguments: Bench.Kind.allCases)
    func losingTheDaemonEndsEveryCallAndIsReportedOnce(_ kind: Bench.Kind) async throws {
        let (errors, closings, after) = try await Bench.run(kind) { bench in
            let (service, client) = (try await EchoService.make(bench), try await bench.connect())
            let closings = Counter()
            client.onClose = { closings.count += 1 }
            let errors = await withTaskGroup(of: BusError?.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        await failure { () throws(BusError) in
                            _ = try await client.echo.call(Echo.wait, .max, within: .patience)
                        }
                    }
                }
                group.addTask {
                    while service.inProgress < maxCallsInFlight {
                        try? await client.loop.sleep(until: client.loop.now + .milliseconds(1))
                    }
                    bench.killBus()
                    return .disconnected
                }
                return await group.reduce(into: [BusError?]()) { $0.append($1) }
            }
            let after = await failure { () throws(BusError) in
                _ = try await client.echo.call(Echo.wait, 1, within: .patience)
            }
            client.close()
            return (errors, closings.count, after)
        }
        #expect(errors.count == 101 && errors.allSatisfy { $0 == .disconnected })
        #expect(closings == 1)
        #expect(after == .disconnected)
    }

    @Test(arguments: Bench.Kind.allCases)
    func aDeadBusCannotBeReachedUntilItIsBack(_ kind: Bench.Kind) async throws {
        try await Bench.run(kind) { bench in
            bench.killBus()
            let error = await failure { () throws(BusError) in _ = try await bench.connect() }
            guard case .unreachable(let why) = error else { throw Unexpected(error: error) }
            #expect(why.contains("there is no message bus"))
            try bench.startBus()
            let bus = try await bench.connect()
            #expect(try await bus.own("test.name"))
        }
    }

    // MARK: Parts

    private func onEcho<Success: Sendable>(
        _ kind: Bench.Kind, _ body: @escaping @Sendable (any Bus, EchoService) async throws -> Success
    ) async throws -> Success {
        try await Bench.run(kind) { bench in
            let (service, client) = (try await EchoService.make(bench), try await bench.connect())
            return try await body(client, service)
        }
    }
}

struct Unexpected: Error { let error: BusError? }

/// A number that closures on one run loop share.
final class Counter: @unchecked Sendable {
    var count = 0
}

/// The events of a follower, which a test can wait for.
final class Events: @unchecked Sendable {
    private(set) var all: [ServiceEvent] = []
    private var waiting: UnsafeContinuation<Void, Never>?

    func add(_ event: ServiceEvent) {
        all.append(event)
        waiting?.resume()
        waiting = nil
    }

    func wait(for count: Int) async throws {
        while all.count < count {
            await withUnsafeContinuation { continuation in
                if all.count < count { waiting = continuation } else { continuation.resume() }
            }
        }
    }

    var owners: [BusName?] {
        all.compactMap { event in
            if case .owner(let owner) = event { .some(owner) } else { nil }
        }
    }

    var signals: [Signal] {
        all.compactMap { event in
            if case .signal(let signal) = event { signal } else { nil }
        }
    }
}
