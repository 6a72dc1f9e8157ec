import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct FieldNotationTests {
        @Test func readsAllParts() throws {
            let field = try #require(Field(notation: "temperature sint16 *5e-2 °C 0x8000=unknown 7=over -5...9 ?5,!0"))
            #expect(field.name == "temperature")
            #expect(field.type == .signed(bits: 16))
            #expect(field.scale == Scale(multiplier: 5, decimal: -2))
            #expect(field.unit == "°C")
            #expect(field.states.map(\.raw) == [-32768, 7])
            #expect(field.states.map(\.word) == ["unknown", "over"])
            #expect(field.limits == -5...9)
            #expect(field.presence == .ifFlags(mask: 0b100001, value: 0b100000))
        }

        @Test func readsTheRest() throws {
            #expect(Field(notation: "a uint16[] /1024")?.repeats == true)
            #expect(Field(notation: "a uint16[] /1024")?.scale == Scale(binary: -10))
            #expect(Field(notation: "a uint8 *15")?.scale == Scale(multiplier: 15))
            #expect(Field(notation: "a uint8 ?=3")?.presence == .ifSelected(3))
            #expect(Field(notation: "a uint8 ?")?.presence == .ifBytesAreLeft)
            #expect(Field(notation: "a utf8s(16)")?.type == .text(bytes: 16))
            #expect(Field(notation: "a float64")?.type == .real(.float64))
            #expect(Field.list(notation: "a uint8; b hex")?.map(\.name) == ["a", "b"])
        }

        @Test(arguments: [
            "", "a", "a uint", "a uint64", "a uint0", "a word", "a uint8 /3", "a uint8 *", "a uint8 ?x",
            "a uint8 9...1", "a uint8 0xZZ=unknown", "a uint8 x=unknown", "a uint8 1...x",
        ])
        func refusesWhatItDoesNotKnow(text: String) {
            #expect(Field(notation: text[...]) == nil)
        }
    }
}
