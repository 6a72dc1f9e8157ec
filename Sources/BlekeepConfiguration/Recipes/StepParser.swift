import BlekeepRecords
import Yams

/// Reads the steps of a recipe: what each does, and what its answer means.
struct StepParser {
    /// The byte order of the recipe's numbers.
    private let endian: Endian
    /// The frame of the recipe's answers, which each step reads again with its own byte order.
    private let frame: YAMLEntry?
    /// Whether the steps are inside of a loop.
    private let isRepeated: Bool
    private var step = Recipe.Step(.pause(.zero))
    private var answer = Recipe.Answer()

    private static let maxSteps = 64

    /// What a step can do, and the further keys of that. What also awaits an answer is in front of `await`.
    private static let verbs: [(name: String, keys: Set<String>)] = [
        ("read", []), ("write", ["bytes", "response", "await"]), ("subscribe", []), ("pause", []),
        ("repeat", ["from", "steps"]), ("await", []),
    ]
    private static let verbKeys = verbs.map(\.name) + ["bytes", "response", "from", "steps"]

    private static let keys: [PartKey<Self>] = [
        PartKey("if") { $2.step.conditions = $1.conditions($0.node, what: "before this step") },
        PartKey("optional") { $2.step.isOptional = $1.flag($0) ?? false },
        PartKey("within") { entry, reader, parser in
            parser.step.within = reader.duration(entry, in: .milliseconds(100) ... .seconds(60)) ?? parser.step.within
        },
    ]

    /// The keys about an answer. `refuse` is last, because it may name the answer's fields.
    private static let answerKeys: [PartKey<Self>] = [
        PartKey("endian") { $2.answer.endian = $1.word($0, "an endian") ?? $2.endian },
        PartKey("frame") { $2.answer.frame = FrameParser.rule($0, endian: $2.answer.endian, in: &$1) },
        PartKey("start") { $2.answer.start = $1.pieces($0, endian: $2.endian, isRequest: false) },
        PartKey("fields") { entry, reader, parser in
            parser.answer.fields = FieldParser.fields(
                entry, endian: parser.answer.endian, isRepeated: parser.isRepeated, in: &reader)
        },
        PartKey("empty") { entry, reader, parser in
            for node in reader.list(entry, what: "bytes") {
                parser.answer.empty.append(reader.bytes(reader.item(node, of: entry.key)))
            }
        },
        PartKey("refuse") { entry, reader, parser in
            for node in reader.list(entry, what: "conditions") {
                let all = reader.conditions(node, what: "in this answer or before it")
                if !all.isEmpty { parser.answer.refusals.append(all) }
            }
        },
    ]

    static func steps(
        _ entry: YAMLEntry?, endian: Endian, frame: YAMLEntry?, isRepeated: Bool = false, in reader: inout YAMLReader
    ) -> [Recipe.Step] {
        let nodes = reader.list(entry, what: "steps")
        if nodes.count > maxSteps, let entry {
            reader.note("a recipe has at most \(maxSteps) steps; write fewer", at: entry.valuePlace)
        }
        return nodes.prefix(maxSteps).compactMap { node in
            var parser = StepParser(endian: endian, frame: frame, isRepeated: isRepeated)
            return parser.read(node, in: &reader)
        }
    }

    private mutating func read(_ node: Node, in reader: inout YAMLReader) -> Recipe.Step? {
        let place = reader.place(of: node)
        let names = Self.verbKeys + (Self.answerKeys + Self.keys).map(\.name)
        guard let entries = reader.mapping(node, what: "a step", keys: names),
            let action = action(entries, at: place, in: &reader)
        else { return nil }
        step.action = action
        answer.endian = endian
        let hasAnswer = entries["read"] != nil || entries["await"] != nil
        // A value that is read is whole.
        if let frame, entries["await"] != nil, entries["frame"] == nil {
            let own: Endian? = entries["endian"]?.node.string.flatMap { Endian(rawValue: $0) }
            answer.frame = FrameParser.rule(frame, endian: own ?? endian, in: &reader)
        }
        reader.fields.beginAnswer()
        for key in Self.keys + Self.answerKeys {
            guard let entry = entries[key.name] else { continue }
            if hasAnswer || Self.keys.contains(where: { $0.name == key.name }) {
                key.read(entry, &reader, &self)
            } else {
                reader.note("`\(key.name)` is about an answer; add `read` or `await`, or remove it", at: entry.place)
            }
        }
        if hasAnswer { step.answer = answer }
        return step
    }

    private func action(
        _ entries: [String: YAMLEntry], at place: ConfigurationLocation, in reader: inout YAMLReader
    ) -> Recipe.Step.Action? {
        let verbs = Self.verbs.filter { entries[$0.name] != nil }
        guard let verb = verbs.first else {
            reader.note("a step needs `read`, `write`, `await`, `subscribe`, `pause` or `repeat`; add one", at: place)
            return nil
        }
        if let other = verbs.dropFirst().first, other.name != "await", let entry = entries[other.name] {
            reader.note("`\(other.name)` is a step of its own; put it on a line that starts with `- `", at: entry.place)
            return nil
        }
        for key in Self.verbKeys where key != verb.name && !verb.keys.contains(key) {
            guard let entry = entries[key] else { continue }
            reader.note("`\(key)` doesn't belong to `\(verb.name)`; remove it", at: entry.place)
        }
        switch verb.name {
        case "read": return reader.characteristic(entries["read"]).map { .read($0) }
        case "await": return reader.characteristic(entries["await"]).map { .await($0) }
        case "subscribe": return reader.characteristic(entries["subscribe"]).map { .subscribe($0) }
        case "pause":
            return reader.duration(entries["pause"], in: .milliseconds(10) ... .seconds(60)).map { .pause($0) }
        case "repeat": return loop(entries, at: place, in: &reader)
        default:
            guard let write = reader.write(entries, endian: endian, at: place) else { return nil }
            guard entries["await"] != nil else { return .write(write) }
            return reader.characteristic(entries["await"]).map { .ask(write, $0) }
        }
    }

    private func loop(
        _ entries: [String: YAMLEntry], at place: ConfigurationLocation, in reader: inout YAMLReader
    ) -> Recipe.Step.Action? {
        if isRepeated { reader.note("a `repeat` can't be inside of another one", at: place) }
        guard let count = reader.number(entries["repeat"], what: "before this step") else { return nil }
        let first = reader.integer(entries["from"], in: 0...65_535) ?? 0
        if entries["steps"] == nil { reader.note("`repeat` needs `steps`; add them", at: place) }
        let inner = isRepeated ? nil : entries["steps"]
        return .loop(
            count, first: first, Self.steps(inner, endian: endian, frame: frame, isRepeated: true, in: &reader))
    }
}

// MARK: Writes and bytes

extension YAMLReader {
    /// - Parameter endian: the byte order of computed numbers.
    mutating func write(
        _ entries: [String: YAMLEntry], endian: Endian, at place: ConfigurationLocation
    ) -> Recipe.Write? {
        guard let target = entries["write"], let bytes = entries["bytes"] else {
            note("a write needs `write`, a characteristic, and `bytes`; add both", at: place)
            return nil
        }
        let pieces = pieces(bytes, endian: endian, isRequest: true)
        let withResponse = flag(entries["response"])
        return characteristic(target).map { Recipe.Write($0, pieces, withResponse: withResponse) }
    }

    /// Reads `fff1`, or `fff0/fff1` for a characteristic of one service.
    mutating func characteristic(_ entry: YAMLEntry?) -> RecipeCharacteristic? {
        let names = names
        return value(
            entry, what: "a characteristic such as fff1 or fff0/fff1",
            { text in
                let parts = text.split(separator: "/", omittingEmptySubsequences: false)
                let uuids = parts.compactMap { BluetoothUUID($0) ?? names.find(String($0)) }
                guard parts.count <= 2, uuids.count == parts.count, let uuid = uuids.last else { return nil }
                return RecipeCharacteristic(uuid, in: uuids.count == 2 ? uuids[0] : nil)
            }, else: { "\($0) isn't a characteristic; write a UUID such as fff1, or fff0/fff1 with its service" })
    }

    /// Reads bytes as hex digits; none after noting a mistake.
    mutating func bytes(_ entry: YAMLEntry) -> [UInt8] { bytes(entry, isPattern: false).compactMap { $0 } }

    /// Reads bytes as hex digits, with `..` for any byte in a pattern; none after noting a mistake.
    mutating func bytes(_ entry: YAMLEntry, isPattern: Bool) -> [UInt8?] {
        value(
            entry, what: "bytes as hex digits",
            { text in
                let digits = Array(text.utf8.filter { $0 != UInt8(ascii: " ") })
                let pairs = stride(from: 0, to: digits.count, by: 2).map { digits[$0..<min($0 + 2, digits.count)] }
                let bytes = pairs.map { [UInt8](hex: String(decoding: $0, as: UTF8.self))?.first }
                let isGood = zip(pairs, bytes).allSatisfy { $1 != nil || isPattern && $0.elementsEqual("..".utf8) }
                return isGood && !bytes.isEmpty ? bytes : nil
            }, else: { "\($0) isn't bytes; write two hex digits a byte\(isPattern ? ", or .. for any byte" : "")" })
            ?? []
    }

    /// Reads hex digits, or a list of hex digits and computed bytes.
    ///
    /// - Parameter isRequest: whether each byte must be known.
    mutating func pieces(_ entry: YAMLEntry, endian: Endian, isRequest: Bool) -> [Recipe.Piece] {
        var pieces: [Recipe.Piece] = []
        for node in entry.node.items {
            if case .mapping = node {
                if let piece = computed(node, endian: endian) { pieces.append(piece) }
                continue
            }
            pieces += bytes(item(node, of: entry.key), isPattern: !isRequest).map { $0.map { .bytes([$0]) } ?? .any }
        }
        if pieces.count > 512 { note("`\(entry.key)` is longer than 512 bytes; write less", at: entry.valuePlace) }
        return pieces
    }

    private mutating func computed(_ node: Node, endian: Endian) -> Recipe.Piece? {
        let numbers = Recipe.Piece.Number.allCases.map(\.rawValue)
        let mains = ["check", "nonce", "secret"] + numbers
        guard let entries = mapping(node, what: "a computed byte", keys: mains + ["from", "endian", "add"]) else {
            return nil
        }
        let given = mains.compactMap { entries[$0] }
        guard let main = given.first, given.count == 1 else {
            note(
                "computed bytes need one of `check`, `nonce`, `secret` and \(numbers.map { "`\($0)`" }.joined(separator: ", "))",
                at: place(of: node))
            return nil
        }
        let own: Endian? = word(entries["endian"], "an endian")
        switch main.key {
        case "check":
            guard let check: Checksum = word(main, "a check") else { return nil }
            return .check(check, from: integer(entries["from"], in: 0...511) ?? 0, endian: own ?? check.usualEndian)
        case "nonce": return integer(main, in: 1...Recipe.Piece.maxNonce).map { .nonce($0) }
        case "secret":
            return value(
                main, what: "text", { $0 == "text" ? .secret : nil },
                else: { "`secret` is \($0); write `secret: text`" })
        default:
            guard let number = Recipe.Piece.Number(rawValue: main.key), let bits = wholeBytes(main) else { return nil }
            return .number(
                number, bits: bits, endian: own ?? endian, add: integer(entries["add"], in: -65_535...65_535) ?? 0)
        }
    }

    /// Reads an unsigned type of whole bytes, up to `uint32`.
    mutating func wholeBytes(_ entry: YAMLEntry?) -> Int? {
        value(
            entry, what: "a type such as uint8",
            { text in
                guard case .unsigned(let bits)? = FieldType(text[...]), bits % 8 == 0, bits <= 32 else { return nil }
                return bits
            }, else: { "\($0) isn't a type here; write uint8, uint16, uint24 or uint32" })
    }
}

extension Node {
    /// The items of a list; any other node stands for a list of itself.
    var items: [Node] { sequence.map { Array($0) } ?? [self] }
}
