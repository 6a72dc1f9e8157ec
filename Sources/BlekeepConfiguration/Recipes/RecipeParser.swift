import BlekeepOutputs
import BlekeepRecords
import Yams

/// Reads a recipe: its steps, the fields of its answers, and its tests.
struct RecipeParser {
    static let keys = [
        "name", "title", "about", "source", "limits", "tried", "recognize", "never", "endian", "frame", "steps", "last",
        "timeout", "tries",
        "min_interval", "connection", "bond", "advertises", "tests",
    ]
    private static let stepKeys = [
        "read", "write", "await", "subscribe", "pause", "repeat", "bytes", "response", "start", "frame", "endian",
        "fields", "empty", "refuse", "if", "optional", "within", "from", "steps",
    ]

    private static let maxSteps = 64
    private static let maxFields = 128

    private var reader: YAMLReader
    private let entries: [String: YAMLEntry]
    private var endian = Endian.little
    private var frame: YAMLEntry?
    /// The names of the fields of the answers so far.
    private var known: Set<String> = []
    /// The names of the values so far, and whether they depend on a condition.
    private var published: [String: Bool] = [:]
    /// Whether the step is inside of a loop, or the field inside of a group.
    private var isRepeated = false

    /// Returns the recipe and the place of its name; `nil` after noting mistakes.
    static func recipe(_ node: Node, in reader: inout YAMLReader) -> (Recipe, ConfigurationLocation)? {
        guard let entries = reader.mapping(node, what: "a recipe", keys: keys) else { return nil }
        var parser = RecipeParser(reader: reader, entries: entries)
        let problems = parser.reader.problems.count
        var recipe = parser.recipe(at: reader.place(of: node))
        recipe.isOwn = true
        recipe.source = (try? Yams.serialize(node: Node([node]), width: 120, allowUnicode: true)) ?? ""
        if parser.reader.problems.count == problems {
            for test in parser.reader.list(entries["tests"], what: "tests") { parser.test(&recipe, on: test) }
        }
        reader = parser.reader
        guard reader.problems.count == problems else {
            if let name = entries["name"]?.node.string { reader.flawedRecipes.insert(name) }
            return nil
        }
        return (recipe, entries["name"]?.valuePlace ?? reader.place(of: node))
    }

    private init(reader: YAMLReader, entries: [String: YAMLEntry]) {
        self.reader = reader
        self.entries = entries
    }

    private mutating func recipe(at place: ConfigurationLocation) -> Recipe {
        let name = Form<String>.recipeName.read(
            entries["name"] ?? missing("name", example: "name: soil-probe", at: place), &reader)
        let title = reader.text(entries["title"], what: "a name for users")
        var recipe = Recipe(name: name ?? "", title: title ?? name ?? "")
        recipe.about = reader.text(entries["about"], what: "a sentence about the devices") ?? ""
        recipe.facts = reader.text(entries["source"], what: "where its facts come from")
        recipe.limits = reader.text(entries["limits"], what: "what is unsure or isn't read")
        recipe.tried = reader.text(entries["tried"], what: "who tried it on hardware")
        for node in reader.list(entries["recognize"], what: "what a device advertises") {
            recipe.recognition += recognition(node)
        }
        for node in reader.list(entries["never"], what: "devices that must not be connected") {
            recipe.never += recognition(node)
        }
        endian = word(entries["endian"], "an endian") ?? .little
        if let entry = entries["frame"] {
            let problems = reader.problems.count
            _ = frameRule(entry, endian: endian)
            // Each step reads it again, with its own byte order. Its mistakes are noted once.
            if reader.problems.count == problems { frame = entry }
        }
        recipe.timeout = reader.duration(entries["timeout"], in: .seconds(1) ... .seconds(300)) ?? recipe.timeout
        recipe.tries = reader.integer(entries["tries"], in: 1...5) ?? recipe.tries
        recipe.minInterval = reader.duration(entries["min_interval"], in: PollConfiguration.intervals)
        recipe.connection = word(entries["connection"], "a rule for connections") ?? .any
        recipe.needsBond = reader.flag(entries["bond"]) ?? false
        recipe.advertises = reader.flag(entries["advertises"]) ?? false
        if entries["steps"].map({ $0.node.sequence?.isEmpty == true }) ?? true {
            reader.note("a recipe needs `steps`; add them, such as `steps: [{read: 2a6e}]`", at: place)
        }
        recipe.steps = steps(entries["steps"])
        for node in reader.list(entries["last"], what: "writes") {
            guard let entries = reader.mapping(node, what: "a last write", keys: ["write", "bytes", "response"]) else {
                continue
            }
            guard let write = write(entries, at: reader.place(of: node)) else { continue }
            recipe.last.append(write)
        }
        return recipe
    }

    /// Notes that a required key is missing.
    private mutating func missing(_ key: String, example: String, at place: ConfigurationLocation) -> YAMLEntry {
        reader.note("a recipe needs a `\(key)`; add one, such as `\(example)`", at: place)
        // A good one, so that nothing else is noted.
        return YAMLEntry(key: key, place: place, node: Node("x"))
    }

    private mutating func word<Word: CaseIterable & RawRepresentable<String>>(
        _ entry: YAMLEntry?, _ noun: String
    ) -> Word? {
        entry.flatMap { Form<Word>.word(noun).read($0, &reader) }
    }

    // MARK: Recognition

    /// Reads what a device advertises. A list of names or addresses stands for any of them.
    private mutating func recognition(_ node: Node) -> [Recipe.Recognition] {
        let keys = ["name", "service", "company", "address", "model", "firmware"]
        guard let entries = reader.mapping(node, what: "a recognition", keys: keys) else { return [] }
        var common = Recipe.Recognition()
        common.service = entries["service"].flatMap { Form<BluetoothUUID>.service.read($0, &reader) }
        common.model = reader.text(entries["model"], what: "the text of characteristic 2a24")
        common.firmware = reader.text(entries["firmware"], what: "the text of characteristic 2a26")
        if let entry = entries["company"], let text = reader.text(entry, what: "a company's number such as 0x0334") {
            common.company = text.hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
            if common.company == nil {
                reader.note(
                    "\(Quoted.text(text)) isn't a company's number; write one such as 0x0334", at: entry.valuePlace)
            }
        }
        let names = texts(entries["name"], what: "a name, perhaps with * and ?")
        let addresses = texts(entries["address"], what: "the beginning of an address such as A4:C1:38")
        var all: [Recipe.Recognition] = []
        for name in names.isEmpty ? [nil] : names.map({ Optional($0) }) {
            for address in addresses.isEmpty ? [nil] : addresses.map({ Optional($0) }) {
                var recognition = common
                recognition.name = name
                recognition.address = address
                all.append(recognition)
            }
        }
        if !(all.first?.isAdvertised ?? false) {
            reader.note(
                "a recognition needs a `name`, a `service`, a `company` or an `address`; add one",
                at: reader.place(of: node))
        }
        return all
    }

    private mutating func texts(_ entry: YAMLEntry?, what: String) -> [String] {
        guard let entry else { return [] }
        guard let items = entry.node.sequence else { return reader.text(entry, what: what).map { [$0] } ?? [] }
        return items.compactMap { reader.text($0, of: entry.key, what: what) }
    }

    // MARK: Steps

    private mutating func steps(_ entry: YAMLEntry?) -> [Recipe.Step] {
        let nodes = reader.list(entry, what: "steps")
        if nodes.count > Self.maxSteps, let entry {
            reader.note("a recipe has at most \(Self.maxSteps) steps; write fewer", at: entry.valuePlace)
        }
        return nodes.prefix(Self.maxSteps).compactMap { step($0) }
    }

    private mutating func step(_ node: Node) -> Recipe.Step? {
        let place = reader.place(of: node)
        guard let entries = reader.mapping(node, what: "a step", keys: Self.stepKeys) else { return nil }
        guard let action = action(entries, at: place) else { return nil }
        var step = Recipe.Step(action)
        step.within = reader.duration(entries["within"], in: .milliseconds(100) ... .seconds(60)) ?? step.within
        step.isOptional = reader.flag(entries["optional"]) ?? false
        step.conditions = conditions(entries["if"], what: "before this step")
        let hasAnswer = entries["read"] != nil || entries["await"] != nil
        for key in ["start", "frame", "endian", "fields", "empty", "refuse"] where !hasAnswer {
            guard let entry = entries[key] else { continue }
            reader.note("`\(key)` is about an answer; add `read` or `await`, or remove it", at: entry.place)
        }
        if hasAnswer { step.answer = answer(entries) }
        return step
    }

    private mutating func action(
        _ entries: [String: YAMLEntry], at place: ConfigurationLocation
    ) -> Recipe.Step.Action? {
        let verbs = ["read", "write", "subscribe", "pause", "repeat"].filter { entries[$0] != nil }
        let used: [String: Set<String>] = [
            "read": [], "write": ["bytes", "response", "await"], "subscribe": [], "pause": [],
            "repeat": ["from", "steps"],
            "await": ["await"],
        ]
        guard let verb = verbs.first ?? (entries["await"] == nil ? nil : "await") else {
            reader.note("a step needs `read`, `write`, `await`, `subscribe`, `pause` or `repeat`; add one", at: place)
            return nil
        }
        if verbs.count > 1, let entry = entries[verbs[1]] {
            reader.note("`\(verbs[1])` is a step of its own; put it on a line that starts with `- `", at: entry.place)
            return nil
        }
        for key in ["bytes", "response", "await", "from", "steps"] where !(used[verb] ?? []).contains(key) {
            guard let entry = entries[key] else { continue }
            reader.note("`\(key)` doesn't belong to `\(verb)`; remove it", at: entry.place)
        }
        switch verb {
        case "read": return characteristic(entries["read"]).map { .read($0) }
        case "await": return characteristic(entries["await"]).map { .await($0) }
        case "subscribe": return characteristic(entries["subscribe"]).map { .subscribe($0) }
        case "pause":
            return reader.duration(entries["pause"], in: .milliseconds(10) ... .seconds(60)).map { .pause($0) }
        case "repeat": return loop(entries, at: place)
        default:
            guard let write = write(entries, at: place) else { return nil }
            guard entries["await"] != nil else { return .write(write) }
            return characteristic(entries["await"]).map { .ask(write, $0) }
        }
    }

    private mutating func loop(_ entries: [String: YAMLEntry], at place: ConfigurationLocation) -> Recipe.Step.Action? {
        if isRepeated { reader.note("a `repeat` can't be inside of another one", at: place) }
        guard let count = number(entries["repeat"], what: "before this step") else { return nil }
        let first = reader.integer(entries["from"], in: 0...65_535) ?? 0
        if entries["steps"] == nil { reader.note("`repeat` needs `steps`; add them", at: place) }
        let outer = isRepeated
        isRepeated = true
        defer { isRepeated = outer }
        return .loop(count, first: first, outer ? [] : steps(entries["steps"]))
    }

    private mutating func write(_ entries: [String: YAMLEntry], at place: ConfigurationLocation) -> Recipe.Write? {
        if entries["write"] == nil || entries["bytes"] == nil {
            reader.note("a write needs `write`, a characteristic, and `bytes`; add both", at: place)
        }
        let bytes = pieces(entries["bytes"], isRequest: true)
        let withResponse = reader.flag(entries["response"])
        return characteristic(entries["write"]).map { Recipe.Write($0, bytes, withResponse: withResponse) }
    }

    /// Reads `fff1`, or `fff0/fff1` for a characteristic of one service.
    private mutating func characteristic(_ entry: YAMLEntry?) -> RecipeCharacteristic? {
        guard let entry, let text = reader.text(entry, what: "a characteristic such as fff1 or fff0/fff1") else {
            return nil
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Substring($0) }
        let uuids = parts.compactMap { BluetoothUUID($0) ?? reader.names.find(String($0)) }
        guard parts.count <= 2, uuids.count == parts.count, let uuid = uuids.last else {
            reader.note(
                "\(Quoted.text(text)) isn't a characteristic; write a UUID such as fff1, or fff0/fff1 with its service",
                at: entry.valuePlace)
            return nil
        }
        return RecipeCharacteristic(uuid, in: uuids.count == 2 ? uuids[0] : nil)
    }

    // MARK: Bytes

    /// Reads hex digits, or a list of hex digits and computed bytes.
    private mutating func pieces(_ entry: YAMLEntry?, isRequest: Bool) -> [Recipe.Piece] {
        guard let entry else { return [] }
        let nodes = entry.node.sequence.map { Array($0) } ?? [entry.node]
        var pieces: [Recipe.Piece] = []
        for node in nodes {
            if case .mapping = node {
                if let piece = computed(node, isRequest: isRequest) { pieces.append(piece) }
                continue
            }
            guard let text = reader.text(node, of: entry.key, what: "bytes as hex digits") else { continue }
            let bytes = wildcards(text)
            guard let bytes, !bytes.isEmpty, !isRequest || !bytes.contains(nil) else {
                reader.note(
                    "\(Quoted.text(text)) isn't bytes; write two hex digits a byte\(isRequest ? "" : ", or .. for any byte")",
                    at: reader.place(of: node))
                continue
            }
            pieces += bytes.map { $0.map { .bytes([$0]) } ?? .any }
        }
        if pieces.count > 512 {
            reader.note("`\(entry.key)` is longer than 512 bytes; write less", at: entry.valuePlace)
        }
        return pieces
    }

    /// Reads bytes as hex digits, with `..` for any byte; `nil` for other text.
    private func wildcards(_ text: String) -> [UInt8?]? {
        let digits = Array(text.utf8.filter { $0 != UInt8(ascii: " ") })
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8?] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[index..<(index + 2)], as: UTF8.self)
            if pair == ".." {
                bytes.append(nil)
            } else {
                guard let byte = [UInt8](hex: pair)?.first else { return nil }
                bytes.append(byte)
            }
        }
        return bytes
    }

    private mutating func computed(_ node: Node, isRequest: Bool) -> Recipe.Piece? {
        let numbers = Recipe.Piece.Number.allCases.map(\.rawValue)
        let keys = ["check", "nonce", "secret"] + numbers + ["from", "endian", "add"]
        guard let entries = reader.mapping(node, what: "a computed byte", keys: keys) else { return nil }
        let place = reader.place(of: node)
        let mains = keys.prefix(3 + numbers.count).filter { entries[$0] != nil }
        guard let main = mains.first, mains.count == 1, let entry = entries[main] else {
            reader.note(
                "computed bytes need one of `check`, `nonce`, `secret` and \(numbers.map { "`\($0)`" }.joined(separator: ", "))",
                at: place)
            return nil
        }
        switch main {
        case "check":
            guard let check: Checksum = word(entry, "a check") else { return nil }
            let from = reader.integer(entries["from"], in: 0...511) ?? 0
            return .check(check, from: from, endian: word(entries["endian"], "an endian") ?? check.usualEndian)
        case "nonce": return reader.integer(entry, in: 1...Recipe.Piece.maxNonce).map { .nonce($0) }
        case "secret":
            guard let text = reader.text(entry, what: "text") else { return nil }
            if text == "text" { return .secret }
            reader.note("`secret` is \(Quoted.text(text)); write `secret: text`", at: entry.valuePlace)
            return nil
        default:
            guard let number = Recipe.Piece.Number(rawValue: main),
                let bits = wholeBytes(entry, what: "a type such as uint8")
            else { return nil }
            let add = reader.integer(entries["add"], in: -65_535...65_535) ?? 0
            return .number(number, bits: bits, endian: word(entries["endian"], "an endian") ?? endian, add: add)
        }
    }

    /// Reads an unsigned type of whole bytes, up to `uint32`.
    private mutating func wholeBytes(_ entry: YAMLEntry, what: String) -> Int? {
        guard let text = reader.text(entry, what: what) else { return nil }
        if case .unsigned(let bits)? = FieldType(text[...]), bits % 8 == 0, bits <= 32 { return bits }
        reader.note(
            "\(Quoted.text(text)) isn't a type here; write uint8, uint16, uint24 or uint32", at: entry.valuePlace)
        return nil
    }

    // MARK: Answers

    private mutating func answer(_ entries: [String: YAMLEntry]) -> Recipe.Answer {
        var answer = Recipe.Answer()
        answer.endian = word(entries["endian"], "an endian") ?? endian
        // A value that is read is whole.
        if let frame = entries["frame"] ?? (entries["await"] == nil ? nil : frame) {
            answer.frame = frameRule(frame, endian: answer.endian)
        }
        answer.start = pieces(entries["start"], isRequest: false)
        var names: Set<String> = []
        let nodes = reader.list(entries["fields"], what: "fields")
        if nodes.count > Self.maxFields, let entry = entries["fields"] {
            reader.note("an answer has at most \(Self.maxFields) fields; write fewer", at: entry.valuePlace)
        }
        answer.fields = nodes.prefix(Self.maxFields).compactMap { field($0, endian: answer.endian, names: &names) }
        for node in reader.list(entries["empty"], what: "bytes") {
            guard let text = reader.text(node, of: "empty", what: "bytes as hex digits") else { continue }
            if let bytes = [UInt8](hex: text), !bytes.isEmpty {
                answer.empty.append(bytes)
            } else {
                reader.note("\(Quoted.text(text)) isn't bytes; write two hex digits a byte", at: reader.place(of: node))
            }
        }
        for node in reader.list(entries["refuse"], what: "conditions") {
            let nodes = node.sequence.map { Array($0) } ?? [node]
            let all = nodes.compactMap { condition($0, what: "in this answer or before it") }
            if !all.isEmpty { answer.refusals.append(all) }
        }
        return answer
    }

    private mutating func frameRule(_ entry: YAMLEntry, endian: Endian) -> FrameRule {
        var rule = FrameRule()
        let keys = ["start", "length", "end", "silence", "junk", "check", "max"]
        guard let entries = reader.mapping(entry.node, what: "a frame", keys: keys) else { return rule }
        rule.max = reader.integer(entries["max"], in: 1...FrameRule.maxBytes) ?? rule.max
        if let entry = entries["start"], let text = reader.text(entry, what: "bytes as hex digits") {
            if let bytes = wildcards(text) {
                rule.start = bytes
            } else {
                reader.note(
                    "\(Quoted.text(text)) isn't bytes; write two hex digits a byte, or .. for any byte",
                    at: entry.valuePlace)
            }
        }
        rule.end = hex(entries["end"])
        rule.junk = hex(entries["junk"])
        if let silence = reader.duration(entries["silence"], in: .milliseconds(50) ... .seconds(10)) {
            rule.length = .silence(silence)
        } else if !rule.end.isEmpty, entries["length"] == nil {
            rule.length = .terminator
        }
        if let length = entries["length"] { self.length(length, of: &rule, endian: endian) }
        if let length = entries["length"], entries["silence"] != nil {
            reader.note("a frame has a `length` or a `silence`; remove one", at: length.place)
        }
        if let entry = entries["check"] {
            for node in entry.node.sequence.map({ Array($0) }) ?? [entry.node] { check(node, of: &rule) }
        }
        return rule
    }

    private mutating func hex(_ entry: YAMLEntry?) -> [UInt8] {
        guard let entry, let text = reader.text(entry, what: "bytes as hex digits") else { return [] }
        if let bytes = [UInt8](hex: text.filter { $0 != " " }), 1...64 ~= bytes.count { return bytes }
        reader.note("\(Quoted.text(text)) isn't bytes; write two hex digits a byte", at: entry.valuePlace)
        return []
    }

    /// Reads `16`, `[16, 24]`, or where the answer has its length.
    private mutating func length(_ entry: YAMLEntry, of rule: inout FrameRule, endian: Endian) {
        switch entry.node {
        case .sequence(let items):
            rule.sizes = items.compactMap { node in
                reader.integer(
                    YAMLEntry(key: entry.key, place: reader.place(of: node), node: node), in: 1...rule.max)
            }
            if items.isEmpty { reader.note("`length` has no number; write one", at: entry.valuePlace) }
        case .mapping:
            guard let entries = reader.mapping(entry.node, what: "a length", keys: ["at", "type", "add", "endian"])
            else {
                return
            }
            for key in ["at", "type"] where entries[key] == nil {
                reader.note("a length needs `at` and `type`; add `\(key)`", at: entry.valuePlace)
            }
            guard let at = reader.integer(entries["at"], in: 0...255),
                let bits = entries["type"].flatMap({ wholeBytes($0, what: "a type such as uint8") })
            else { return }
            rule.length = .field(
                at: at, bits: bits, endian: word(entries["endian"], "an endian") ?? endian,
                add: reader.integer(entries["add"], in: -255...255) ?? 0)
        default:
            guard let count = reader.integer(entry, in: 1...rule.max) else { return }
            rule.length = .fixed(count)
        }
    }

    private mutating func check(_ node: Node, of rule: inout FrameRule) {
        let keys = ["kind", "from", "to", "at", "endian"]
        guard let entries = reader.mapping(node, what: "a check", keys: keys) else { return }
        if entries["kind"] == nil {
            reader.note("a check needs a `kind`; add one, such as `kind: sum8`", at: reader.place(of: node))
        }
        guard let kind: Checksum = word(entries["kind"], "a check") else { return }
        rule.checks.append(
            FrameRule.Check(
                kind, from: reader.integer(entries["from"], in: -511...511) ?? 0,
                to: reader.integer(entries["to"], in: -511...511), at: reader.integer(entries["at"], in: -511...511),
                endian: word(entries["endian"], "an endian")))
    }

    // MARK: Fields

    private static let fieldKeys = [
        "name", "type", "at", "bit", "count", "until", "scale", "offset", "unit", "special", "table", "curve", "min",
        "max", "after", "plus", "if", "skip", "fields",
    ]

    private mutating func field(_ node: Node, endian: Endian, names: inout Set<String>) -> RecipeField? {
        let place = reader.place(of: node)
        guard var entries = reader.mapping(node, what: "a field", keys: Self.fieldKeys) else { return nil }
        if let skip = entries["skip"] {
            for key in Self.fieldKeys where key != "skip" && entries[key] != nil {
                reader.note("skipped bytes have no `\(key)`; remove it", at: entries[key]?.place ?? place)
            }
            return reader.integer(skip, in: 1...512).map { RecipeField(.skip(bytes: $0)) }
        }
        let count = number(entries["count"], what: "before this one")
        let outer = isRepeated
        if entries["count"] != nil {
            if isRepeated { reader.note("a repeated field can't be inside of another repetition", at: place) }
            isRepeated = true
        }
        defer { isRepeated = outer }
        let fraction = fraction(&entries)
        guard var field = content(entries, endian: endian, at: place, names: &names) else { return nil }
        field.count = count
        apply(fraction, to: &field)
        field.at = number(entries["at"], what: "before this one")
        if case .bit = field.content {
            field.bit = reader.integer(entries["bit"], in: 0...7) ?? 0
        } else if let entry = entries["bit"], let bit = reader.integer(entry, in: 0...7) {
            field.bit = bit
            if case .unsigned(let width) = field.field.type, bit + width <= 8 {
            } else {
                reader.note("`bit` is for up to 8 bits in one byte; write a type such as uint4", at: entry.place)
            }
        }
        field.until = reader.integer(entries["until"], in: -1 << 55...1 << 55).map { Int64($0) }
        if let entry = entries["until"], count == nil {
            reader.note("`until` ends a repetition; add `count`, the maximum", at: entry.place)
        }
        if let entry = entries["plus"], let name = reader.text(entry, what: "an earlier field's name"),
            isKnown([name], what: "before this one", at: entry.valuePlace)
        {
            field.addend = name
        }
        field.min = reader.decimal(entries["min"])
        field.max = reader.decimal(entries["max"])
        field.conditions = conditions(entries["if"], what: "before this one")
        table(entries["table"], of: &field)
        curve(entries["curve"], of: &field)
        if case .group = field.content { return field }
        guard let name = name(entries["name"], isConditional: !field.conditions.isEmpty, at: place, names: &names)
        else {
            return nil
        }
        field.field.name = name
        return field
    }

    /// A scale that layouts don't have: a fraction, or that of a float.
    private struct Fraction {
        var upper, lower, offset: DecimalNumber
        var place: ConfigurationLocation
    }

    /// Takes a scale such as `100/255`, and its offset, out of a field's keys.
    private mutating func fraction(_ entries: inout [String: YAMLEntry]) -> Fraction? {
        let isFloat = ["float32", "float64"].contains(entries["type"]?.node.string)
        guard let entry = entries["scale"], let text = entry.node.string, isFloat || text.contains("/") else {
            return nil
        }
        entries["scale"] = nil
        let offset = reader.decimal(entries["offset"]) ?? .zero
        entries["offset"] = nil
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let upper = DecimalNumber(String(parts[0])),
            let lower = parts.count == 1 ? .one : DecimalNumber(String(parts[1])), lower.digits != 0, upper.digits != 0
        else {
            reader.note(
                "`scale` is \(Quoted.text(text)); write a number such as 0.01, or a fraction such as 100/255",
                at: entry.valuePlace)
            return nil
        }
        return Fraction(upper: upper, lower: lower, offset: offset, place: entry.place)
    }

    /// Gives a field a scale that layouts don't have.
    private mutating func apply(_ fraction: Fraction?, to field: inout RecipeField) {
        guard let fraction else { return }
        guard field.field.type.isInteger || field.field.type.isFloat, field.content == .value else {
            return reader.note("only numbers have a `scale`; remove it", at: fraction.place)
        }
        field.field.scale = DecimalNumber.scale(fraction.upper, offset: .zero) ?? Scale()
        (field.divisor, field.offset) = (fraction.lower, fraction.offset)
    }

    /// Reads what a field is, without its name.
    private mutating func content(
        _ entries: [String: YAMLEntry], endian: Endian, at place: ConfigurationLocation, names: inout Set<String>
    ) -> RecipeField? {
        if let group = entries["fields"] {
            for key in Self.fieldKeys where !["fields", "count", "at", "if"].contains(key) && entries[key] != nil {
                reader.note("a group of fields has no `\(key)`; remove it", at: entries[key]?.place ?? place)
            }
            if entries["count"] == nil { reader.note("a group of fields needs a `count`; add one", at: place) }
            var field = RecipeField(Field(name: "group", type: .unsigned(bits: 8)))
            let nodes = reader.list(group, what: "fields").prefix(Self.maxFields)
            field.content = .group(nodes.compactMap { self.field($0, endian: endian, names: &names) })
            return field
        }
        if entries["after"] != nil || entries["bit"] != nil && entries["type"] == nil {
            for key in ["type", "scale", "offset", "special", "table"] where entries[key] != nil {
                reader.note("this field has no `\(key)`; remove it", at: entries[key]?.place ?? place)
            }
            var field = RecipeField(Field(name: "", type: .unsigned(bits: 8)))
            field.content = .bit
            if let after = entries["after"], after.node.string != "" {
                field.content = .text(after: reader.text(after, what: "the text in front of the number") ?? "")
            } else if entries["after"] != nil {
                field.content = .text(after: "")
            }
            field.field.unit = reader.text(entries["unit"], what: "a unit's symbol such as °C")
            return field
        }
        guard entries["type"] != nil else {
            reader.note("a field needs a `type`, `bit`, `after`, `fields` or `skip`; add one", at: place)
            return nil
        }
        var common = LayoutFields(endian: endian, reader: reader)
        let field = common.value(entries, at: place)
        reader = common.reader
        if let field, field.repeats {
            reader.note("`[]` has no meaning in a recipe; write `count`", at: entries["type"]?.valuePlace ?? place)
        }
        return field.map { RecipeField($0) }
    }

    private mutating func name(
        _ entry: YAMLEntry?, isConditional: Bool, at place: ConfigurationLocation, names: inout Set<String>
    ) -> String? {
        guard let entry else {
            reader.note("a field needs a `name`, or `skip`; add one", at: place)
            return nil
        }
        guard let text = reader.text(entry, what: "a field's name such as temperature") else { return nil }
        let isHidden = text.hasPrefix("_")
        let plain = text.replacing("#", with: "1").drop { $0 == "_" }
        if text == "size" {
            reader.note("`size` is the length of the answer; choose another name", at: entry.valuePlace)
            return nil
        }
        guard LayoutFields.isWord(String(plain)) else {
            reader.note(
                "\(Quoted.text(text)) isn't a field name; write a-z, 0-9 and _, a letter first", at: entry.valuePlace)
            return nil
        }
        if text.contains("#") != isRepeated, !isHidden || !isRepeated {
            reader.note(
                isRepeated
                    ? "a repeated field needs a `#` in its name, for the number: `\(text)_#`"
                    : "a `#` in a name stands for a number; add `count`, or remove it", at: entry.valuePlace)
        }
        let isTwin = isHidden ? names.contains(text) : published[text] != nil
        if isTwin, !isConditional || published[text] == false {
            reader.note("the field `\(text)` occurs twice; rename one, or give both an `if`", at: entry.valuePlace)
        }
        names.insert(text)
        known.insert(text)
        if !isHidden { published[text] = isConditional }
        return text
    }

    private mutating func table(_ entry: YAMLEntry?, of field: inout RecipeField) {
        guard let entry else { return }
        guard case .mapping(let mapping) = entry.node, field.field.type.isInteger, field.content == .value else {
            return reader.note("`table`: only integers have one, written as {0: off, 1: on}", at: entry.place)
        }
        for (key, value) in mapping {
            guard let number = key.string, let raw = field.field.raw(number[...]) else {
                reader.note(
                    "\(Quoted.text(key.string ?? "")) isn't a number; write one such as 0x80 or -1",
                    at: reader.place(of: key))
                continue
            }
            guard let text = reader.text(value, of: "table", what: "a value") else { continue }
            let isPlain = value.scalar?.style == .plain
            let measured: MeasuredValue =
                isPlain
                ? Int64(text).map { .integer($0) } ?? DecimalNumber(text).map { .number($0.nearest) } ?? .text(text)
                : .text(text)
            field.table.append(RecipeField.TableRow(raw: raw, value: measured))
        }
    }

    private mutating func curve(_ entry: YAMLEntry?, of field: inout RecipeField) {
        guard let entry else { return }
        for node in reader.list(entry, what: "points such as [2.1, 0]") {
            let numbers = (node.sequence.map { Array($0) } ?? []).compactMap { $0.string.flatMap { DecimalNumber($0) } }
            guard numbers.count == 2, node.sequence?.count == 2 else {
                reader.note("a point of a curve is two numbers, such as [2.1, 0]", at: reader.place(of: node))
                continue
            }
            let point = RecipeField.CurvePoint(number: numbers[0].nearest, value: numbers[1].nearest)
            if let last = field.curve.last, last.number >= point.number {
                reader.note("the numbers of a curve must rise; sort its points", at: reader.place(of: node))
            }
            field.curve.append(point)
        }
        if field.curve.count == 1 { reader.note("a curve needs two points or more; add one", at: entry.place) }
    }

    // MARK: Numbers and conditions

    private mutating func number(_ entry: YAMLEntry?, what: String) -> RecipeNumber? {
        guard let entry, let text = reader.text(entry, what: "a number, or one of fields such as 34 + 2*_cells") else {
            return nil
        }
        guard let number = RecipeNumber(text) else {
            reader.note(
                "`\(entry.key)` is \(Quoted.text(text)); write a number up to 65535, or one of fields such as 34 + 2*_cells",
                at: entry.valuePlace)
            return nil
        }
        return isKnown(number.fields, what: what, at: entry.valuePlace) ? number : nil
    }

    private mutating func isKnown(_ fields: [String], what: String, at place: ConfigurationLocation) -> Bool {
        guard let unknown = fields.first(where: { !known.contains($0) }) else { return true }
        let meant = Spelling.closest(to: unknown, among: known.sorted())
        reader.note(
            "no field \(what) is called \(Quoted.text(unknown)); \(meant.map { "did you mean `\($0)`?" } ?? "name one")",
            at: place)
        return false
    }

    private mutating func conditions(_ entry: YAMLEntry?, what: String) -> [RecipeCondition] {
        guard let entry else { return [] }
        let nodes = entry.node.sequence.map { Array($0) } ?? [entry.node]
        return nodes.compactMap { condition($0, what: what) }
    }

    private mutating func condition(_ node: Node, what: String) -> RecipeCondition? {
        let keys = ["field", "bit", "is", "is_not", "at_least", "below", "has", "lacks"]
        guard let entries = reader.mapping(node, what: "a condition", keys: keys) else { return nil }
        let place = reader.place(of: node)
        for key in ["has", "lacks"] where entries[key] != nil {
            return characteristic(entries[key]).map { .has($0, key == "has") }
        }
        guard let entry = entries["field"], let text = reader.text(entry, what: "an earlier field's name") else {
            if entries["field"] == nil {
                reader.note("a condition needs a `field`, `has` or `lacks`; add one", at: place)
            }
            return nil
        }
        guard let test = test(entries, at: place) else { return nil }
        if known.contains(text) { return .field(text, test) }
        guard let number = RecipeNumber(text) else {
            _ = isKnown([text], what: what, at: entry.valuePlace)
            return nil
        }
        return isKnown(number.fields, what: what, at: entry.valuePlace) ? .number(number, test) : nil
    }

    private mutating func test(_ entries: [String: YAMLEntry], at place: ConfigurationLocation) -> RecipeCondition.Test?
    {
        if let bit = entries["bit"] {
            let value = reader.integer(entries["is"], in: 0...1) ?? 1
            return reader.integer(bit, in: 0...55).map { .bit($0, isSet: value == 1) }
        }
        if let text = reader.text(entries["is"], what: "a value") { return .equals(text) }
        if let text = reader.text(entries["is_not"], what: "a value") { return .differs(text) }
        if let text = reader.text(entries["at_least"], what: "a value") { return .atLeast(text) }
        if let text = reader.text(entries["below"], what: "a value") { return .below(text) }
        if entries["is"] ?? entries["is_not"] ?? entries["at_least"] ?? entries["below"] == nil {
            reader.note("a condition needs `is`, `is_not`, `bit`, `at_least` or `below`; add one", at: place)
        }
        return nil
    }

    // MARK: Tests

    /// Runs a test's conversation, and notes unexpected values. The first that succeeds is the recipe's example.
    private mutating func test(_ recipe: inout Recipe, on node: Node) {
        let keys = ["answers", "expect", "error", "writes", "without"]
        guard let entries = reader.mapping(node, what: "a test", keys: keys) else { return }
        reader.recipeTests += 1
        let place = reader.place(of: node)
        if entries["answers"] == nil { reader.note("a test needs `answers`, the bytes of each; add them", at: place) }
        let problems = reader.problems.count
        let answers = bytes(entries["answers"])
        let missing = reader.list(entries["without"], what: "characteristics").compactMap { node in
            characteristic(YAMLEntry(key: "without", place: reader.place(of: node), node: node))
        }
        guard reader.problems.count == problems else { return }
        let trial = RecipeTrial(recipe, answers: answers, missing: Set(missing))
        if let failure = trial.outcome.failure {
            guard let error = reader.text(entries["error"], what: "a part of the error's sentence") else {
                let advice = lengthAdvice(recipe, answers: answers, missing: Set(missing)) ?? "check both"
                return reader.note("the conversation of this test fails: \(failure.message); \(advice)", at: place)
            }
            guard failure.message.contains(error) else {
                return reader.note(
                    "the conversation of this test fails in another way: \(failure.message)",
                    at: entries["error"]?.valuePlace ?? place)
            }
        } else if let error = entries["error"] {
            return reader.note("this test expects an error, but the conversation succeeds", at: error.place)
        } else if trial.unused > 0 {
            reader.note("the conversation of this test doesn't ask for all answers; check both", at: place)
        } else if recipe.example.isEmpty, missing.isEmpty {
            recipe.example = answers
        }
        if let expected = entries["expect"] { compare(trial.outcome, with: expected) }
        if let entry = entries["writes"] {
            let wanted = bytes(entry).compactMap { $0 }
            if wanted != trial.writes {
                let texts = trial.writes.map { String(hex: $0) }.joined(separator: ", ")
                reader.note("the conversation of this test writes [\(texts)]; check both", at: entry.valuePlace)
            }
        }
    }

    /// Returns advice for a test that fails because its frames end at a wrong byte: with another `add` of their length, a
    /// check proves its answers. `nil` when none helps.
    private func lengthAdvice(
        _ recipe: Recipe, answers: [[UInt8]?], missing: Set<RecipeCharacteristic>
    ) -> String? {
        let frames = recipe.allSteps.compactMap(\.answer?.frame).filter { $0.length.add != nil }
        let adds = Set(frames.compactMap(\.length.add))
        guard let add = adds.first, adds.count == 1, frames.allSatisfy({ !$0.checks.isEmpty }) else { return nil }
        let other = (add - 8...add + 8).first { other in
            var recipe = recipe
            for index in recipe.steps.indices { recipe.steps[index].setLength(add: other) }
            return RecipeTrial(recipe, answers: answers, missing: missing).outcome.failure == nil
        }
        return other.map { "with `add: \($0)` in the frame's `length`, it succeeds" }
    }

    /// Reads bytes as hex digits, or `none`.
    private mutating func bytes(_ entry: YAMLEntry?) -> [[UInt8]?] {
        guard let entry else { return [] }
        return reader.list(entry, what: "bytes").map { node in
            guard let text = reader.text(node, of: entry.key, what: "bytes as hex digits") else { return nil }
            if text == "none" { return nil }
            if let bytes = [UInt8](hex: text.filter { $0 != " " }) { return bytes }
            reader.note(
                "\(Quoted.text(text)) isn't bytes; write two hex digits a byte, or `none`", at: reader.place(of: node))
            return nil
        }
    }

    private mutating func compare(_ outcome: Conversation.Outcome, with entry: YAMLEntry) {
        let measurements = outcome.answers.flatMap(\.measurements)
        guard !measurements.isEmpty else {
            return reader.note("the answers of this test have no values; check both", at: entry.place)
        }
        let names = measurements.map(\.field)
        guard let expected = reader.mapping(entry.node, what: "what a test expects", keys: names) else { return }
        for (name, cell) in expected.sorted(by: { $0.value.place.precedes($1.value.place) }) {
            guard let measurement = measurements.first(where: { $0.field == name }) else { continue }
            if LayoutParser.isSame(measurement, as: cell.node) { continue }
            if measurement.value == nil, measurement.state == cell.node.string { continue }
            reader.note(
                "the answers of this test say that `\(name)` is \(LayoutParser.text(measurement)); check both",
                at: cell.valuePlace)
        }
    }
}

extension FrameRule.Length {
    fileprivate var add: Int? {
        get { if case .field(_, _, _, let add) = self { add } else { nil } }
        set {
            guard case .field(let at, let bits, let endian, _) = self, let newValue else { return }
            self = .field(at: at, bits: bits, endian: endian, add: newValue)
        }
    }
}

extension Recipe.Step {
    /// Changes what is added to the lengths that its answers state.
    fileprivate mutating func setLength(add: Int) {
        answer?.frame.length.add = add
        guard case .loop(let count, let first, var steps) = action else { return }
        for index in steps.indices { steps[index].setLength(add: add) }
        action = .loop(count, first: first, steps)
    }
}

extension Form<String> {
    /// The name of a recipe.
    static var recipeName: Form {
        .text(
            "a recipe's name", bounds: "a recipe's name",
            parse: { text in
                let isGood = text.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                        UInt8(ascii: "-"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
                return isGood && 1...32 ~= text.utf8.count ? text : nil
            },
            else: {
                "\($1) isn't a recipe's name; write 1 to 32 lower-case letters, digits, `-` and `_`, such as miflora"
            },
            show: { .text($0) })
    }
}
