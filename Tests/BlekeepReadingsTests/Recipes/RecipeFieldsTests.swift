import Testing

@testable import BlekeepReadings

@Suite struct RecipeFieldsTests {
    @Test(arguments: [
        ("16", "16"), ("-2", "-2"), ("_cells", "_cells"), ("34 + 2*_cells", "34 + 2*_cells"),
        ("2*a+2*b-4", "-4 + 2*a + 2*b"), ("size / 2 - 4", "-4 + size/2"), ("bits(_mask)", "bits(_mask)"),
        ("-3*a / 4", "-3*a/4"), ("1 + 2 - 3", "0"),
    ])
    func aNumberIsReadAndWritten(text: String, written: String) throws {
        let number = try #require(RecipeNumber(text))
        #expect(number.description == written)
        #expect(RecipeNumber(written) == number)
    }

    @Test(arguments: ["", "-", "+", "2*", "*a", "a b", "a / 0", "a / b", "70000", "bits(", "2 + * a", "A", "a + "])
    func otherTextIsNoNumber(text: String) {
        #expect(RecipeNumber(text) == nil)
    }

    @Test func aNumberFollowsItsFields() throws {
        var values = RecipeValues()
        values["cells"] = .integer(16)
        values["mask"] = .integer(0b1011)
        values["on"] = .boolean(true)
        values["text"] = .text("5")
        values["huge"] = .integer(.max)
        values["large"] = .integer(1 << 39)
        func value(_ text: String) throws -> Int? { try #require(RecipeNumber(text)).value(values, size: 20) }
        #expect(try value("34 + 2*cells - size") == 46)
        #expect(try value(Array(repeating: "65535*large", count: 300).joined(separator: " + ")) == nil)
        #expect(try value("bits(mask)") == 3 && value("on + cells / 3") == 6)
        #expect(try value("text") == nil && value("huge") == nil && value("missing") == nil)
    }

    private func decode(
        _ fields: [RecipeField], _ bytes: [UInt8], endian: Endian = .little
    ) throws -> [String: MeasuredValue] {
        var decoder = RecipeDecoder(bytes, endian: endian, values: RecipeValues(), number: nil, has: { _ in false })
        try decoder.decode(fields)
        return Dictionary(decoder.measurements.map { ($0.field, $0.value ?? .text($0.state ?? "")) }) { $1 }
    }

    private func make(
        _ name: String, _ type: String = "uint8", _ change: (inout RecipeField) -> Void = { _ in }
    ) throws
        -> RecipeField
    {
        var field = RecipeField(Field(name: name, type: try #require(FieldType(type[...]))))
        change(&field)
        return field
    }

    /// Two quantities in one number, also the least of 32 bits.
    @Test func whatRemainsAndTheQuotientAreValues() throws {
        let fields = try ["smag24", "sint32"].map { type in
            try [
                make("remains", type) { ($0.at, $0.modulus) = (RecipeNumber(0), 1000) },
                make("quotient", type) { ($0.at, $0.quotient) = (RecipeNumber(0), 1000) },
            ]
        }
        let small = try decode(fields[0], [0x83, 0x71, 0xE7], endian: .big)
        #expect(small == ["remains": .integer(767), "quotient": .integer(-225)], "\(small)")
        let least = try decode(fields[1], [0x80, 0, 0, 0], endian: .big)
        #expect(least == ["remains": .integer(648), "quotient": .integer(-2_147_483)], "\(least)")
    }

    @Test func offsetsMoveByFieldsAndCountFromBothEnds() throws {
        let fields = [
            try make("_cells"), try make("_sensors"),
            try make("cell_#", "uint16") { $0.count = RecipeNumber("_cells") },
            try make("temperature_#", "sint8") { $0.count = RecipeNumber("_sensors") },
            try make("state") { $0.at = RecipeNumber("2 + 2*_cells + _sensors") },
            try make("last") { $0.at = RecipeNumber(-1) },
        ]
        #expect(
            try decode(fields, [2, 1, 1, 0, 2, 0, 0xFF, 9, 8, 7]) == [
                "cell_1": .integer(1), "cell_2": .integer(2), "temperature_1": .integer(-1), "state": .integer(9),
                "last": .integer(7),
            ])
        #expect(throws: RecipeFlaw.self) { try decode(fields, [200, 1, 1, 0]) }
        #expect(throws: RecipeFlaw.self) { try decode(fields, [3, 1, 1, 0, 2, 0]) }
    }

    @Test func groupsRepeatUpToANumber() throws {
        var group = try make("group")
        group.count = RecipeNumber(4)
        group.content = .group([
            try make("probe_#_temperature", "sint8"),
            try make("probe_#_state") { $0.table = [.init(raw: 1, value: .text("ok"))] },
        ])
        #expect(
            try decode([group], [20, 1, 21, 0, 22, 1, 23, 1])["probe_3_state"] == .text("ok"))
        let list = try make("cell_#", "uint16") { field in
            field.count = RecipeNumber(16)
            field.until = 0
        }
        #expect(try decode([list], [1, 0, 2, 0, 0, 0, 3, 0]) == ["cell_1": .integer(1), "cell_2": .integer(2)])
    }

    @Test func bitsSignsFractionsCurvesTablesAndBounds() throws {
        #expect(
            try decode(
                [
                    make("on") {
                        $0.content = .bit; $0.bit = 7
                    }
                ], [0x80]) == ["on": .boolean(true)])
        #expect(
            try decode([make("kind", "uint4") { $0.bit = 2 }, make("next")], [0b0101_1000, 5], endian: .big) == [
                "kind": .integer(6), "next": .integer(5),
            ])
        #expect(
            try decode([make("t", "smag8"), make("u", "smag8")], [0x85, 5]) == ["t": .integer(-5), "u": .integer(5)])
        #expect(
            try decode(
                [
                    make("rh", "uint16") {
                        $0.field.scale = Scale(multiplier: 100); $0.divisor = DecimalNumber(digits: 65536, exponent: 0)
                    }
                ], [0, 0x80]) == ["rh": .number(50)])
        let curve = [RecipeField.CurvePoint(number: 20, value: 0), .init(number: 30, value: 100)]
        for (raw, percent) in [(UInt8(10), 0.0), (20, 0), (25, 50), (30, 100), (200, 100)] {
            #expect(try decode([make("level") { $0.curve = curve }], [raw]) == ["level": .number(percent)])
        }
        let bounded = try make("moisture") { $0.max = DecimalNumber(digits: 100, exponent: 0) }
        #expect(try decode([bounded], [101]) == ["moisture": .text("prohibited")])
        let parts = [
            try make("_part") { $0.field.scale = Scale(decimal: -2) }, try make("t", "sint8") { $0.addend = "_part" },
        ]
        #expect(try decode(parts, [50, 21]) == ["t": .number(21.5)])
        let float = try make("radon", "float32") { field in
            (field.field.scale, field.divisor) = (Scale(multiplier: 37), .one)
            field.offset = DecimalNumber(digits: 5, exponent: -1)
        }
        #expect(try decode([float], [0, 0, 0x20, 0x40]) == ["radon": .number(93)])
        var special = try make("heat", "sint16")
        let isAdded = special.field.add(state: "none", of: "-2000")
        #expect(isAdded)
        #expect(try decode([special], [0x30, 0xF8]) == ["heat": .text("none")])
    }

    @Test(arguments: [
        ("T=25.6 H=23.6\0", "T=", 25.6), ("T=-5.25 H=1", "T=", -5.25), ("T= 7", "T=", 7), ("x H=99.", "H=", 99),
        ("CPM 31\n", "", 31), ("-4.5", "", -4.5),
    ])
    func numbersInText(text: String, key: String, number: Double) throws {
        let field = try make("value") { $0.content = .text(after: key) }
        #expect(try decode([field], Array(text.utf8)) == ["value": .number(number)])
    }

    @Test(arguments: ["", "T=", "H=1", "T=x", "T=.", "T=-"]) func textWithoutTheNumberIsTooShort(
        text: String
    ) throws {
        let field = try make("value") { $0.content = .text(after: "T=") }
        #expect(throws: RecipeFlaw.self) { try decode([field], Array(text.utf8)) }
    }

    @Test func conditionsCompareNumbersAndVersions() throws {
        var values = RecipeValues()
        values["firmware"] = .text("2.10.0")
        values["count"] = .integer(5)
        values["flags"] = .integer(2)
        func holds(_ name: String, _ test: RecipeCondition.Test) -> Bool {
            RecipeCondition.field(name, test).holds(values, size: 9, has: { _ in false })
        }
        #expect(
            holds("firmware", .atLeast("2.6.6")) && !holds("firmware", .below("2.10"))
                && holds("firmware", .equals("2.10.0")))
        #expect(holds("count", .equals("5.0")) && holds("count", .below("6")) && !holds("count", .atLeast("six")))
        #expect(holds("count", .differs("6")) && !holds("count", .differs("5")) && holds("missing", .differs("5")))
        #expect(holds("flags", .bit(1, isSet: true)) && !holds("flags", .bit(0, isSet: true)))
        #expect(
            holds("missing", .bit(0, isSet: false)) && !holds("missing", .bit(0, isSet: true))
                && !holds("missing", .equals("")))
        #expect(
            RecipeCondition.number(RecipeNumber(0, terms: [.init(source: .size)]), .equals("9")).holds(
                values, size: 9, has: { _ in false }))
    }

    @Test func aDeviceIsRecognizedByWhatItSays() throws {
        var recipe = Recipe(name: "a", title: "A")
        recipe.recognition = [
            .init(name: "JBD-*", service: BluetoothUUID(0xFF00)), .init(company: 820, model: "2930"),
            .init(address: "A4:C1:38"),
        ]
        recipe.never = [.init(name: "JBD-P02B*")]
        func match(_ change: (inout Recipe.Traits) -> Void) -> Recipe.Match {
            var traits = Recipe.Traits()
            change(&traits)
            return recipe.match(traits)
        }
        #expect(match { $0.name = "JBD-12" } == .no)
        #expect(
            match {
                $0.name = "JBD-12"; $0.services = [BluetoothUUID(0xFF00)]
            } == .yes)
        #expect(
            match {
                $0.name = "JBD-P02B-1"; $0.services = [BluetoothUUID(0xFF00)]
            } == .never)
        #expect(match { $0.companies = [820] } == .ifRead([BluetoothUUID(0x2A24)]))
        #expect(
            match {
                $0.companies = [820]; $0.model = "2930"
            } == .yes)
        #expect(
            match {
                $0.companies = [820]; $0.model = "2920"
            } == .no)
        #expect(match { $0.address = BluetoothAddress("A4:C1:38:00:00:01") } == .yes)
    }

    @Test(arguments: [
        ("*", "", true), ("12???BL*", "12100BLxy", true), ("12???BL*", "1210BLxy", false), ("a*b*c", "a12b3c", true),
        ("a*b*c", "a12c", false), ("", "a", false), ("ab", "ab", true), ("?", "", false),
    ])
    func patternsHaveAnd(pattern: String, text: String, fits: Bool) {
        #expect(Recipe.Recognition.fits(pattern, text: text) == fits)
    }
}
