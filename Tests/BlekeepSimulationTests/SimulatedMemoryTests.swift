import BlekeepRecords
import Testing

@testable import BlekeepSimulation

/// What a simulated tag keeps, and what it sends.
@Suite struct SimulatedMemoryTests {
    private func times(_ memory: SimulatedMemory, since: Int64, now: Int64 = 1_700_000_000) throws -> [Int64] {
        func bytes(_ number: Int64) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        let packets = try #require(
            memory.packets(after: [0x3A, 0x30, 0x11] + bytes(now) + bytes(since), at: .seconds(100)) { _ in [1, 2, 3] })
        return packets.dropLast().map { $0.bytes[3..<7].reduce(0) { $0 << 8 | Int64($1) } }
    }

    @Test func itHasARecordForEachIntervalSinceItsStart() {
        let memory = SimulatedMemory(age: .seconds(3600))
        let records = memory.records(at: .zero)
        #expect(records.first?.moment == .seconds(-3600) && records.count == 12)
        #expect(records[1].uptime - records[0].uptime == .milliseconds(300_690))
        #expect(memory.records(at: .seconds(-4000)).count == 1)
    }

    @Test func theOldestPageMakesRoom() {
        let memory = SimulatedMemory(age: .seconds(30 * 86_400))
        let records = memory.records(at: .zero)
        #expect((3500..<3750).contains(records.count) && records.first.map { $0.number % 250 } == 0)
    }

    @Test func aRestartClearsIt() {
        let memory = SimulatedMemory(age: .seconds(86_400), restarts: [.seconds(50)])
        #expect(
            memory.records(at: .seconds(49)).count == 288
                && memory.records(at: .seconds(60)).map(\.moment) == [.seconds(50)])
    }

    @Test func theFirstRecordOfAPageMayBeSkipped() throws {
        let memory = SimulatedMemory(age: .seconds(3500))
        let all = try times(memory, since: 0)
        #expect(all.count == 12 && all.first == 1_700_000_000 - 3600)
        #expect(try times(memory, since: all[4]) == Array(all[5...]))
    }

    @Test func newerPagesMayComeFirst() throws {
        let memory = SimulatedMemory(age: .seconds(20 * 86_400))
        let all = try times(memory, since: 0)
        #expect(all != all.sorted() && all.last == all.max())
    }

    @Test func otherBytesAreNoRequest() {
        for bytes in [[], [0x3A], [0x3A, 0x3A, 0x12, 0, 0, 0, 0, 0, 0, 0, 0]] as [[UInt8]] {
            #expect(SimulatedMemory().packets(after: bytes, at: .zero) { _ in [] } == nil)
        }
    }
}
