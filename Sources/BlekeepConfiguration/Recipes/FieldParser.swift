import BlekeepRecords
import Yams

/// Reads the fields of a layout, or of an answer to a recipe, and checks that they fit together.
struct FieldParser {
    private let endian: Endian
    private let kind: Kind
    private let place: ConfigurationLocation
    /// Whether its name has a number, because it repeats, or is inside of a group or a loop.
    private var isRepeated: Bool
    private var field = RecipeField(Field(name: "", type: .unsigned(bits: 8)))
    /// The number of `scale`, whose divisor the field has, and that of `offset`.
    private var factor, offset: DecimalNumber?

    private static let maxFields = 128
    private static let before = "before this one"

    /// In an order in which each key has what it depends on: a scale its type, and a group its count.
    static let keys: [PartKey<Self>] = [
        PartKey("name"),
        PartKey("type") { $2.readType($0, in: &$1) },
        PartKey("skip") { $2.skip($0, in: &$1) },
        PartKey("after") { entry, reader, parser in
            let text = entry.node.string == "" ? "" : reader.text(entry, what: "the text in front of the number")
            parser.field.content = .text(after: text ?? "")
        },
        PartKey("bit") { $2.readBit($0, in: &$1) },
        PartKey("count") { entry, reader, parser in
            if parser.isRepeated {
                reader.note("a repeated field can't be inside of another repetition", at: parser.place)
            }
            parser.isRepeated = true
            parser.field.count = reader.number(entry, what: before)
        },
        PartKey("fields") { entry, reader, parser in
            let fields = fields(entry, endian: parser.endian, isRepeated: parser.isRepeated, in: &reader)
            (parser.field.field.name, parser.field.content) = ("group", .group(fields))
        },
        PartKey("at") { $2.field.at = $1.number($0, what: before) },
        PartKey("until") { entry, reader, parser in
            parser.field.until = reader.integer(entry, in: -1 << 55...1 << 55).map { Int64($0) }
        },
        PartKey("mod") { $2.field.modulus = $1.integer($0, in: 2...1 << 24).map { Int64($0) } },
        PartKey("div") { $2.field.quotient = $1.integer($0, in: 2...1 << 24).map { Int64($0) } },
        PartKey("scale") { $2.readScale($0, in: &$1) },
        PartKey("offset") { $2.offset = $1.decimal($0) },
        PartKey("unit") { $2.field.field.unit = $1.text($0, what: "a unit's symbol such as °C") },
        PartKey("special") { $2.readStates($0, in: &$1) },
        PartKey("table") { $2.readTable($0, in: &$1) },
        PartKey("curve") { $2.readCurve($0, in: &$1) },
        PartKey("min") { $2.field.min = $1.decimal($0) },
        PartKey("max") { $2.field.max = $1.decimal($0) },
        PartKey("plus") { entry, reader, parser in
            guard let name = reader.text(entry, what: "an earlier field's name"),
                reader.isKnown([name], what: before, at: entry.valuePlace)
            else { return }
            parser.field.addend = name
        },
        PartKey("if") { $2.field.conditions = $1.conditions($0.node, what: before) },
    ]

    /// What a field is. That says which keys it may have.
    private enum Kind: Sendable {
        case skip, group, text, bit, list, value

        init?(_ entries: [String: YAMLEntry]) {
            if entries["skip"] != nil {
                self = .skip
            } else if entries["fields"] != nil {
                self = .group
            } else if entries["after"] != nil {
                self = .text
            } else if let type = entries["type"] {
                self = type.node.string?.hasSuffix("[]") ?? false ? .list : .value
            } else if entries["bit"] != nil {
                self = .bit
            } else {
                return nil
            }
        }

        /// The message about a key that doesn't fit; `nil` for one that does.
        func flaw(of key: String) -> String? {
            let numbers = ["type", "mod", "div", "scale", "offset", "special", "table"]
            let (subject, isGood) =
                switch self {
                case .skip: ("skipped bytes have", ["skip", "if"].contains(key))
                case .group: ("a group of fields has", ["fields", "count", "at", "if"].contains(key))
                case .text: ("this field has", !(numbers + ["bit"]).contains(key))
                case .bit: ("this field has", !numbers.contains(key))
                case .list:
                    (
                        "a list has",
                        !["bit", "count", "until", "mod", "div", "table", "curve", "min", "max", "plus"].contains(key)
                    )
                case .value: ("", true)
                }
            return isGood ? nil : "\(subject) no `\(key)`; remove it"
        }
    }

    // MARK: Lists of fields

    /// - Parameters:
    ///   - endian: the byte order of the numbers.
    ///   - isRepeated: whether the fields are inside of a group or a loop.
    static func fields(
        _ entry: YAMLEntry?, endian: Endian, isRepeated: Bool = false, in reader: inout YAMLReader
    ) -> [RecipeField] {
        let nodes = reader.list(entry, what: "fields")
        if nodes.count > maxFields, let entry {
            reader.note("there can be at most \(maxFields) fields; write fewer", at: entry.valuePlace)
        }
        var fields: [RecipeField] = []
        for node in nodes.prefix(maxFields) {
            guard let entries = reader.mapping(node, what: "a field", keys: keys.map(\.name)) else { continue }
            let place = reader.place(of: node)
            guard let kind = Kind(entries) else {
                reader.note("a field needs a `type`, `bit`, `after`, `fields` or `skip`; add one", at: place)
                continue
            }
            if let last = fields.last, last.takesTheRest, entries["at"] == nil, entries["after"] == nil {
                reader.note(
                    "the field `\(last.field.name)` takes all remaining bytes; remove the fields after it", at: place)
                continue
            }
            var parser = FieldParser(endian: endian, kind: kind, place: place, isRepeated: isRepeated)
            guard let field = parser.read(entries, in: &reader) else { continue }
            if fields.oddBits != 0, field.followsBits, !field.field.type.isInteger {
                noteOddBits(fields.oddBits, at: entries["type"]?.valuePlace ?? place, in: &reader)
            }
            fields.append(field)
        }
        return fields
    }

    private static func noteOddBits(_ odd: Int, at place: ConfigurationLocation, in reader: inout YAMLReader) {
        reader.note(
            "the field would start inside a byte; complete the byte first, such as with `skip: \(bits(8 - odd))`",
            at: place)
    }

    private static func bits(_ count: Int) -> String { count == 1 ? "1 bit" : "\(count) bits" }

    /// Notes that the fields of a layout end inside of a byte.
    static func checkEnd(of fields: [RecipeField], at place: ConfigurationLocation, in reader: inout YAMLReader) {
        let odd = fields.oddBits
        guard odd != 0, fields.allSatisfy({ $0.conditions.isEmpty && $0.count == nil }) else { return }
        reader.note(
            "the last field ends inside a byte; add a field such as uint\(8 - odd), or `skip: \(bits(8 - odd))`",
            at: place)
    }

    // MARK: A field

    private mutating func read(_ entries: [String: YAMLEntry], in reader: inout YAMLReader) -> RecipeField? {
        let problems = reader.problems.count
        for key in Self.keys {
            guard let entry = entries[key.name] else { continue }
            if let flaw = kind.flaw(of: key.name) {
                reader.note(flaw, at: entry.place)
            } else {
                key.read(entry, &reader, &self)
            }
        }
        if kind == .group, entries["count"] == nil {
            reader.note("a group of fields needs a `count`; add one", at: place)
        }
        if let entry = entries["until"], entries["count"] == nil, kind.flaw(of: "until") == nil {
            reader.note("`until` ends a repetition; add `count`, the maximum", at: entry.place)
        }
        if kind == .skip || kind == .group { return field }
        if factor != nil || offset != nil { join(entries["scale"], entries["offset"], in: &reader) }
        guard reader.problems.count == problems else { return nil }
        guard let name = entries["name"] else {
            reader.note("a field needs a `name`, or `skip`; add one", at: place)
            return nil
        }
        readName(name, in: &reader)
        return field
    }

    private mutating func readName(_ entry: YAMLEntry, in reader: inout YAMLReader) {
        guard let text = reader.text(entry, what: "a field's name such as temperature") else { return }
        let isHidden = text.hasPrefix("_")
        if text == "size" {
            return reader.note("`size` is the number of all bytes; choose another name", at: entry.valuePlace)
        }
        guard Self.isWord(text.replacing("#", with: "1").drop { $0 == "_" }) else {
            return reader.note(
                "\(Quoted.text(text)) isn't a field name; write a-z, 0-9 and _, a letter first", at: entry.valuePlace)
        }
        if text.contains("#") != isRepeated, !isHidden || !isRepeated {
            reader.note(
                isRepeated
                    ? "a repeated field needs a `#` in its name, for the number: `\(text)_#`"
                    : "a `#` in a name stands for a number; add `count`, or remove it", at: entry.valuePlace)
        }
        field.field.name = text
        if !reader.fields.add(field) {
            reader.note("the field `\(text)` occurs twice; rename one, or give both an `if`", at: entry.valuePlace)
        }
    }

    private static func isWord(_ text: some StringProtocol) -> Bool {
        (text.first?.isLetter ?? false) && text.isWord(max: 64)
    }

    private mutating func skip(_ entry: YAMLEntry, in reader: inout YAMLReader) {
        let words = entry.node.string?.split(separator: " ") ?? []
        guard words.count == 2, ["bit", "bits"].contains(words[1]) else {
            field.field = .skip(bytes: reader.integer(entry, in: 1...512) ?? 1)
            return
        }
        let bits = reader.value(
            entry, what: "a number of bits", { _ in Int(words[0]).flatMap { 1...56 ~= $0 ? $0 : nil } },
            else: { "`skip` is \($0); it can be from `1 bit` to `56 bits`" })
        field.field.type = .unsigned(bits: bits ?? 1)
    }

    private mutating func readType(_ entry: YAMLEntry, in reader: inout YAMLReader) {
        let isList = kind == .list
        let type = reader.value(entry, what: "a type such as uint16", { FieldType($0.dropLast(isList ? 2 : 0)) }) {
            let meant = Spelling.closest(to: entry.node.string ?? "", among: FieldType.examples)
            return "\($0) isn't a type; \(meant.map { "did you mean `\($0)`?" } ?? "write one such as uint16")"
        }
        guard let type else { return }
        if endian == .big, !type.hasBigForm {
            reader.note("`\(type)` has no big endian form; write hex(8) or hex(16)", at: entry.valuePlace)
        }
        field.field = Field(name: "", type: type, repeats: isList)
    }

    private mutating func readBit(_ entry: YAMLEntry, in reader: inout YAMLReader) {
        field.bit = reader.integer(entry, in: 0...7) ?? 0
        if kind == .bit {
            field.content = .bit
        } else if case .unsigned(let width) = field.field.type, width + (field.bit ?? 0) <= 8 {
        } else {
            reader.note("`bit` is for up to 8 bits in one byte; write a type such as uint4", at: entry.place)
        }
    }

    // MARK: Its numbers

    /// Reads a number, or a fraction such as `100/255`.
    private mutating func readScale(_ entry: YAMLEntry, in reader: inout YAMLReader) {
        guard let text = entry.node.string, text.contains("/") else {
            factor = reader.decimal(entry)
            if factor?.digits == 0 {
                reader.note("a `scale` of 0 makes all values equal; write another one", at: entry.valuePlace)
            }
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map {
            DecimalNumber(String($0))
        }
        guard let upper = parts[0], let lower = parts[1], upper.digits != 0, lower.digits != 0 else {
            return reader.note(
                "`scale` is \(Quoted.text(text)); write a number such as 0.01, or a fraction such as 100/255",
                at: entry.valuePlace)
        }
        (factor, field.divisor) = (upper, lower)
    }

    /// Gives the field its scale. Floats and fractions are computed with rounding, and other numbers without.
    private mutating func join(_ scale: YAMLEntry?, _ shift: YAMLEntry?, in reader: inout YAMLReader) {
        let type = field.field.type
        let place = scale?.place ?? shift?.place ?? place
        if !type.isScaled, !type.isFloat {
            reader.note("only numbers have a `\(scale?.key ?? "offset")`; remove it", at: place)
        } else if field.divisor != nil || type.isFloat {
            if kind == .list || type.isScaled && !type.isInteger {
                reader.note("only single integers and floats have such a `\(scale?.key ?? "offset")`", at: place)
            }
            field.field.scale = DecimalNumber.scale(factor ?? .one, offset: .zero) ?? Scale()
            (field.divisor, field.offset) = (field.divisor ?? .one, offset ?? .zero)
        } else if let shift, !type.isInteger {
            reader.note("only integers and floats have an `offset`; remove it", at: shift.place)
        } else if let joined = DecimalNumber.scale(factor ?? .one, offset: offset ?? .zero) {
            field.field.scale = joined
        } else {
            reader.note("`scale` and `offset` differ too much in size; make them more similar", at: place)
        }
    }

    /// Reads what numbers before scaling stand for, such as `{0: off, 1: on}`.
    private func rows(
        _ entry: YAMLEntry, advice: String, in reader: inout YAMLReader
    ) -> [(raw: Int64, word: YAMLEntry)] {
        guard case .mapping(let mapping) = entry.node, field.field.type.isInteger else {
            reader.note("`\(entry.key)`: only integers have \(advice)", at: entry.place)
            return []
        }
        return mapping.compactMap { key, value in
            let raw = reader.value(
                reader.item(key, of: entry.key), what: "a number", { field.field.raw($0[...]) },
                else: { "\($0) isn't a number; write one such as 0x80 or -1" })
            return raw.map { ($0, reader.item(value, of: entry.key)) }
        }
    }

    private mutating func readStates(_ entry: YAMLEntry, in reader: inout YAMLReader) {
        let advice = "special values, written as numbers with words: {0x8000: unknown}"
        for (raw, word) in rows(entry, advice: advice, in: &reader) {
            _ = field.field.add(state: word.node.string ?? "", of: "\(raw)"[...])
            if word.node.scalar?.isNull ?? false {
                reader.note(
                    "a special value needs a word, such as unknown; write one in place of null, and the value is null",
                    at: word.place)
            } else if !Self.isWord(word.node.string ?? "") {
                reader.note("a special value needs a word, such as unknown; add one", at: word.place)
            }
        }
    }

    private mutating func readTable(_ entry: YAMLEntry, in reader: inout YAMLReader) {
        for (raw, value) in rows(entry, advice: "one, written as {0: off, 1: on}", in: &reader) {
            guard let text = reader.text(value, what: "a value") else { continue }
            let number: MeasuredValue? =
                Int64(text).map { .integer($0) } ?? DecimalNumber(text).map { .number($0.nearest) }
            field.table.append(RecipeField.TableRow(raw: raw, value: (value.isPlain ? number : nil) ?? .text(text)))
        }
    }

    private mutating func readCurve(_ entry: YAMLEntry, in reader: inout YAMLReader) {
        for node in reader.list(entry, what: "points such as [2.1, 0]") {
            let numbers = node.items.map { $0.string.flatMap { DecimalNumber($0) } }
            guard numbers.count == 2, let number = numbers[0], let value = numbers[1] else {
                reader.note("a point of a curve is two numbers, such as [2.1, 0]", at: reader.place(of: node))
                continue
            }
            if let last = field.curve.last, last.number >= number.nearest {
                reader.note("the numbers of a curve must rise; sort its points", at: reader.place(of: node))
            }
            field.curve.append(RecipeField.CurvePoint(number: number.nearest, value: value.nearest))
        }
        if field.curve.count == 1 { reader.note("a curve needs two points or more; add one", at: entry.place) }
    }
}

extension RecipeField {
    /// Whether it begins where the field before it ends, perhaps inside of a byte.
    fileprivate var followsBits: Bool { at == nil && bit == nil && content == .value }

    fileprivate var takesTheRest: Bool {
        content == .value && conditions.isEmpty && (field.repeats || field.type.takesTheRest)
    }

    /// Whether its value is an integer as it is in the bytes.
    fileprivate var hasBits: Bool {
        content == .value && field.type.isInteger && field.scale == Scale() && divisor == nil && modulus == nil
            && quotient == nil && !field.repeats
    }
}

extension [RecipeField] {
    /// How many bits of their last byte the fields use, when others of it are left; 0 otherwise.
    fileprivate var oddBits: Int {
        reduce(0) { odd, field in
            if case .text = field.content { return odd }
            guard field.bit == nil, field.content == .value else { return 0 }
            return ((field.at == nil ? odd : 0) + field.field.type.oddBits) % 8
        }
    }
}

// MARK: What depends on fields

/// The fields that a recipe or a layout has so far.
struct FieldNames {
    /// Whether a device is asked, so that a condition can be about its characteristics.
    private(set) var isRecipe = false
    /// Whether a field's value is an integer as it is in the bytes, by the field's name.
    private(set) var haveBits: [String: Bool] = [:]
    /// Whether a field depends on a condition: of all values, and of the hidden fields of the newest answer.
    private var areConditional: [String: Bool] = [:]

    init(isRecipe: Bool = false) { self.isRecipe = isRecipe }

    /// Lets hidden fields have the names of those of earlier answers.
    mutating func beginAnswer() { areConditional = areConditional.filter { !$0.key.hasPrefix("_") } }

    /// - Returns: whether the name is that of no other field, or only one of both can be there.
    mutating func add(_ field: RecipeField) -> Bool {
        let name = field.field.name
        let isConditional = !field.conditions.isEmpty
        haveBits[name] = field.hasBits
        return areConditional.updateValue(isConditional, forKey: name).map { $0 && isConditional } ?? true
    }
}

extension YAMLReader {
    /// Reads a number, or one of fields such as `34 + 2*_cells`.
    ///
    /// - Parameter what: where the fields are, such as `before this step`.
    mutating func number(_ entry: YAMLEntry?, what: String) -> RecipeNumber? {
        guard let entry else { return nil }
        let number = value(
            entry, what: "a number, or one of fields such as 34 + 2*_cells", { RecipeNumber($0) },
            else: { "`\(entry.key)` is \($0); write a number up to 65535, or one of fields such as 34 + 2*_cells" })
        guard let number else { return nil }
        return isKnown(number.fields, what: what, at: entry.valuePlace) ? number : nil
    }

    /// Notes a field that isn't there so far.
    mutating func isKnown(_ names: [String], what: String, at place: ConfigurationLocation) -> Bool {
        guard let unknown = names.first(where: { fields.haveBits[$0] == nil }) else { return true }
        let meant = Spelling.closest(to: unknown, among: fields.haveBits.keys.sorted())
        note(
            "no field \(what) is called \(Quoted.text(unknown)); \(meant.map { "did you mean `\($0)`?" } ?? "name one")",
            at: place)
        return false
    }

    /// Reads a condition, or a list of conditions that hold together.
    ///
    /// - Parameter what: where their fields are, such as `before this step`.
    mutating func conditions(_ node: Node, what: String) -> [RecipeCondition] {
        node.items.compactMap { condition($0, what: what) }
    }

    private mutating func condition(_ node: Node, what: String) -> RecipeCondition? {
        let own = fields.isRecipe ? ["has", "lacks"] : []
        let keys = ["field", "bit", "is", "is_not", "at_least", "below"] + own
        guard let entries = mapping(node, what: "a condition", keys: keys) else { return nil }
        let place = place(of: node)
        for key in own where entries[key] != nil {
            return characteristic(entries[key]).map { .has($0, key == "has") }
        }
        let usual = fields.haveBits["_flags"] == nil ? "flags" : "_flags"
        let name = entries["field"].map { text($0, what: "an earlier field's name") } ?? usual
        guard let name, let test = test(entries, at: place) else { return nil }
        if let hasBits = fields.haveBits[name] {
            if case .bit = test, !hasBits {
                note("a condition needs an integer without a scale; `\(name)` isn't one", at: place)
            }
            return .field(name, test)
        }
        let number = RecipeNumber(name)
        guard isKnown(number?.fields ?? [name], what: what, at: entries["field"]?.valuePlace ?? place) else {
            return nil
        }
        return number.map { .number($0, test) }
    }

    private mutating func test(
        _ entries: [String: YAMLEntry], at place: ConfigurationLocation
    ) -> RecipeCondition.Test? {
        if let bit = entries["bit"] {
            let value = integer(entries["is"], in: 0...1) ?? 1
            return integer(bit, in: 0...55).map { .bit($0, isSet: value == 1) }
        }
        let tests: [(key: String, test: (String) -> RecipeCondition.Test)] = [
            ("is", { .equals($0) }), ("is_not", { .differs($0) }), ("at_least", { .atLeast($0) }),
            ("below", { .below($0) }),
        ]
        for (key, test) in tests {
            if let entry = entries[key] { return text(entry, what: "a value").map(test) }
        }
        note("a condition needs `is`, `is_not`, `bit`, `at_least` or `below`; add one", at: place)
        return nil
    }
}
