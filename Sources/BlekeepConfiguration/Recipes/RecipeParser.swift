import BlekeepRecords
import Yams

/// Reads a recipe: its steps, and its tests.
struct RecipeParser {
    private var recipe = Recipe(name: "", title: "")
    private var endian = Endian.little
    private var frame: YAMLEntry?

    /// The steps come after what they depend on.
    private static let keys: [PartKey<Self>] = [
        PartKey("name") { entry, reader, parser in
            parser.recipe.name = Form<String>.recipeName.read(entry, &reader) ?? ""
            parser.recipe.title = parser.recipe.name
        },
        PartKey("title") { $2.recipe.title = $1.text($0, what: "a name for users") ?? "" },
        PartKey("about") { $2.recipe.about = $1.text($0, what: "a sentence about the devices") ?? "" },
        PartKey("source") { $2.recipe.facts = $1.text($0, what: "where its facts come from") },
        PartKey("limits") { $2.recipe.limits = $1.text($0, what: "what is unsure or isn't read") },
        PartKey("tried") { $2.recipe.tried = $1.text($0, what: "who tried it on hardware") },
        PartKey("recognize") { entry, reader, parser in
            for node in reader.list(entry, what: "what a device advertises") {
                parser.recipe.recognition += recognition(node, in: &reader)
            }
        },
        PartKey("never") { entry, reader, parser in
            for node in reader.list(entry, what: "devices that must not be connected") {
                parser.recipe.never += recognition(node, in: &reader)
            }
        },
        PartKey("endian") { $2.endian = $1.word($0, "an endian") ?? .little },
        PartKey("frame") { entry, reader, parser in
            let problems = reader.problems.count
            _ = FrameParser.rule(entry, endian: parser.endian, in: &reader)
            // Each step reads it again, with its own byte order. Its mistakes are noted once.
            if reader.problems.count == problems { parser.frame = entry }
        },
        PartKey("steps") { entry, reader, parser in
            parser.recipe.steps = StepParser.steps(entry, endian: parser.endian, frame: parser.frame, in: &reader)
        },
        PartKey("last") { entry, reader, parser in
            for node in reader.list(entry, what: "writes") {
                let keys = ["write", "bytes", "response"]
                guard let entries = reader.mapping(node, what: "a last write", keys: keys),
                    let write = reader.write(entries, endian: parser.endian, at: reader.place(of: node))
                else { continue }
                parser.recipe.last.append(write)
            }
        },
        PartKey("clears") { entry, reader, parser in
            for node in reader.list(entry, what: "bytes") {
                parser.recipe.clears.append(reader.bytes(reader.item(node, of: entry.key), isPattern: true))
            }
        },
        PartKey("log") { $2.recipe.log = LogParser.log($0, in: &$1) },
        PartKey("timeout") { entry, reader, parser in
            let timeout = reader.duration(entry, in: .seconds(1) ... .seconds(300))
            parser.recipe.timeout = timeout ?? parser.recipe.timeout
        },
        PartKey("tries") { $2.recipe.tries = $1.integer($0, in: 1...5) ?? 1 },
        PartKey("min_interval") { $2.recipe.minInterval = $1.duration($0, in: PollConfiguration.intervals) },
        PartKey("connection") { $2.recipe.connection = $1.word($0, "a rule for connections") ?? .any },
        PartKey("bond") { $2.recipe.needsBond = $1.flag($0) ?? false },
        PartKey("advertises") { $2.recipe.advertises = $1.flag($0) ?? false },
        PartKey("tests"),
    ]

    /// Returns the recipe and the place of its name; `nil` after noting mistakes.
    static func recipe(_ node: Node, in reader: inout YAMLReader) -> (Recipe, ConfigurationLocation)? {
        let problems = reader.problems.count
        let place = reader.place(of: node)
        reader.fields = FieldNames(isRecipe: true)
        var parser = RecipeParser()
        guard let entries = reader.part(node, what: "a recipe", keys: keys, into: &parser) else { return nil }
        if entries["name"] == nil {
            reader.note("a recipe needs a `name`; add one, such as `name: soil-probe`", at: place)
        }
        if entries["steps"].map({ $0.node.sequence?.isEmpty == true }) ?? (entries["log"] == nil) {
            reader.note("a recipe needs `steps`; add them, such as `steps: [{read: 2a6e}]`", at: place)
        }
        parser.checkWrites(at: place, in: &reader)
        parser.recipe.isOwn = true
        parser.recipe.source = reader.source(node)
        if reader.problems.count == problems {
            for test in reader.list(entries["tests"], what: "tests") { parser.test(test, in: &reader) }
        }
        guard reader.problems.count == problems else {
            if let name = entries["name"]?.node.string { reader.flawedRecipes.insert(name) }
            return nil
        }
        return (parser.recipe, entries["name"]?.valuePlace ?? place)
    }

    /// Refuses what must never be sent, and what only a log's request has.
    private func checkWrites(at place: ConfigurationLocation, in reader: inout YAMLReader) {
        let request = recipe.log?.request
        for write in recipe.writes {
            if recipe.mayClear(write.bytes) {
                reader.note(
                    "`clears` forbids a request that starts with \(write.bytes.summary); change the request", at: place)
            }
            for number in [Recipe.Piece.Number.since, .back] where write != request {
                let isThere = write.bytes.contains { if case .number(number, _, _, _) = $0 { true } else { false } }
                if isThere { reader.note("`\(number)` belongs to the request of a `log`; remove it", at: place) }
            }
        }
    }

    // MARK: Recognition

    /// Reads what a device advertises. A list of names or addresses stands for any of them.
    private static func recognition(_ node: Node, in reader: inout YAMLReader) -> [Recipe.Recognition] {
        let keys = ["name", "service", "company", "address", "model", "firmware"]
        guard let entries = reader.mapping(node, what: "a recognition", keys: keys) else { return [] }
        var common = Recipe.Recognition()
        common.service = entries["service"].flatMap { Form<BluetoothUUID>.service.read($0, &reader) }
        common.model = reader.text(entries["model"], what: "the text of characteristic 2a24")
        common.firmware = reader.text(entries["firmware"], what: "the text of characteristic 2a26")
        common.company = reader.value(
            entries["company"], what: "a company's number such as 0x0334",
            { $0.hasPrefix("0x") ? UInt16($0.dropFirst(2), radix: 16) : UInt16($0) },
            else: { "\($0) isn't a company's number; write one such as 0x0334" })
        func texts(_ key: String, what: String) -> [String?] {
            guard let entry = entries[key] else { return [nil] }
            return entry.node.items.compactMap { reader.text($0, of: key, what: what) }
        }
        let names = texts("name", what: "a name, perhaps with * and ?")
        let addresses = texts("address", what: "the beginning of an address such as A4:C1:38")
        let all = names.flatMap { name in
            addresses.map { address in
                var recognition = common
                (recognition.name, recognition.address) = (name, address)
                return recognition
            }
        }
        if !(all.first?.isAdvertised ?? false) {
            reader.note(
                "a recognition needs a `name`, a `service`, a `company` or an `address`; add one",
                at: reader.place(of: node))
        }
        return all
    }

    // MARK: Tests

    /// Runs a test's conversation, and notes unexpected values. The first that succeeds is the recipe's example.
    private mutating func test(_ node: Node, in reader: inout YAMLReader) {
        let keys = ["answers", "expect", "error", "writes", "without"]
        guard let entries = reader.mapping(node, what: "a test", keys: keys) else { return }
        reader.recipeTests += 1
        let place = reader.place(of: node)
        if entries["answers"] == nil { reader.note("a test needs `answers`, the bytes of each; add them", at: place) }
        let problems = reader.problems.count
        let answers = Self.answers(entries["answers"], in: &reader)
        let missing = reader.list(entries["without"], what: "characteristics").compactMap {
            reader.characteristic(reader.item($0, of: "without"))
        }
        guard reader.problems.count == problems else { return }
        let trial = RecipeTrial(recipe, answers: answers, missing: Set(missing))
        if let failure = trial.outcome.failure {
            guard let error = reader.text(entries["error"], what: "a part of the error's sentence") else {
                let advice = lengthAdvice(answers: answers, missing: Set(missing)) ?? "check both"
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
        if let expected = entries["expect"] {
            reader.compare(trial.outcome.answers.flatMap(\.measurements), with: expected, of: "the answers")
        }
        if let entry = entries["writes"] {
            let wanted = Self.answers(entry, in: &reader).compactMap { $0 }
            if wanted != trial.writes {
                let texts = trial.writes.map { String(hex: $0) }.joined(separator: ", ")
                reader.note("the conversation of this test writes [\(texts)]; check both", at: entry.valuePlace)
            }
        }
    }

    /// Returns advice for a test that fails because its frames end at a wrong byte: with another `add` of their length, a
    /// check proves its answers. `nil` when none helps.
    private func lengthAdvice(answers: [[UInt8]?], missing: Set<RecipeCharacteristic>) -> String? {
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
    private static func answers(_ entry: YAMLEntry?, in reader: inout YAMLReader) -> [[UInt8]?] {
        guard let entry else { return [] }
        return reader.list(entry, what: "bytes").map { node in
            if node.string == "none" { return nil }
            return reader.value(
                reader.item(node, of: entry.key), what: "bytes as hex digits",
                { [UInt8](hex: $0.filter { $0 != " " }) },
                else: { "\($0) isn't bytes; write two hex digits a byte, or `none`" })
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
    static var recipeName: Form {
        .text(
            "a recipe's name", bounds: "a recipe's name",
            parse: { $0.isWord(max: 32, others: "-") ? $0 : nil },
            else: {
                "\($1) isn't a recipe's name; write 1 to 32 lower-case letters, digits, `-` and `_`, such as miflora"
            },
            show: { .text($0) })
    }
}
