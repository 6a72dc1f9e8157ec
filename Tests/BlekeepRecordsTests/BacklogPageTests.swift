import Testing

@testable import BlekeepRecords

@Suite struct BacklogPageTests {
    private func page(_ numbers: [Int64]) -> [StoredReading] {
        numbers.map { number in
            StoredReading(
                sequence: number,
                reading: Reading(
                    time: 0, tick: 1, device: "a", address: BluetoothAddress(bits: 1), service: nil,
                    characteristic: nil, name: "",
                    outcome: .failure(ReadingFailure(code: .other("x"), message: "x"), raw: nil)))
        }
    }

    /// Returns the page after reading 3, in a history up to 9.
    private func next(_ numbers: [Int64], held: Int64? = nil) -> String {
        var cursor = BacklogCursor(newest: 9)
        cursor.locate(3)
        switch BacklogPage(page(numbers), after: cursor, isHeld: { $0.sequence == held }) {
        case .gap(let numbers): return "gap \(numbers)"
        case .readings(let readings, let last, let isFollowedByHeld):
            let text = "\(readings.compactMap(\.sequence)) \(last.map(String.init) ?? "none")"
            return text + (isFollowedByHeld ? " held" : "")
        }
    }

    @Test func `takes consecutive readings up to a gap, or up to one that waits for the clock`() {
        #expect(next([4, 5, 6]) == "[4, 5, 6] 6")
        #expect(next([4, 5, 8]) == "[4, 5] 5")
        #expect(next([4, 5, 6], held: 6) == "[4, 5] 5 held")
        #expect(next([4, 5], held: 4) == "[] none held")
    }

    @Test func `names the numbers that the history lacks`() {
        #expect(next([7, 8]) == "gap 4...6")
        #expect(next([]) == "gap 4...9")
    }
}
