import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct TextTableTests {
        @Test func findsEveryLineAndNoOther() {
            check(CharacteristicTable.table, count: 502)
            check(ServiceTable.table, count: 75)
            check(DescriptorTable.table, count: 24)
            check(UnitTable.table, count: 127)
            check(FormatTable.table, count: 28)
            check(BTHomeTable.table, count: 95)
        }

        private func check(_ table: TextTable, count: Int, at location: SourceLocation = #_sourceLocation) {
            let numbers = table.rows.compactMap(\.number)
            let isSorted = zip(numbers, numbers.dropFirst()).allSatisfy(<)
            let lost = numbers.filter { table[$0]?.number != $0 }
            let others = Set(numbers.flatMap { [$0 &- 1, $0 &+ 1] } + [0, .max]).subtracting(numbers)
            let invented = others.filter { table[$0] != nil }
            #expect(numbers.count == count, sourceLocation: location)
            #expect(isSorted, sourceLocation: location)
            #expect(lost == [], sourceLocation: location)
            #expect(invented == [], sourceLocation: location)
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
