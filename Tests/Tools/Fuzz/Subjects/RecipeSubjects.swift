import Blekeep

extension Subject {
    /// Each rule for the answers to recipes by itself, so that each gets as many inputs.
    package static let frames: [Subject] = rules.map { name, rule, answer in
        Subject(name: "frame \(name)") { dice in
            var assembler = FrameAssembler(rule)
            for _ in 0...dice.below(3) {
                let bytes = dice.below(3) == 0 ? dice.bytes(upTo: 600) : dice.broken(answer + answer)
                for start in stride(from: 0, to: bytes.count, by: 20) {
                    assembler.append(Array(bytes[start..<min(bytes.count, start + 20)]))
                    while let result = assembler.next(isSilent: dice.below(4) == 0) {
                        guard case .success(let found) = result else { continue }
                        if let flaw = rule.flaw(in: found) { return "\(flaw) in \(String(hex: found))" }
                    }
                    if assembler.rest.count > rule.max { return "\(assembler.rest.count) bytes are kept" }
                }
            }
            return nil
        }
    }

    private static let rules: [(name: String, rule: FrameRule, answer: [UInt8])] = {
        func rule(_ change: (inout FrameRule) -> Void) -> FrameRule {
            var rule = FrameRule()
            change(&rule)
            return rule
        }
        func sealed(_ bytes: [UInt8], _ check: Checksum, from: Int = 0) -> [UInt8] {
            bytes + check.bytes(of: bytes[from...], endian: check.usualEndian)
        }
        let jbd = rule { rule in
            (rule.start, rule.end, rule.checks) = ([0xDD, nil], [0x77], [.init(.negatedSum16, from: 2)])
            rule.length = .field(at: 3, bits: 8, endian: .big, add: 7)
        }
        let modbus = rule { rule in
            (rule.start, rule.checks) = ([nil, 3], [.init(.crc16Modbus)])
            rule.length = .field(at: 2, bits: 8, endian: .big, add: 5)
        }
        let wide = rule { rule in
            (rule.start, rule.checks, rule.max) = ([0x7E, 0x14], [.init(.crc16Xmodem, from: 1)], FrameRule.maxBytes)
            (rule.end, rule.length) = ([0x0D], .field(at: 5, bits: 16, endian: .big, add: 10))
        }
        let fixed = rule { rule in
            (rule.start, rule.checks) = ([0x55, 0xAA, 0xEB, 0x90], [.init(.sum8)])
            (rule.length, rule.junk) = (.fixed(300), Array("AT\r\n".utf8))
        }
        let line = rule { ($0.end, $0.length, $0.max) = ([13, 10], .terminator, 40) }
        let silence = rule {
            ($0.length, $0.checks) = (.silence(.milliseconds(300)), [.init(.crc8), .init(.xor, to: 3, at: 4)])
        }
        return [
            (
                "notification", rule { ($0.start, $0.sizes) = ([0x6D], [30, 32]) },
                [0x6D] + [UInt8](repeating: 1, count: 29)
            ),
            ("length, sum", jbd, sealed([0xDD, 3, 0, 2, 1, 2], .negatedSum16, from: 2) + [0x77]),
            ("length, modbus", modbus, sealed([0xFF, 3, 4, 1, 2, 3, 4], .crc16Modbus)),
            ("length of 16 bits", wide, sealed([0x7E, 0x14, 0, 0, 0, 0, 2, 5, 6, 7], .crc16Xmodem, from: 1) + [0x0D]),
            ("fixed", fixed, sealed([0x55, 0xAA, 0xEB, 0x90] + [UInt8](repeating: 7, count: 295), .sum8)),
            ("terminator", line, Array("T=25.6 H=23.6\r\n".utf8)), ("silence", silence, [1, 2, 3, 4, 0, 5, 6, 7]),
        ]
    }()

    /// A conversation with a device that answers anything at any time.
    package static let conversations = Subject(name: "conversations") { dice in
        let source = RecipeCharacteristic(BluetoothUUID(0xFFF1))
        var answer = Recipe.Answer()
        answer.frame = rules[1].rule
        answer.start = dice.below(2) == 0 ? [] : [.bytes([0xDD]), .any, .nonce(1)]
        let types = ["uint8", "sint16", "smag8", "uint56", "hex", "utf8z", "medfloat16", "datetime"]
        answer.fields = (0...dice.below(4)).compactMap { number in
            guard let type = FieldType(dice.pick(types)[...]) else { return nil }
            var field = RecipeField(Field(name: "f_#", type: type))
            field.at = RecipeNumber(dice.pick(["4", "-3", "size - 9", "f_# + 4", "bits(f_#)"]))
            field.count = dice.below(2) == 0 ? nil : RecipeNumber(dice.pick(["3", "f_#", "size"]))
            field.content = dice.below(6) == 0 ? .text(after: dice.pick(["", "T="])) : .value
            return field
        }
        var steps = [Recipe.Step(.ask(Recipe.Write(source, [.bytes([1]), .secret, .nonce(3)]), source))]
        steps[0].answer = answer
        steps.append(Recipe.Step(.await(source)))
        steps[1].answer = answer
        steps[1].isOptional = dice.below(2) == 0
        steps.append(Recipe.Step(.loop(RecipeNumber(2), first: 0, Array(steps.prefix(1)))))
        var recipe = Recipe(name: "any", title: "Any")
        recipe.steps = steps
        recipe.last = [Recipe.Write(source, [.bytes([0])])]
        var setting = Conversation.Setting(characteristics: [source])
        setting.secret = dice.bytes(upTo: 40)
        setting.random = dice.bytes(upTo: 20)
        setting.owesLast = dice.below(2) == 0
        var conversation = Conversation(recipe, setting)
        var now = Duration.zero
        var action = conversation.handle(.begin, at: now)
        for _ in 0..<300 {
            if case .end(let outcome) = action { return check(outcome.answers.flatMap(\.measurements)) }
            for _ in 0..<dice.below(3) {
                conversation.received(dice.broken(rules[1].answer + rules[1].answer), from: source, at: now)
            }
            now += .milliseconds(dice.below(2500))
            let failure = ReadingFailure(.noReply, "no reply")
            action = conversation.handle(
                dice.pick([
                    .done, .done, .done, .resume, .resume, .resume, .resume, .value(rules[1].answer), .failed(failure),
                    .begin, dice.below(9) == 0 ? .stop(failure) : .resume, dice.below(9) == 0 ? .lost(failure) : .done,
                ]), at: now)
        }
        return "the conversation doesn't end"
    }
}
