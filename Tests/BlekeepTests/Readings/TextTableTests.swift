import Testing

@testable import Blekeep

extension Readings {
    @Suite struct TextTableTests {
        @Test(arguments: [
            (CharacteristicTable.table, 502), (ServiceTable.table, 75), (DescriptorTable.table, 24),
            (UnitTable.table, 127), (FormatTable.table, 28),
        ])
        func findsEveryLineAndNoOther(table: TextTable, count: Int) {
            let numbers = table.rows.compactMap(\.number)
            #expect(numbers.count == count)
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy(<), "sorted")
            #expect(numbers.allSatisfy { table[$0]?.number == $0 })
            let others = Set(numbers.flatMap { [$0 &- 1, $0 &+ 1] } + [0, .max]).subtracting(numbers)
            #expect(others.allSatisfy { table[$0] == nil })
        }

        @Test func givesColumns() {
            let table = TextTable("0001|one|\n000a|ten|°|x")
            #expect(table[10].map { [$0[1], $0[2], $0[3], $0[4]] } == ["ten", "°", "x", ""])
            #expect(table[1]?[2] == "")
            #expect(table[2] == nil)
            #expect(TextTable("")[1] == nil)
        }
    }
}
