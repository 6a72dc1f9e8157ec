import BlekeepRecords
import BusBench
import Foundation
import Testing

@testable import BlekeepConfiguration

@Suite struct RecipeTests {
    // MARK: The catalogue

    @Test func theCatalogueHasNoMistakesAndEachRecipeHasTests() throws {
        #expect(RecipeCatalogue.names == RecipeCatalogue.names.sorted() && RecipeCatalogue.names.count >= 40)
        for (name, text) in RecipeCatalogue.sources {
            let parsed = RecipeCatalogue.parsed(text)
            #expect(parsed.problems.map(\.message) == [], "\(name)")
            let recipe = try #require(parsed.recipes.first)
            #expect(recipe.name == name && !recipe.isOwn && recipe.source == text)
            #expect(parsed.tests > 0 && !recipe.about.isEmpty && !recipe.recognition.isEmpty, "\(name)")
            #expect(recipe.facts != nil && !recipe.example.isEmpty, "\(name)")
            #expect(!recipe.needsSecret, "\(name)")
        }
    }

    @Test func headsRecognizeTheSameDevicesAndBecomeWhole() {
        let heads = RecipeCatalogue.heads
        #expect(heads.map(RecipeCatalogue.whole) == RecipeCatalogue.all)
        for (head, whole) in zip(heads, RecipeCatalogue.all) {
            #expect(head.steps.isEmpty && head.recognition == whole.recognition && head.never == whole.never)
            #expect(head.title == whole.title && head.advertises == whole.advertises)
        }
    }

    @Test func aCopyWithAnotherNameIsARecipeOfTheUser() throws {
        for (name, text) in RecipeCatalogue.sources {
            let copy = text.replacing("- name: \(name)\n", with: "- name: my-copy\n")
            #expect(problems(in: "recipes:\n" + copy) == [])
            let part = ConfigurationPart("recipes:\n" + copy, file: "f", names: names)
            var recipe = try #require(part.configuration.poll.recipes.first)
            #expect(recipe.isOwn)
            // What `config show` prints is the same recipe.
            let shown = ConfigurationPart("recipes:\n" + recipe.source, file: "f", names: names)
            #expect(shown.configuration.poll.recipes == [recipe])
            recipe.source = ""
        }
    }

    @Test func theExamplesOfThePageAreRight() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Blekeep/Blekeep.docc/Recipes.md").standardizedFileURL
        let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```")
        let examples = blocks.compactMap { $0.hasPrefix("yaml\n") ? String($0.dropFirst(5)) : nil }
        #expect(examples.count == 3)
        for example in examples {
            #expect(problems(in: example) == [])
            let part = ConfigurationPart(example, file: "f", names: names)
            #expect(part.recipeTests > 0 && part.configuration.poll.recipes.allSatisfy { !$0.example.isEmpty })
        }
    }

    /// The table of `DevicesWithRecipes.md` is that of the catalogue. To write it again, run
    /// `RECORD_SNAPSHOTS=1 swift test --filter BlekeepConfigurationTests.RecipeTests`.
    @Test func thePageOfDevicesIsThatOfTheCatalogue() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Blekeep/Blekeep.docc/DevicesWithRecipes.md").standardizedFileURL
        let text = try String(contentsOf: page, encoding: .utf8)
        let rows = RecipeCatalogue.all.sorted { $0.title.lowercased() < $1.title.lowercased() }.map(\.row)
        let head = text.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.hasPrefix("|") }
        let titles = ["| device | recognized by | values | how sure |", "|---|---|---|---|"]
        let expected = (head.map(String.init) + titles + rows).joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil {
            try expected.write(to: page, atomically: true, encoding: .utf8)
        }
        #expect(text == expected || ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil)
    }

    @Test func theReadmeCountsWhatThereIs() throws {
        let readme = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../README.md")
        let text = try String(contentsOf: readme.standardizedFileURL, encoding: .utf8)
        for words in [
            "**\(BroadcastFormat.allCases.count) formats of sensors that advertise**",
            "**\(RecipeCatalogue.names.count) recipes for devices that must be asked**",
        ] { #expect(text.contains(words), "\(words)") }
    }

    /// Devices that aiobmsble recognizes, and one that it excludes: a solar controller in the company of batteries.
    @Test(
        arguments: [
            ("@KsM:33390A014CC5    ", "C0:00:00:00:00:01", 0x1234, 0xFF00, "jbd"),
            ("12100", "10:A5:62:00:00:01", 0x1234, 0xFF00, "jbd"), ("12100", "10:A5:63:00:00:01", 0x1234, 0xFF00, nil),
            ("L-12100BNNA60-B00077", "C8:47:80:22:9B:B8", 0x585A, 0xFFE0, "litime"),
            ("BT-ROCC2440", "C8:47:80:22:9B:B8", 0x585A, 0xFFE0, nil),
        ] as [(String, String, UInt16, UInt16, String?)])
    func recognizesBatteriesAsOtherParsersDo(
        name: String, address: String, company: UInt16, service: UInt16, recipe: String?
    ) {
        var traits = Recipe.Traits()
        (traits.name, traits.address) = (name, BluetoothAddress(address))
        (traits.companies, traits.services) = ([company], [BluetoothUUID(service)])
        #expect(RecipeCatalogue.match(traits, in: RecipeCatalogue.heads)?.recipes.map(\.name) == recipe.map { [$0] })
    }

    // MARK: Other parsers

    /// Answers of devices, and what a package of PyPI reads in them.
    private struct Vector: Decodable, Sendable {
        var recipe: String
        var package: String
        var answers: [String]
        var fields: [String: Value?]?
        var tolerance: [String: Double]?

        enum Value: Decodable {
            case flag(Bool)
            case number(Double)
            case text(String)

            init(from decoder: any Swift.Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let flag = try? container.decode(Bool.self) {
                    self = .flag(flag)
                } else if let number = try? container.decode(Double.self) {
                    self = .number(number)
                } else {
                    self = .text(try container.decode(String.self))
                }
            }

            func isSame(_ value: MeasuredValue?, within tolerance: Double) -> Bool {
                switch (self, value) {
                case (.flag(let left), .boolean(let right)?): left == right
                case (.number(let left), .integer(let right)?): abs(left - Double(right)) <= tolerance
                case (.number(let left), .number(let right)?): abs(left - right) <= tolerance
                case (.text(let left), .text(let right)?): left == right
                default: false
                }
            }
        }

        var bytes: [[UInt8]] { answers.compactMap { [UInt8](hex: $0) } }

        static func all() throws -> [Vector] {
            let folder = URL(filePath: #filePath).deletingLastPathComponent()
            let text = try String(contentsOf: folder.appending(path: "Fixtures/recipes.jsonl"), encoding: .utf8)
            return try text.split(separator: "\n").map { try JSONDecoder().decode(Vector.self, from: Data($0.utf8)) }
        }
    }

    @Test func otherParsersReadTheSame() throws {
        let vectors = try Vector.all()
        for name in RecipeCatalogue.names {
            let recipe = try #require(RecipeCatalogue.recipe(named: name))
            let own = vectors.filter { $0.recipe == name }
            #expect(own.count >= 20, "\(name)")
            for vector in own {
                for piece in [1, 7, 20, 512] {
                    let trial = RecipeTrial(recipe, answers: vector.bytes, piece: piece)
                    let measurements = trial.outcome.answers.flatMap(\.measurements)
                    guard let fields = vector.fields else {
                        #expect(trial.outcome.failure?.code == .known(.badAnswer), "\(vector)")
                        continue
                    }
                    #expect(trial.outcome.failure == nil && trial.unused == 0, "\(vector)")
                    for (field, value) in fields {
                        let measurement = measurements.first { $0.field == field }
                        let isSame = value?.isSame(measurement?.value, within: vector.tolerance?[field] ?? 1e-6)
                        #expect(isSame ?? (measurement?.value == nil), "\(field) of \(vector)")
                    }
                }
            }
        }
    }

    @Test func damagedAnswersAreRefused() throws {
        var (cuts, flips) = (0, 0)
        let vectors = try Vector.all().filter { $0.fields != nil }
        for name in RecipeCatalogue.names {
            let recipe = try #require(RecipeCatalogue.recipe(named: name))
            let steps = recipe.steps.compactMap(\.answer)
            let own = vectors.filter { $0.recipe == name }
            let size = own.first?.bytes.reduce(0) { $0 + $1.count } ?? 1
            for vector in own.prefix(TestLength.of(1, atNight: min(5, max(2, 500 / size)))) {
                let whole = RecipeTrial(recipe, answers: vector.bytes).outcome.answers
                let values = whole.flatMap(\.measurements)
                for (index, answer) in vector.bytes.enumerated() {
                    func found(_ damaged: [UInt8]) -> [Conversation.Answer] {
                        var answers = vector.bytes
                        answers[index] = damaged
                        return RecipeTrial(recipe, answers: answers).outcome.answers
                    }
                    // Bytes without a meaning may be missing, and those in front of an answer may be damaged.
                    func isSame(_ found: [Conversation.Answer]) -> Bool {
                        found.allSatisfy { $0.measurements.allSatisfy { values.contains($0) } }
                    }
                    for count in 0..<answer.count {
                        // A Ropot's answer without its last bytes is that of a Mi Flora, and text has no end.
                        guard !(name == "miflora" && count == 16), !["mj-ht-v1", "medcom-inspector"].contains(name)
                        else {
                            continue
                        }
                        #expect(
                            isSame(found(Array(answer.prefix(count)))), "\(name): answer \(index + 1) cut to \(count)")
                        cuts += 1
                    }
                    for place in answer.indices {
                        let bit = (place + vector.answers[0].count + index) % 8
                        var damaged = answer
                        damaged[place] ^= 1 << UInt8(bit)
                        let found = found(damaged)
                        guard !steps[index].frame.checks.isEmpty else { continue }
                        #expect(isSame(found), "\(name): bit \(bit) of byte \(place) of answer \(index + 1)")
                        if found.count < whole.count { flips += 1 }
                    }
                }
            }
        }
        let most = TestLength.of((800, 500), atNight: (4000, 2500))
        #expect(cuts > most.0 && flips > most.1, "\(cuts) cuts, \(flips) flips")
    }

    // MARK: A recipe with everything

    private static let everything = """
        recipes:
          - name: everything
            title: Everything
            about: a device that nobody has
            source: the author's head
            limits: all
            tried: nobody
            advertises: true
            recognize: [{name: [A*, B*], service: fff0}, {company: 4660, model: "1", firmware: "2"}]
            never: [{name: C}]
            endian: big
            timeout: 30s
            tries: 3
            min_interval: 1m
            connection: release
            bond: true
            frame: {start: a5 .., length: {at: 1, type: uint8, add: 3}, check: {kind: crc8}, max: 300}
            steps:
              - subscribe: fff0/fff1
              - write: fff2
                bytes: [a501, {length: uint8, add: -1}, {index: uint16}, {counter: uint8}, {unix_time: uint32, endian: little}, {nonce: 2}, {check: crc8}]
                response: false
                await: fff1
                start: [a5, .., {nonce: 2}]
                within: 2s
                fields:
                  - {name: _cold, at: 4, type: uint1}
                  - {skip: 3 bits}
                  - {name: _probes, type: uint4}
                  - count: _probes
                    fields:
                      - {name: probe_#_temperature, type: sint16, scale: 0.1, unit: °C, special: {0x7fff: unplugged}}
                      - {name: probe_#_alarm, bit: 0}
                refuse: [[{field: _probes, is: 0}, {field: size, below: 20}]]
              - pause: 100ms
              - repeat: _probes
                from: 1
                steps:
                  - write: fff2
                    bytes: [a502, {index: uint8}]
                    if: {field: _probes, at_least: 2}
                  - read: fff3
                    frame: {length: [2]}
                    fields: [{name: limit_#, type: uint16}]
              - await: fff4
                optional: true
                frame: {end: "0a", junk: 41540d0a}
                endian: little
                fields: [{name: level, after: L=, unit: "%"}]
              - read: fff5
                if: {has: fff5}
                empty: ["00", ff]
                fields: [{name: mode, type: uint8, table: {0: off, 1: 2.5, 2: "3"}}]
              - await: fff7
                optional: true
                frame: {length: [1]}
                fields: [{name: first, type: uint8}]
              - await: fff7
                optional: true
                frame: {length: [1]}
                fields: [{name: second, type: uint8}]
              - read: fff6
                endian: little
                fields:
                  - {name: radon, type: float32, scale: 37, offset: 0.5}
                  - {name: _part, type: uint8, scale: 0.01}
                  - {name: heat, type: sint8, plus: _part}
            last:
              - {write: fff2, bytes: a500}
            tests:
              - answers: [a5090001 02 00d201 7fff00 e4, 0005, 0007, 4c3d34320a, "01", "01", "02", 000020403215]
                expect:
                  probe_1_temperature: 21
                  probe_1_alarm: true
                  probe_2_temperature: unplugged
                  probe_2_alarm: false
                  limit_1: 5
                  limit_2: 7
                  level: 42
                  mode: 2.5
                  radon: 93
                  heat: 21.5
                  first: 1
                  second: 2
                writes: [a5010c00000000000000000103, a50201, a50202, a500]
              - answers: [a5090001 02 00d201 7fff00 e4, 0005, 0007, none, none, none, 000020403215]
                without: [fff5]
                expect: {limit_2: 7}
              - answers: [a50300010031]
                error: the answer is refused for its `_probes` of 0
              - answers: [a5090001 02 00d201 7fff00 e4, 0005, 0007, none, "0000"]
                error: "step 6: the answer means nothing"

        """

    @Test func aRecipeSaysEverything() throws {
        let text = Self.everything
        let part = ConfigurationPart(text, file: "f", names: names)
        #expect(problems(in: text) == [])
        #expect(part.recipeTests == 4)
        let recipe = try #require(part.configuration.poll.recipes.first)
        #expect(recipe.recognition.count == 3 && recipe.never.count == 1 && recipe.needsBond && recipe.advertises)
        #expect([recipe.facts, recipe.limits, recipe.tried] == ["the author's head", "all", "nobody"])
        #expect(recipe.minInterval == .seconds(60) && recipe.connection == .release && recipe.tries == 3)
        #expect(recipe.writes.map { "\($0.characteristic) \($0.bytes.summary)" }.last == "fff2 a500")
    }

    @Test func noCutAndNoChangedByteTrapsAndWhatIsTakenDecodesAnything() {
        let bytes = Array(Self.everything.utf8)
        var taken = 0
        for index in stride(from: 0, to: bytes.count, by: TestLength.of(23, atNight: 7)) {
            for text in [Array(bytes[..<index]), bytes.enumerated().map { $0 == index ? $1 ^ 2 : $1 }] {
                let part = ConfigurationPart(String(decoding: text, as: UTF8.self), file: "f", names: names)
                for recipe in part.configuration.poll.recipes {
                    taken += 1
                    _ = RecipeTrial(
                        recipe, answers: [[0xA5, 9, 0, 1, 64, 0, 0xD2], nil, [1, 2], Array("L=7\n".utf8)])
                }
            }
        }
        #expect(taken > 6)
    }

    // MARK: Mistakes

    private static let recipe = "recipes:\n  - name: a\n    "
    private static let step = "\(recipe)steps:\n      - "
    private static let read = "\(step)read: fff1\n        "
    private static let field = "\(read)fields: [{name: b, "

    private static let malformed: [(String, String)] = [
        (
            "recipes: 5",
            "1:10: `recipes` is a list of recipes, each on a line that starts with `- `"
        ),
        (
            "recipes: [{name: a}]",
            "1:11: a recipe needs `steps`; add them, such as `steps: [{read: 2a6e}]`"
        ),
        (
            "recipes:\n  - steps: [{read: fff1}]",
            "2:5: a recipe needs a `name`; add one, such as `name: soil-probe`"
        ),
        (
            "recipes:\n  - name: Big Name\n    steps: [{read: fff1}]",
            "2:11: `Big Name` isn't a recipe's name; write 1 to 32 lower-case letters, digits, `-` and `_`, such as miflora"
        ),
        (
            "\(recipe)stepps: [{read: fff1}]",
            "2:5: a recipe needs `steps`; add them, such as `steps: [{read: 2a6e}]` / 3:5: a recipe has no key `stepps`; did you mean `steps`?"
        ),
        (
            "\(recipe)recognize: [{model: x}]\n    steps: [{read: fff1}]",
            "3:17: a recognition needs a `name`, a `service`, a `company` or an `address`; add one"
        ),
        (
            "\(recipe)recognize: [{company: xiaomi}]\n    steps: [{read: fff1}]",
            "3:17: a recognition needs a `name`, a `service`, a `company` or an `address`; add one / 3:27: `xiaomi` isn't a company's number; write one such as 0x0334"
        ),
        (
            "\(recipe)timeout: 1h\n    steps: [{read: fff1}]",
            "3:14: `timeout` is `1h`; it can be from 1s to 5m"
        ),
        (
            "\(recipe)connection: always\n    steps: [{read: fff1}]",
            "3:17: `always` isn't a rule for connections; write any, release or hold"
        ),
        (
            "\(step){reed: fff1}",
            "4:9: a step needs `read`, `write`, `await`, `subscribe`, `pause` or `repeat`; add one / 4:10: a step has no key `reed`; did you mean `read`?"
        ),
        (
            "\(step){bytes: a0}",
            "4:9: a step needs `read`, `write`, `await`, `subscribe`, `pause` or `repeat`; add one"
        ),
        (
            "\(step){read: fff1, write: fff2}",
            "4:22: `write` is a step of its own; put it on a line that starts with `- `"
        ),
        (
            "\(step){write: fff1}",
            "4:9: a write needs `write`, a characteristic, and `bytes`; add both"
        ),
        (
            "\(step){read: fff1, bytes: a0}",
            "4:22: `bytes` doesn't belong to `read`; remove it"
        ),
        (
            "\(step){pause: 1s, fields: []}",
            "4:21: `fields` is about an answer; add `read` or `await`, or remove it"
        ),
        (
            "\(step){read: xyz}",
            "4:16: `xyz` isn't a characteristic; write a UUID such as fff1, or fff0/fff1 with its service"
        ),
        (
            "\(step){write: fff1, bytes: a}",
            "4:30: `a` isn't bytes; write two hex digits a byte"
        ),
        (
            "\(step){write: fff1, bytes: [a0, {chek: sum8}]}",
            "4:35: computed bytes need one of `check`, `nonce`, `secret` and `length`, `secret_length`, `index`, `counter`, `unix_time`, `since`, `back`, `hour`, `minute`, `second` / 4:36: a computed byte has no key `chek`; did you mean `check`?"
        ),
        (
            "\(step){write: fff1, bytes: [a0, {check: sum9}]}",
            "4:43: `sum9` isn't a check; did you mean `sum8`?"
        ),
        (
            "\(step){write: fff1, bytes: [{index: sint8}]}",
            "4:39: `sint8` isn't a type here; write uint8, uint16, uint24 or uint32"
        ),
        (
            "\(step){write: fff1, bytes: [{secret: hunter2}]}",
            "4:40: `secret` is `hunter2`; write `secret: text`"
        ),
        (
            "\(step){write: fff1, bytes: ..}",
            "4:30: `..` isn't bytes; write two hex digits a byte"
        ),
        (
            "\(step){repeat: _n, steps: [{pause: 1s}]}",
            "4:18: no field before this step is called `_n`; name one"
        ),
        (
            "\(step){repeat: 1000000, steps: [{pause: 1s}]}",
            "4:18: `repeat` is `1000000`; write a number up to 65535, or one of fields such as 34 + 2*_cells"
        ),
        (
            "\(step){repeat: 2, steps: [{repeat: 2, steps: [{pause: 1s}]}]}",
            "4:29: a `repeat` can't be inside of another one"
        ),
        (
            "\(read)within: 1h",
            "5:17: `within` is `1h`; it can be from 100ms to 1m"
        ),
        (
            "\(read)frame: {length: {at: 1}}",
            "5:25: a length needs `at` and `type`; add `type`"
        ),
        (
            "\(read)frame: {length: 600}",
            "5:25: `length` is `600`; write a whole number from 1 to 512"
        ),
        (
            "\(read)frame: {check: {from: 1}}",
            "5:24: a check needs a `kind`; add one, such as `kind: sum8`"
        ),
        (
            "\(read)frame: {length: 4, silence: 1s}",
            "5:17: a frame has a `length` or a `silence`; remove one"
        ),
        (
            "\(read)empty: [x]",
            "5:17: `x` isn't bytes; write two hex digits a byte"
        ),
        (
            "\(read)refuse: [{field: c, is: 1}]",
            "5:26: no field in this answer or before it is called `c`; name one"
        ),
        (
            "\(read)if: {field: c}",
            "5:13: a condition needs `is`, `is_not`, `bit`, `at_least` or `below`; add one"
        ),
        (
            "\(field)type: unit8}]",
            "5:34: `unit8` isn't a type; did you mean `uint8`?"
        ),
        (
            "\(field)at: 1}]",
            "5:18: a field needs a `type`, `bit`, `after`, `fields` or `skip`; add one"
        ),
        (
            "\(field)type: uint8, at: 2**c}]",
            "5:45: `at` is `2**c`; write a number up to 65535, or one of fields such as 34 + 2*_cells"
        ),
        (
            "\(field)type: uint8, at: c}]",
            "5:45: no field before this one is called `c`; name one"
        ),
        (
            "\(field)type: uint8, count: 4}]",
            "5:25: a repeated field needs a `#` in its name, for the number: `b_#`"
        ),
        (
            "\(read)fields: [{name: b_#, type: uint8}]",
            "5:25: a `#` in a name stands for a number; add `count`, or remove it"
        ),
        (
            "\(field)type: uint8}, {name: b, type: uint8}]",
            "5:49: the field `b` occurs twice; rename one, or give both an `if`"
        ),
        (
            "\(field)type: uint16, bit: 3}]",
            "5:42: `bit` is for up to 8 bits in one byte; write a type such as uint4"
        ),
        (
            "\(field)type: uint8, scale: 1/0}]",
            "5:48: `scale` is `1/0`; write a number such as 0.01, or a fraction such as 100/255"
        ),
        (
            "\(field)type: uint8, curve: [[1, 2]]}]",
            "5:41: a curve needs two points or more; add one"
        ),
        (
            "\(field)type: uint8, curve: [[1, 2], [1, 3]]}]",
            "5:57: the numbers of a curve must rise; sort its points"
        ),
        (
            "\(field)type: float32, table: {0: off}}]",
            "5:43: `table`: only integers have one, written as {0: off, 1: on}"
        ),
        (
            "\(field)type: \"uint8[]\", table: {0: off}}]",
            "5:45: a list has no `table`; remove it"
        ),
        (
            "\(field)type: medfloat16, scale: 1/3}]",
            "5:46: only single integers and floats have such a `scale`"
        ),
        (
            "\(field)type: utf8s}, {name: c, type: uint8}]",
            "5:42: the field `b` takes all remaining bytes; remove the fields after it"
        ),
        (
            "\(field)type: uint4}, {name: c, type: utf8s}]",
            "5:58: the field would start inside a byte; complete the byte first, such as with `skip: 4 bits`"
        ),
        (
            "\(field)type: uint8}, {name: c, type: uint8, if: {bit: 0}}]",
            "5:69: no field before this one is called `flags`; name one"
        ),
        (
            "\(field)after: T=, bit: 2}]",
            "5:39: this field has no `bit`; remove it"
        ),
        (
            "\(field)after: T=, scale: 2}]",
            "5:39: this field has no `scale`; remove it"
        ),
        (
            "\(read)fields: [{count: 2, name: x, fields: [{name: c_#, type: uint8}]}]",
            "5:29: a group of fields has no `name`; remove it"
        ),
        (
            "\(read)fields: [{name: size, type: uint8}]",
            "5:25: `size` is the number of all bytes; choose another name"
        ),
        (
            "\(field)type: uint8}]\n    tests: [{expect: {b: 1}}]",
            "6:13: a test needs `answers`, the bytes of each; add them / 6:13: the conversation of this test fails: step 1: the test has no answer; check both"
        ),
        (
            "\(field)type: uint8}]\n    tests: [{answers: [\"01\"], expect: {b: 2}}]",
            "6:43: the answers of this test say that `b` is `1`; check both"
        ),
        (
            "\(field)type: uint8}]\n    tests: [{answers: [\"01\"], expect: {c: 2}}]",
            "6:40: what a test expects has no key `c`; did you mean `b`?"
        ),
        (
            "\(field)type: uint8}]\n    tests: [{answers: [\"\"], expect: {b: 2}}]",
            "6:13: the conversation of this test fails: step 1: the answer is too short for `b`; check both"
        ),
        (
            "\(field)type: uint8}]\n    tests: [{answers: [\"01\"], error: short}]",
            "6:31: this test expects an error, but the conversation succeeds"
        ),
        (
            "\(field)type: uint8}]\n    tests: [{answers: [\"01\", \"02\"], expect: {b: 1}}]",
            "6:13: the conversation of this test doesn't ask for all answers; check both"
        ),
        (
            "\(field)type: uint8}]\n    tests: [{answers: [\"01\"], writes: [\"01\"]}]",
            "6:39: the conversation of this test writes []; check both"
        ),
        (
            "\(field)type: uint8}]\n        refuse: [{field: size - b, is_not: 2}]\n    tests: [{answers: [\"0102\"]}]",
            "7:13: the conversation of this test fails: step 1: the answer is refused for its `size - b` of 1; check both"
        ),
        // The answers have 5 bytes: the byte at 1 counts those between it and the check.
        (
            "\(step)write: fff1\n        bytes: a0\n        await: fff2\n        frame: {length: {at: 1, type: uint8, add: 2}, check: {kind: sum8}}\n        fields: [{name: b, at: 2, type: uint16}]\n    tests: [{answers: [a502010a b2], expect: {b: 2561}}, {answers: [a502010a00], error: checksum is wrong}]",
            "9:13: the conversation of this test fails: step 1: the answer's checksum is wrong; with `add: 3` in the frame's `length`, it succeeds"
        ),
        // Recipes and devices.
        (
            "\(recipe)frame: {length: 4, check: {kind: crc-8}}\n    steps: [{await: fff1}, {await: fff2}]\ndevices: [{address: F0:00:00:00:00:01, recipe: a}]",
            "3:38: `crc-8` isn't a check; did you mean `crc8`?"
        ),
        (
            "recipes: [{name: jbd, steps: [{read: fff1}]}]",
            "1:18: blekeep has a recipe `jbd` itself; choose another name"
        ),
        (
            "recipes: [{name: a, steps: [{read: fff1}]}, {name: a, steps: [{read: fff1}]}]",
            "1:52: the recipe `a` is set already at f:1:18; keep one"
        ),
        (
            "devices: [{address: F0:00:00:00:00:01, recipe: miflorra}]",
            "1:48: no recipe is called `miflorra`; did you mean `miflora`?"
        ),
        (
            "devices: [{address: F0:00:00:00:00:01, write: true, secret: x}]",
            "1:40: `write` has no effect without a `recipe` / 1:53: `secret` has no effect without a `recipe`"
        ),
        (
            "devices: [{address: F0:00:00:00:00:01, mode: passive, recipe: miflora}]",
            "1:55: a passive device is never connected, so it has no `recipe`"
        ),
        (
            "devices: [{address: F0:00:00:00:00:01, interval: 1m, mode: hold, recipe: airthings-wave-plus}]",
            "1:74: the recipe needs at least 5m between its conversations; write a longer `interval` / 1:74: the recipe disconnects after each tick; remove `mode: hold`"
        ),
        (
            "devices: [{address: F0:00:00:00:00:01, secret: x, recipe: miflora}]",
            "1:59: the recipe sends no secret; remove `secret`"
        ),
        (
            "devices: [{address: F0:00:00:00:00:01, recipe: a}]\n\(step){write: fff1, bytes: [a0, {secret: text}]}",
            "1:48: the recipe writes a0<secret> to fff1; add `write: true` to allow that / 1:48: the recipe sends a secret; add `secret`, the file that has it"
        ),
    ]

    @Test(arguments: Self.malformed)
    func eachMistakeHasItsPlaceAndItsAdvice(text: String, problem: String) {
        #expect(problems(in: text).joined(separator: " / ") == problem)
    }

    @Test func aDeviceGetsWhatItsRecipeNeeds() throws {
        let text = """
            devices:
              - {address: F0:00:00:00:00:01, alias: fern, recipe: miflora}
              - {address: F0:00:00:00:00:02, alias: hall, recipe: airthings-wave-plus}
              - {address: F0:00:00:00:00:03, alias: own, recipe: mine, write: true, secret: bms}
            recipes:
              - name: mine
                steps: [{write: fff1, bytes: [a0, {secret: text}]}]
            """
        #expect(problems(in: text) == [])
        let merge = ConfigurationMerge([ConfigurationPart(text, file: "f", names: names)])
        let poll = merge.configuration.poll
        #expect(poll.recipes.map(\.name) == ["mine", "miflora", "airthings-wave-plus"])
        let settings = poll.devices.map { DeviceSetting($0, in: poll) }
        #expect(settings.map { $0.recipe?.name } == ["miflora", "airthings-wave-plus", "mine"])
        #expect(settings.map(\.interval) == [.seconds(30), .seconds(300), .seconds(30)])
        #expect(
            poll.recipeWrites == [
                "fern: the recipe miflora writes a01f to 1a00",
                "hall: the recipe airthings-wave-plus writes 6d to b42e2d06-ade7-11e4-89d3-123b93f75cba",
                "own: the recipe mine writes a0<secret> to fff1",
            ])
    }
}

extension Recipe {
    /// Its row in the page of devices.
    fileprivate var row: String {
        let values = allSteps.compactMap(\.answer).flatMap(\.fields).flatMap(\.published)
        var seen: Set<String> = []
        let texts = values.filter { seen.insert($0.name).inserted }.map { field in
            "\(field.name.replacing("_#", with: " 1…"))\(field.unit.map { " (\($0))" } ?? "")"
                .replacing("_", with: " ")
        }
        let doubts = [
            tried.map { "tried: \($0)" } ?? "not tried on hardware", facts.map { "from \($0)" }, limits,
            needsBond ? "must be paired" : nil, writes.isEmpty ? nil : "writes to the device",
        ]
        let cells = [
            "\(title) (`\(name)`): \(about)", recognition.summary, texts.joined(separator: ", "),
            doubts.compactMap(\.self).joined(separator: "; "),
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }
}

extension RecipeField {
    fileprivate var published: [Field] {
        if case .group(let fields) = content { return fields.flatMap(\.published) }
        return field.name.hasPrefix("_") || field.name.isEmpty ? [] : [field]
    }
}

extension [Recipe.Recognition] {
    /// Alternatives that differ only in their names or addresses share the rest.
    fileprivate var summary: String {
        var groups: [(rest: String, names: [String])] = []
        for one in self {
            let names = [one.name.map { "name `\($0)`" }, one.address.map { "address `\($0)…`" }].compactMap(\.self)
            let rest = [
                one.company.map { "company 0x\(String(hex: [UInt8($0 >> 8), UInt8($0 & 255)]))" },
                one.service.map { "service \($0)" }, one.model.map { "model \($0)" },
                one.firmware.map { "firmware \($0)" },
            ].compactMap(\.self).joined(separator: ", ")
            if let place = groups.firstIndex(where: { $0.rest == rest }) {
                groups[place].names += names
            } else {
                groups.append((rest, names))
            }
        }
        return groups.map { group in
            let names = group.names.joined(separator: ", ").replacing(", name ", with: ", ")
                .replacing(", address ", with: ", ")
            return names.isEmpty ? group.rest : group.rest.isEmpty ? names : "\(names) with \(group.rest)"
        }.joined(separator: "; or ")
    }
}
