import BlekeepRecords
import Yams

/// Reads the fields of a layout, and checks that they fit together.
struct LayoutFields {
    static let keys = ["name", "type", "scale", "offset", "unit", "special", "if", "skip"]

    private(set) var all: [Field] = []
    private(set) var reader: YAMLReader

    private let endian: Endian
    /// The bits of the last byte that no field uses yet.
    private var oddBits = 0

    init(endian: Endian, reader: YAMLReader) {
        self.endian = endian
        self.reader = reader
    }

    mutating func read(_ node: Node) {
        let place = reader.place(of: node)
        guard let entries = reader.mapping(node, what: "a field", keys: Self.keys) else { return }
        if let last = all.last, last.repeats || last.type.takesTheRest {
            return reader.note(
                "the field `\(last.name)` takes all remaining bytes; remove the fields after it", at: place)
        }
        guard var field = entries["skip"] == nil ? named(entries, place: place) : skipped(entries, place: place) else {
            return
        }
        if let conditions = conditions(entries["if"]), !conditions.isEmpty { field.presence = .ifFields(conditions) }
        oddBits = (oddBits + field.type.oddBits) % 8
        all.append(field)
    }

    /// Checks the end of the layout. Call it after the last field.
    mutating func finish(at place: ConfigurationLocation) {
        guard oddBits != 0, all.allSatisfy({ $0.presence == .always && !$0.repeats }) else { return }
        reader.note(
            "the last field ends inside a byte; add a field such as uint\(8 - oddBits), or `skip: \(Self.bits(8 - oddBits))`",
            at: place)
    }

    private mutating func noteOddBits(at place: ConfigurationLocation) {
        reader.note(
            "the field would start inside a byte; complete the byte first, such as with `skip: \(Self.bits(8 - oddBits))`",
            at: place)
    }

    private static func bits(_ count: Int) -> String { count == 1 ? "1 bit" : "\(count) bits" }

    private mutating func skipped(_ entries: [String: YAMLEntry], place: ConfigurationLocation) -> Field? {
        for key in ["name", "type", "scale", "offset", "unit", "special"] where entries[key] != nil {
            reader.note("skipped bytes have no `\(key)`; remove it", at: entries[key]?.place ?? place)
        }
        guard let skip = entries["skip"], let words = skip.node.string?.split(separator: " "), words.count == 2,
            ["bit", "bits"].contains(words[1])
        else {
            let field = reader.integer(entries["skip"], in: 1...512).map { Field.skip(bytes: $0) }
            if field != nil, oddBits != 0 { noteOddBits(at: place) }
            return field
        }
        guard let bits = Int(words[0]), 1...56 ~= bits else {
            reader.note(
                "`skip` is \(Quoted.text(skip.node.string ?? "")); it can be from `1 bit` to `56 bits`",
                at: skip.valuePlace)
            return nil
        }
        return Field(name: "", type: .unsigned(bits: bits))
    }

    private mutating func named(_ entries: [String: YAMLEntry], place: ConfigurationLocation) -> Field? {
        for key in ["name", "type"] where entries[key] == nil {
            reader.note("a field needs a `\(key)`, or `skip`; add one", at: place)
        }
        let name = name(entries["name"])
        guard var field = value(entries, at: place) else { return nil }
        field.name = name ?? ""
        return name == nil ? nil : field
    }

    /// Reads the type of a field, its scale, its unit and its special values.
    mutating func value(_ entries: [String: YAMLEntry], at place: ConfigurationLocation) -> Field? {
        guard var field = type(entries["type"]) else { return nil }
        let scale = reader.decimal(entries["scale"])
        let offset = reader.decimal(entries["offset"])
        if scale?.digits == 0, let entry = entries["scale"] {
            reader.note(
                "a `scale` of 0 makes all values equal; write another one", at: entry.valuePlace)
        }
        if let key = ["scale", "offset"].first(where: { entries[$0] != nil }), !field.type.isScaled {
            reader.note("only integers and medfloats have a `\(key)`; remove it", at: entries[key]?.place ?? place)
        } else if let entry = entries["offset"], !field.type.isInteger {
            reader.note("only integers have an `offset`; remove it", at: entry.place)
        } else if let joined = DecimalNumber.scale(scale ?? .one, offset: offset ?? .zero) {
            field.scale = joined
        } else {
            reader.note(
                "`scale` and `offset` differ too much in size; make them more similar",
                at: entries["scale"]?.place ?? place)
        }
        field.unit = reader.text(entries["unit"], what: "a unit's symbol such as °C")
        addStates(entries["special"], to: &field)
        return field
    }

    private mutating func name(_ entry: YAMLEntry?) -> String? {
        guard let entry, let text = reader.text(entry, what: "a field's name such as temperature") else { return nil }
        let place = entry.valuePlace
        guard Self.isWord(text) else {
            reader.note("\(Quoted.text(text)) isn't a field name; write a-z, 0-9 and _, a letter first", at: place)
            return nil
        }
        if let twin = all.first(where: { $0.name == text }), twin.presence == .always {
            reader.note("the field `\(text)` occurs twice; rename one, or give both an `if`", at: place)
            return nil
        }
        return text
    }

    private mutating func type(_ entry: YAMLEntry?) -> Field? {
        guard let entry, let text = reader.text(entry, what: "a type such as uint16") else { return nil }
        let place = entry.valuePlace
        let repeats = text.hasSuffix("[]")
        guard let type = FieldType(text.dropLast(repeats ? 2 : 0)) else {
            let meant = Spelling.closest(to: text, among: FieldType.examples)
            reader.note(
                "\(Quoted.text(text)) isn't a type; \(meant.map { "did you mean `\($0)`?" } ?? "write one such as uint16")",
                at: place)
            return nil
        }
        if endian == .big, !type.hasBigForm {
            reader.note("\(Quoted.text(text)) has no big endian form; write hex(8) or hex(16)", at: place)
        }
        if oddBits != 0, !type.isInteger {
            noteOddBits(at: place)
        }
        return Field(name: "", type: type, repeats: repeats)
    }

    private mutating func addStates(_ entry: YAMLEntry?, to field: inout Field) {
        guard let entry else { return }
        guard case .mapping(let mapping) = entry.node, field.type.isInteger else {
            let advice = "only integers have special values, written as numbers with words: {0x8000: unknown}"
            return reader.note("`special`: \(advice)", at: entry.place)
        }
        for (key, value) in mapping {
            guard let number = key.string, field.add(state: value.string ?? "", of: number[...]) else {
                reader.note(
                    "\(Quoted.text(key.string ?? "")) isn't a number; write one such as 0x8000 or -1",
                    at: reader.place(of: key))
                continue
            }
            if value.scalar?.isNull ?? false {
                reader.note(
                    "a special value needs a word, such as unknown; write one in place of null, and the value is null",
                    at: reader.place(of: value))
            } else if !Self.isWord(value.string ?? "") {
                reader.note("a special value needs a word, such as unknown; add one", at: reader.place(of: value))
            }
        }
    }

    // MARK: Conditions

    private mutating func conditions(_ entry: YAMLEntry?) -> [Field.Condition]? {
        guard let entry else { return nil }
        let nodes = entry.node.sequence.map { Array($0) } ?? [entry.node]
        return nodes.compactMap { condition($0) }
    }

    private mutating func condition(_ node: Node) -> Field.Condition? {
        guard let entries = reader.mapping(node, what: "a condition", keys: ["bit", "is", "field"]) else { return nil }
        let place = reader.place(of: node)
        let name = reader.text(entries["field"], what: "an earlier field's name") ?? "flags"
        guard let index = all.lastIndex(where: { $0.name == name }) else {
            reader.note("no field before this one is called \(Quoted.text(name)); name one", at: place)
            return nil
        }
        guard all[index].type.isInteger, all[index].scale == Scale(), !all[index].repeats else {
            reader.note("a condition needs an integer without a scale; `\(name)` isn't one", at: place)
            return nil
        }
        all[index].isRemembered = true
        if let bit = entries["bit"] {
            let value = reader.integer(entries["is"], in: 0...1) ?? 1
            return reader.integer(bit, in: 0...55).map {
                Field.Condition(field: name, mask: 1 << UInt64($0), value: UInt64(value) << UInt64($0))
            }
        }
        guard let value = reader.integer(entries["is"], in: -1 << 55...1 << 55) else {
            if entries["is"] == nil { reader.note("a condition needs `bit` or `is`; add one", at: place) }
            return nil
        }
        return Field.Condition(field: name, mask: .max, value: UInt64(bitPattern: Int64(value)))
    }

    static func isWord(_ text: String) -> Bool {
        guard let first = text.utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first, text.utf8.count <= 64 else {
            return false
        }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
            default: false
            }
        }
    }
}
