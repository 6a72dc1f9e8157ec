import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

/// A BlueZ that refuses searches, or a part of their filter.
@Suite struct RefusedDiscoveryTests {
    /// A connection whose BlueZ refuses some calls.
    private final class Refusing: ForwardingBus, @unchecked Sendable {
        let inner: any Bus
        private(set) var filters: [[String]] = []
        private(set) var starts = 0
        private let refuses: (_ member: MemberName, _ keys: [String]) -> Bool

        init(_ inner: any Bus, _ refuses: @escaping (MemberName, [String]) -> Bool) {
            self.inner = inner
            self.refuses = refuses
        }

        func call(_ call: MethodCall) async throws(BusError) -> [Value] {
            let isFilter = call.member == Adapter1.setDiscoveryFilter.name
            let keys = isFilter ? call.arguments.first.flatMap { Properties($0)?.names.sorted() } ?? [] : []
            if isFilter { filters.append(keys) }
            if call.member == Adapter1.startDiscovery.name { starts += 1 }
            guard !refuses(call.member, keys) else {
                throw .remote(name: "org.bluez.Error.InvalidArguments", message: "Invalid arguments in method call")
            }
            return try await inner.call(call)
        }
    }

    private func discover(
        _ times: Int = 1, _ refuses: @escaping @Sendable (MemberName, [String]) -> Bool
    ) async throws -> (filters: [[String]], starts: Int, refused: [[String]?]) {
        try await Bench.run(.virtual, .house) { bench, _ in
            let bus = Refusing(try await bench.connect(), refuses)
            let discovery = Discovery(on: bus, "/org/bluez/hci0")
            var refusal: FilterRefusal?
            var refused: [[String]?] = []
            for _ in 0..<times {
                refusal = try await discovery.start(repeating: true, without: refusal)
                refused.append(refusal?.keys.sorted())
                try await discovery.stop()
            }
            return (bus.filters, bus.starts, refused)
        }
    }

    @Test func aWholeFilterNeedsOneCall() async throws {
        let (filters, starts, refused) = try await discover { _, _ in false }
        #expect(filters == [["DuplicateData", "Transport"]] && starts == 1 && refused == [nil])
    }

    @Test(arguments: ["DuplicateData", "Transport"]) func retriesWithoutTheRefusedKey(_ key: String) async throws {
        let other = key == "Transport" ? "DuplicateData" : "Transport"
        let (filters, starts, refused) = try await discover(2) { member, keys in
            member == Adapter1.setDiscoveryFilter.name && keys.contains(key)
        }
        #expect(refused == [[key], [key]])
        // The second time, it knows.
        #expect(filters.suffix(2) == [[other], [other]] && filters.count <= 4 && starts == 2)
    }

    @Test func searchesWithoutAFilterThatIsAlwaysRefused() async throws {
        let (_, starts, refused) = try await discover { member, _ in member == Adapter1.setDiscoveryFilter.name }
        #expect(refused == [["DuplicateData", "Transport"]] && starts == 1)
    }

    @Test func throwsWhenSearchesAreRefused() async throws {
        await #expect(throws: BusError.self) {
            _ = try await discover { member, _ in member == Adapter1.startDiscovery.name }
        }
    }
}
