import BusBench
import DBus
import RunLoop
import Testing

struct ObjectMirrorTests {
    @Test(arguments: Bench.Kind.allCases)
    func followsValuesObjectsAndOwners(_ kind: Bench.Kind) async throws {
        try await mirroring(kind) { bench, mirror in
            let service = try await EchoService.make(bench)
            try await mirror.wait { $0.tree[EchoService.path, Echo.count] == 0 }
            service.tell(5)
            try await mirror.wait { $0.tree[EchoService.path, Echo.count] == 5 }
            let generation = mirror.mirror.generation
            service.bus.close()
            try await mirror.wait { $0.tree.objects.isEmpty }
            let second = try await EchoService.make(bench)
            second.count = 9
            try await mirror.wait { $0.tree.objects[EchoService.path] != nil }
            #expect(mirror.mirror.generation > generation)
            second.tell(10)
            try await mirror.wait { $0.tree[EchoService.path, Echo.count] == 10 }
            #expect(mirror.snapshots == 2)
        }
    }

    @Test(arguments: Bench.Kind.allCases)
    func leavesOutObjectsWithoutInterest(_ kind: Bench.Kind) async throws {
        let paths = try await Bench.run(kind) { bench in
            let (service, client) = (try await EchoService.make(bench), try await bench.connect())
            service.bus.export(ExportedObject("/test/other", [ExportedInterface(Echo.self)]))
            let options = MethodCall.Options(wants: { $0 == EchoService.path })
            let all = try await client.object(EchoService.service, at: .root).call(
                ObjectManager.getManagedObjects, within: .seconds(10), options: options)
            return all.objects.keys.sorted()
        }
        #expect(paths == [EchoService.path])
    }

    /// A signal may come behind the snapshot's answer, but before anybody has looked at the answer.
    @Test(arguments: Bench.Kind.allCases)
    func changesDuringASnapshotAreKept(_ kind: Bench.Kind) async throws {
        try await mirroring(kind) { bench, mirror in
            let service = try await EchoService.make(bench)
            try await mirror.wait { $0.tree[EchoService.path, Echo.count] == 0 }
            for number in 1...300 as ClosedRange<UInt32> {
                let snapshots = mirror.snapshots
                mirror.mirror.refresh()
                for _ in 0..<number % 8 { try await bench.loop.sleep(until: bench.loop.now) }
                service.tell(number)
                while mirror.snapshots == snapshots {
                    try await bench.loop.sleep(until: bench.loop.now + .microseconds(50))
                }
                // Signals sent before this reply have arrived with it.
                _ = try await mirror.bus.echo.call(Echo.echo, Variant(true), within: .patience)
                #expect(mirror.mirror.tree[EchoService.path, Echo.count] == number)
            }
        }
    }

    @Test(arguments: Bench.Kind.allCases)
    func ignoresForgedSignals(_ kind: Bench.Kind) async throws {
        try await mirroring(kind) { bench, mirror in
            let service = try await EchoService.make(bench)
            let attacker = try await bench.connect()
            try await mirror.wait { $0.tree[EchoService.path, Echo.count] == 0 }
            attacker.emit(EchoService.change(666))
            attacker.emit(
                Signal(
                    .root, interface: ObjectManager.name, member: ObjectManager.interfacesRemoved.name,
                    arguments: [EchoService.path.value, [Echo.name.text].value]))
            // The attacker's signals arrive before the service's signals that follow its reply to the attacker.
            _ = try await attacker.echo.call(Echo.echo, Variant(true), within: .patience)
            service.tell(1)
            try await mirror.wait { $0.tree[EchoService.path, Echo.count] != 0 }
            #expect(mirror.counts == [1])
        }
    }

    /// No match rule keeps away a signal that is addressed to us.
    @Test func ignoresForgedUnicastSignals() async throws {
        try await mirroring(.daemon) { bench, mirror in
            let service = try await EchoService.make(bench)
            try await mirror.wait { $0.tree[EchoService.path, Echo.count] == 0 }
            let arguments = [
                "emit", "--destination=\(mirror.bus.name)", EchoService.path.text, PropertiesInterface.name.text,
                "PropertiesChanged", "sa{sv}as", Echo.name.text, "1", "Count", "u", "666", "0",
            ]
            let address = try #require(bench.address)
            try await run("busctl", ["--address=\(address)"] + arguments)
            // busctl has ended, so the daemon has forwarded its signals.
            service.tell(1)
            try await mirror.wait { $0.tree[EchoService.path, Echo.count] != 0 }
            #expect(mirror.counts == [1])
        }
    }

    @Test func findsAnOwnerThatNoSignalReported() async throws {
        try await mirroring(.virtual) { bench, mirror in
            let service = try await EchoService.make(bench)
            try await mirror.wait { $0.tree[EchoService.path, Echo.count] == 0 }
            bench.losesOwnerChanges = true
            service.bus.close()
            let second = try await EchoService.make(bench)
            second.count = 9
            mirror.mirror.refresh()
            try await mirror.wait { $0.tree[EchoService.path, Echo.count] == 9 }
            second.tell(10)
            try await mirror.wait { $0.tree[EchoService.path, Echo.count] == 10 }
        }
    }

    @Test(arguments: Bench.Kind.allCases)
    func aQueryForTheOwnerChangesNothing(_ kind: Bench.Kind) async throws {
        try await mirroring(kind) { bench, mirror in
            let service = try await EchoService.make(bench)
            try await mirror.wait { $0.tree[EchoService.path, Echo.count] == 0 }
            let generation = mirror.mirror.generation
            mirror.mirror.refresh()
            service.tell(5)
            try await mirror.wait { $0.tree[EchoService.path, Echo.count] == 5 }
            #expect(mirror.mirror.generation == generation)
        }
    }

    // MARK: Parts

    private func mirroring(
        _ kind: Bench.Kind, _ body: @escaping @Sendable (Bench, MirrorWatcher) async throws -> Void
    ) async throws {
        try await Bench.run(kind) { bench in
            let watcher = MirrorWatcher(try await bench.connect())
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await watcher.mirror.run() }
                defer { watcher.mirror.stop() }
                try await body(bench, watcher)
            }
        }
    }
}

/// A mirror with its events, which a test can wait for.
private final class MirrorWatcher: @unchecked Sendable {
    let bus: any Bus
    private(set) var snapshots = 0
    /// Every value of Count that the mirror reported.
    private(set) var counts: [UInt32] = []
    private var waiting: UnsafeContinuation<Void, Never>?
    private var events = 0

    private(set) lazy var mirror = ObjectMirror(
        of: EchoService.service, on: bus,
        interest: ObjectMirror.Interest { _ in
            true
        } rules: { _ in
            [.properties(of: Echo.name)]
        }
    ) { [unowned self] in self.receive($0) }

    init(_ bus: any Bus) { self.bus = bus }

    private func receive(_ event: ObjectMirror.Event) {
        events += 1
        if case .snapshot = event { snapshots += 1 }
        if case .change(.changed(let path, _, _)) = event, let count = mirror.tree[path, Echo.count] {
            counts.append(count)
        }
        waiting?.resume()
        waiting = nil
    }

    func wait(for condition: (ObjectMirror) -> Bool) async throws {
        while !condition(mirror) {
            await withUnsafeContinuation { continuation in
                if condition(mirror) { continuation.resume() } else { waiting = continuation }
            }
        }
    }
}
