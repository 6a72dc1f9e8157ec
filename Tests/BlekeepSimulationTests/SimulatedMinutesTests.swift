import BlekeepRecords
import Testing

@testable import BlekeepSimulation

/// What a simulated Govee thermometer keeps, and what it sends.
@Suite struct SimulatedMinutesTests {
    private func packets(
        _ memory: SimulatedMinutes, from: Int, to: Int = 1
    ) throws -> [(bytes: [UInt8], isControl: Bool)] {
        var request: [UInt8] = [0x33, 0x01, UInt8(from >> 8), UInt8(from & 0xFF), 0, UInt8(to)]
        request += Array(repeating: 0, count: 13)
        request.append(request.reduce(0, ^))
        return try #require(memory.packets(after: request, at: .seconds(90)) { _ in (-5, 321) })
    }

    @Test func itHasARecordForEachMinuteSinceItsStart() {
        let memory = SimulatedMinutes(age: .seconds(3600), restarts: [.seconds(200)])
        #expect(memory.records(at: .zero).count == 61 && memory.records(at: .seconds(59)).last == .zero)
        #expect(memory.records(at: .seconds(210)) == [.seconds(200)])
        #expect(SimulatedMinutes().records(at: .zero).count == 28_800)
    }

    @Test func recordsAreCountedBackFromTheNewest() throws {
        let all = try packets(SimulatedMinutes(), from: 8)
        #expect(all.map(\.isControl) == [true, false, false, true])
        #expect(all[1].bytes.prefix(5) == [0, 8, 0x80, 0x14, 0xC9] && all[2].bytes.prefix(2) == [0, 2])
        #expect(all[2].bytes.suffix(12).allSatisfy { $0 == 0xFF } && all[3].bytes.prefix(4) == [0xEE, 0x01, 0, 2])
        #expect(try packets(SimulatedMinutes(age: .seconds(60)), from: 500)[1].bytes.prefix(2) == [0, 3])
    }

    @Test func itStopsWithoutASignToGoOn() throws {
        let answers = SimulatedMinutes().answers { _ in (1, 1) }
        var request: [UInt8] = [0x33, 0x01, 0x03, 0x20, 0, 1] + Array(repeating: 0, count: 13)
        request.append(request.reduce(0, ^))
        let alive: [UInt8] = [0xAA, 0x01] + Array(repeating: 0, count: 17) + [0xAB]
        #expect(answers(request, .zero)?.count == 76)
        #expect(answers(alive, .zero)?.count == 60)
        #expect(answers(alive, .zero)?.count == 0 && answers([1], .zero) == nil)
    }
}
