import BlekeepRecords
import BusBench
import Testing

@testable import BlekeepConfiguration

@Suite struct LayoutTests {
    private static let good = """
        layouts:
          - uuid: a0b40010-926d-4d61-98df-8c5c62ee53b3
            name: Soil probe
            endian: big
            fields:
              - {name: flags, type: bits8}
              - {name: temperature, type: sint16, scale: 0.01, offset: -40, unit: °C, special: {0x8000: unknown}}
              - {skip: 1}
              - {name: moisture, type: uint8, scale: 0.5, unit: "%", if: {bit: 0}}
              - {name: salt, type: uint24, if: [{bit: 0}, {bit: 1, is: 0}]}
              - {name: kind, type: uint4}
              - {name: level, type: uint4, if: {field: kind, is: 2}}
              - {name: rest, type: "uint16[]"}
            tests:
              - {hex: 010c4e00c8000102210007, expect: {temperature: -8.5, moisture: 100, salt: 258, level: 1, rest: [7]}}
              - {hex: "0080000020", expect: {temperature: unknown}, }
              - {hex: 00, error: short}

        """

    private func layout(_ text: String) throws -> (layout: OwnLayout, tests: Int) {
        let part = ConfigurationPart(text, file: "f", names: names)
        #expect(problems(in: text) == [])
        return (try #require(part.configuration.poll.layouts.first), part.layoutTests)
    }

    @Test func bitsAreSkipped() throws {
        let layout = try layout(
            """
            layouts:
              - uuid: 2a19
                fields: [{name: a, type: uint3}, {skip: 1 bit}, {name: b, type: uint2}, {skip: 2 bits}, {skip: 1}]

            """
        ).layout
        let values = try LayoutDecoder(layout).decode([0xAB, 0xFF])
        #expect(values.map(\.field) == ["a", "b"] && values.map(\.value) == [.integer(3), .integer(2)])
        let head = "layouts:\n  - uuid: 2a19\n    fields:\n"
        #expect(
            problems(in: head + "      - {skip: 0 bits}\n") == [
                "4:16: `skip` is `0 bits`; it can be from `1 bit` to `56 bits`"
            ])
        #expect(
            problems(in: head + "      - {skip: 7 bits}\n") == [
                "4:9: the last field ends inside a byte; add a field such as uint1, or `skip: 1 bit`"
            ])
        #expect(
            problems(in: head + "      - {skip: 3 bits}\n      - {skip: 1}\n").first
                == "5:9: the field would start inside a byte; complete the byte first, such as with `skip: 5 bits`")
    }

    @Test func aLayoutSaysEverything() throws {
        let (layout, tests) = try layout(Self.good)
        #expect(tests == 3)
        #expect(layout.name == "Soil probe")
        let measurements = try LayoutDecoder(layout).decode([
            0x03, 0xFF, 0xFF, 0xAA, 0x01, 0x2F, 0x00, 0x01, 0x00, 0x02,
        ])
        #expect(
            measurements == [
                Measurement(field: "flags", value: .integer(3)),
                Measurement(field: "temperature", value: .number(-40.01), unit: "°C", decimals: 2),
                Measurement(field: "moisture", value: .number(0.5), unit: "%", decimals: 1),
                Measurement(field: "kind", value: .integer(2)),
                Measurement(field: "level", value: .integer(15)),
                Measurement(field: "rest", value: .list([.integer(1), .integer(2)])),
            ])
    }

    /// What a recipe can say of an answer, a layout can say of a value.
    @Test func aLayoutIsARecipeWithOneRead() throws {
        let fields = """
            endian: big
                fields:
                  - {name: _flags, type: bits8}
                  - {name: heat, type: sint16, scale: 0.1, unit: °C, if: {bit: 0}, max: 100}
                  - {name: mode, at: 3, type: uint4, bit: 4, table: {1: "on", 2: off}}
                  - {name: door, at: 3, bit: 0}
                  - {name: _count, type: uint8}
                  - {name: cell_#, count: _count, type: uint8, scale: 100/255, unit: "%"}
                  - {name: battery, at: -1, type: uint8, curve: [[10, 0], [20, 100]]}
            """
        let layout = try layout(
            "layouts:\n  - uuid: fff1\n    \(fields)\n    tests:\n"
                + "      - {hex: 0100d22102ff0015, expect: {heat: 21, mode: off, door: true, cell_2: 0, battery: 100}}\n"
        ).layout
        #expect(layout.fields.map(\.field.name).contains("_flags"))
        let values = try LayoutDecoder(layout).decode([1, 3, 0xE9, 0x10, 1, 51, 15])
        #expect(values.map(\.field) == ["heat", "mode", "door", "cell_1", "battery"])
        #expect(values[0].state == "prohibited" && values[3].value == .number(20) && values[3].decimals == 3)
        #expect(values[4].value == .number(50))
        #expect(throws: DecodeError.short) { try LayoutDecoder(layout).decode([1, 0, 0xD2, 0x21, 2, 1]) }
        #expect(throws: UserError.self) { try LayoutDecoder(layout).encode(["heat=21"]) }
        // The same words make a recipe.
        let recipe = "recipes:\n  - name: a\n    steps:\n      - read: fff1\n        "
        let part = ConfigurationPart(
            recipe + fields.replacing("\n    ", with: "\n        "), file: "f", names: names)
        #expect(part.problems.map(\.message) == [])
        #expect(part.configuration.poll.recipes.first?.steps.first?.answer?.fields == layout.fields)
    }

    @Test func aLayoutWithConditionsIsWritten() throws {
        let layout = try layout(
            """
            layouts:
              - uuid: fff1
                fields:
                  - {name: kind, type: uint8}
                  - {name: level, type: uint8, if: {field: kind, at_least: 2}}
                  - {name: text, type: utf8s, if: {field: kind, is: 1}}

            """
        ).layout
        let decoder = LayoutDecoder(layout)
        #expect(try decoder.encode(["kind=3", "level=7"]) == [3, 7])
        #expect(try decoder.encode(["kind=1", "text=a"]) == [1, 0x61])
        #expect(throws: UserError.self) { try decoder.encode(["kind=1", "level=7"]) }
        #expect(try decoder.decode([2, 9]).map(\.field) == ["kind", "level"])
        #expect(throws: DecodeError.long) { try decoder.decode([2, 9, 9]) }
    }

    @Test func onlyADeviceHasCharacteristics() {
        #expect(
            problems(in: "layouts: [{uuid: fff1, fields: [{name: a, type: uint8, if: {has: fff2}}]}]") == [
                "1:60: a condition needs `is`, `is_not`, `bit`, `at_least` or `below`; add one",
                "1:61: a condition has no key `has`; "
                    + "it has `field`, `bit`, `is`, `is_not`, `at_least`, `below`",
            ])
    }

    @Test func aLayoutOfOnesOwnComesBeforeTheAssignedOne() throws {
        let (layout, _) = try layout("layouts: [{uuid: 2a6e, fields: [{name: raw, type: uint16}]}]")
        let decoder = DecoderChoice.decoder(for: BluetoothUUID(0x2A6E), own: [layout])
        #expect(try decoder.decode([1, 2]) == [Measurement(field: "raw", value: .integer(0x201))])
        let other = DecoderChoice.decoder(for: BluetoothUUID(0x2A6F), own: [layout])
        #expect(try other.decode([1, 2]).first?.field == "humidity")
    }

    private static let uuid = "layouts:\n  - uuid: fff1\n    "
    private static let field = "\(uuid)fields:\n      - "
    private static let named = "\(field){name: a, "

    private static let malformed: [(String, String)] = [
        ("layouts: fff1", "1:10: `layouts` is a list of layouts, each on a line that starts with `- `"),
        (
            "layouts:\n  - fields: [{name: a, type: uint8}]",
            "2:5: a layout needs the `uuid` of its characteristic; add one, such as `uuid: fff1`"
        ),
        ("\(uuid)name: x", "2:5: a layout needs `fields`; add them, such as `fields: [{name: level, type: uint8}]`"),
        (
            "\(uuid)endian: middle\n    fields: [{name: a, type: uint8}]",
            "3:13: `middle` isn't an endian; write little or big"
        ),
        ("\(named)type: unit16}", "4:25: `unit16` isn't a type; did you mean `uint16`?"),
        ("\(named)type: uint64}", "4:25: `uint64` isn't a type; did you mean `uint24`?"),
        ("\(named)type: hex(-1)}", "4:25: `hex(-1)` isn't a type; write one such as uint16"),
        (
            "\(named)typ: uint8}",
            "4:9: a field needs a `type`, `bit`, `after`, `fields` or `skip`; add one / 4:19: a field has no key `typ`; did you mean `type`?"
        ),
        ("\(field){type: uint8}", "4:9: a field needs a `name`, or `skip`; add one"),
        ("\(field){name: Temp, type: uint8}", "4:16: `Temp` isn't a field name; write a-z, 0-9 and _, a letter first"),
        (
            "\(named)type: uint8}\n      - {name: a, type: uint8}",
            "5:16: the field `a` occurs twice; rename one, or give both an `if`"
        ),
        (
            "\(named)type: utf8s}\n      - {name: b, type: uint8}",
            "5:9: the field `a` takes all remaining bytes; remove the fields after it"
        ),
        (
            "\(named)type: uint4}\n      - {name: b, type: float32}",
            "5:25: the field would start inside a byte; complete the byte first, such as with `skip: 4 bits`"
        ),
        ("\(named)type: uint8, scale: ten}", "4:39: `scale` is `ten`; write a number such as 0.01 or -40"),
        ("\(named)type: utf8s, scale: 2}", "4:32: only numbers have a `scale`; remove it"),
        ("\(named)type: medfloat16, offset: 2}", "4:37: only integers and floats have an `offset`; remove it"),
        (
            "\(named)type: uint8, scale: 1e-30, offset: 1}",
            "4:32: `scale` and `offset` differ too much in size; make them more similar"
        ),
        ("\(named)type: uint8, special: {ten: unknown}}", "4:42: `ten` isn't a number; write one such as 0x80 or -1"),
        (
            "\(named)type: uint8, special: {255: Not Known}}",
            "4:47: a special value needs a word, such as unknown; add one"
        ),
        (
            "\(named)type: uint8, special: {255: null}}",
            "4:47: a special value needs a word, such as unknown; write one in place of null, and the value is null"
        ),
        ("\(named)type: uint8, if: {bit: 0}}", "4:36: no field before this one is called `flags`; name one"),
        ("\(field){skip: 0}", "4:16: `skip` is `0`; write a whole number from 1 to 512"),
        (
            "\(uuid)endian: big\n    fields: [{name: a, type: eui64}]",
            "4:30: `eui64` has no big endian form; write hex(8) or hex(16)"
        ),
        (
            "\(named)type: uint8, scale: 0.1}\n    tests:\n      - {hex: 0a, expect: {a: 2}}",
            "6:31: the bytes of this test say that `a` is `1`; check both"
        ),
        (
            "\(named)type: uint8}\n    tests: [{hex: 0a0b, expect: {a: 10}}]",
            "5:13: the bytes of this test are too long for the layout; check both"
        ),
        (
            "\(named)type: uint8}\n    tests: [{hex: 0a, expect: {b: 10}}]",
            "5:32: what a test expects has no key `b`; did you mean `a`?"
        ),
        (
            "\(named)type: uint8}\n    tests: [{hex: 0a, error: long}]",
            "5:13: this test expects the error long, but the bytes decode"
        ),
        (
            "layouts: [{uuid: 2a6e, fields: [{name: a, type: uint8}]}, {uuid: temperature, fields: [{name: a, type: uint8}]}]",
            "1:66: the layout of 2a6e is set already at f:1:18; keep one"
        ),
    ]

    @Test(arguments: Self.malformed)
    func eachMistakeHasItsPlaceAndItsAdvice(text: String, problem: String) {
        #expect(problems(in: text).joined(separator: " / ") == problem)
    }

    @Test func noCutAndNoFlippedByteTrapsAndWhatIsTakenDecodesAnything() {
        let bytes = Array(Self.good.utf8)
        var taken = 0
        for index in stride(from: 0, to: bytes.count, by: TestLength.of(2, atNight: 1)) {
            for text in [Array(bytes[..<index]), bytes.enumerated().map { $0 == index ? $1 ^ 2 : $1 }] {
                let part = ConfigurationPart(String(decoding: text, as: UTF8.self), file: "f", names: names)
                for layout in part.configuration.poll.layouts {
                    taken += 1
                    for count in 0..<24 {
                        _ = try? LayoutDecoder(layout).decode((0..<count).map { UInt8($0 * 11 & 0xFF) })
                    }
                }
            }
        }
        #expect(taken > 50)
    }
}
