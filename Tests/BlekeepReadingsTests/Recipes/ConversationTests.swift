import RunLoop
import Testing

@testable import BlekeepReadings

@Suite struct ConversationTests {
    private static let data = RecipeCharacteristic(BluetoothUUID(0xFFF1))
    private static let control = RecipeCharacteristic(BluetoothUUID(0xFFF2))

    /// A frame `A5 length … crc8`, and a field of its second byte.
    private static func answer(_ name: String, start: [Recipe.Piece] = []) -> Recipe.Answer {
        var answer = Recipe.Answer()
        answer.frame.start = [0xA5]
        answer.frame.length = .field(at: 1, bits: 8, endian: .little, add: 3)
        answer.frame.checks = [.init(.crc8)]
        answer.start = start
        var field = RecipeField(Field(name: name, type: .unsigned(bits: 8)))
        field.at = RecipeNumber(2)
        answer.fields = [field]
        return answer
    }

    private static func frame(_ bytes: [UInt8]) -> [UInt8] {
        let head = [0xA5, UInt8(bytes.count)] + bytes
        return head + Checksum.crc8.bytes(of: head, endian: .big)
    }

    private static func ask(_ bytes: [Recipe.Piece], _ answer: Recipe.Answer) -> Recipe.Step {
        var step = Recipe.Step(.ask(Recipe.Write(control, bytes), data))
        step.answer = answer
        return step
    }

    private static func recipe(_ steps: [Recipe.Step]) -> Recipe {
        var recipe = Recipe(name: "probe", title: "Probe")
        recipe.steps = steps
        return recipe
    }

    private static func conversation(
        _ recipe: Recipe, _ change: (inout Conversation.Setting) -> Void = { _ in }
    ) -> Conversation {
        var setting = Conversation.Setting(characteristics: [data, control])
        change(&setting)
        return Conversation(recipe, setting)
    }

    private static func outcome(_ action: Conversation.Action) -> Conversation.Outcome? {
        if case .end(let outcome) = action { outcome } else { nil }
    }

    private static func fields(_ outcome: Conversation.Outcome?) -> [String: MeasuredValue] {
        let measurements = outcome?.answers.flatMap(\.measurements) ?? []
        return Dictionary(measurements.map { ($0.field, $0.value ?? .text($0.state ?? "")) }) { $1 }
    }

    private static let write = Conversation.Action.write(control, [1], withResponse: nil, until: .seconds(5))
    private static let timeout = ReadingFailure(.noReply, "no reply")

    // MARK: Steps

    /// As JK's batteries send their settings in front of each answer. Each notification is handled by itself.
    @Test func anotherAnswerInFrontOfTheOwnOneIsNoPartOfItAndKeptForALaterStep() {
        var later = Recipe.Step(.await(Self.data))
        later.answer = Self.answer("settings", start: [.any, .any, .bytes([7])])
        let first = Self.ask([.bytes([1])], Self.answer("level", start: [.any, .any, .bytes([42])]))
        var talk = Self.conversation(Self.recipe([first, later]))
        _ = talk.handle(.begin, at: .zero)
        _ = talk.handle(.done, at: .zero)
        var action = talk.handle(.done, at: .zero)
        let (other, own) = (Self.frame([7, 1, 2]), Self.frame([42, 9]))
        for piece in [other, Array(own.prefix(2)), Array(own.dropFirst(2).prefix(1)), Array(own.dropFirst(3))] {
            #expect(action == .listen(until: .seconds(5)))
            talk.received(piece, from: Self.data, at: .milliseconds(10))
            action = talk.handle(.resume, at: .milliseconds(10))
        }
        let outcome = Self.outcome(action)
        #expect(outcome?.failure == nil)
        #expect(Self.fields(outcome) == ["level": .integer(42), "settings": .integer(7)])
    }

    /// The step waits for another answer, and says at last what was wrong.
    @Test func aStepThatOnlyAwaitsSaysWhatWasWrongWithTheAnswer() {
        var step = Recipe.Step(.await(Self.data))
        step.answer = Self.answer("level")
        var recipe = Self.recipe([step])
        recipe.tries = 1
        var talk = Self.conversation(recipe)
        _ = talk.handle(.begin, at: .zero)
        _ = talk.handle(.done, at: .zero)
        talk.received([0xA5, 1, 42, 0], from: Self.data, at: .milliseconds(10))
        #expect(talk.handle(.resume, at: .milliseconds(10)) == .listen(until: .seconds(5)))
        let outcome = Self.outcome(talk.handle(.resume, at: .seconds(5)))
        #expect(outcome?.failure?.message == "step 1: the answer's CRC-8 is wrong")
    }

    @Test func anAnswerInPiecesMayComeBeforeTheWriteIsConfirmed() {
        var talk = Self.conversation(Self.recipe([Self.ask([.bytes([1])], Self.answer("level"))]))
        #expect(talk.handle(.begin, at: .zero) == .subscribe(Self.data, until: .seconds(5)))
        #expect(talk.handle(.done, at: .zero) == Self.write)
        let answer = Self.frame([42, 9])
        talk.received(Array(answer.prefix(3)), from: Self.data, at: .milliseconds(10))
        #expect(talk.handle(.done, at: .milliseconds(20)) == .listen(until: .milliseconds(5020)))
        talk.received(Array(answer.dropFirst(3)), from: Self.data, at: .milliseconds(30))
        let outcome = Self.outcome(talk.handle(.resume, at: .milliseconds(30)))
        #expect(outcome?.failure == nil && Self.fields(outcome) == ["level": .integer(42)])
        #expect(outcome?.answers.first?.raw == answer)
    }

    @Test func triesHaveGrowingPausesAndTheLastOneEndsInASentence() {
        var recipe = Self.recipe([Self.ask([.bytes([1])], Self.answer("level"))])
        recipe.tries = 3
        var talk = Self.conversation(recipe)
        _ = talk.handle(.begin, at: .zero)
        var action = talk.handle(.done, at: .zero)
        var now = Duration.zero
        for pause in [500, 1000] {
            #expect(action == .write(Self.control, [1], withResponse: nil, until: now + .seconds(5)))
            #expect(talk.handle(.done, at: now) == .listen(until: now + .seconds(5)))
            now += .seconds(5)
            #expect(talk.handle(.resume, at: now) == .pause(until: now + .milliseconds(pause)))
            now += .milliseconds(pause)
            action = talk.handle(.resume, at: now)
        }
        _ = talk.handle(.done, at: now)
        let outcome = Self.outcome(talk.handle(.resume, at: now + .seconds(5)))
        #expect(outcome?.failure == ReadingFailure(.noAnswer, "no answer to step 1 within 5s"))
    }

    /// A longer interval only spares the battery.
    @Test(arguments: [(10, 10_000), (20, 20_000), (21, 6500), (300, 6500)])
    func aDeviceThatNeedsRestIsAskedAgainAfterIt(interval: Int, pause: Int) {
        var recipe = Self.recipe([Self.ask([.bytes([1])], Self.answer("level"))])
        recipe.minInterval = .seconds(interval)
        var talk = Self.conversation(recipe)
        _ = talk.handle(.begin, at: .zero)
        _ = talk.handle(.done, at: .zero)
        _ = talk.handle(.done, at: .seconds(1))
        #expect(talk.handle(.resume, at: .seconds(6)) == .pause(until: .milliseconds(pause)))
    }

    @Test func whenTheTimeIsUsedUpBeforeAnotherTryTheFailureIsThatOfTheLastOne() {
        for end in [Duration.seconds(6), .seconds(61)] {
            var talk = Self.conversation(Self.recipe([Self.ask([.bytes([1])], Self.answer("level"))]))
            _ = talk.handle(.begin, at: .zero)
            _ = talk.handle(.done, at: .zero)
            _ = talk.handle(.done, at: .zero)
            _ = talk.handle(.resume, at: .seconds(5))
            let outcome = Self.outcome(talk.handle(end < .seconds(60) ? .stop(Self.timeout) : .resume, at: end))
            #expect(outcome?.failure == ReadingFailure(.noAnswer, "no answer to step 1 within 5s"))
        }
    }

    @Test func aDamagedAnswerIsTriedAgainAtOnce() {
        var talk = Self.conversation(Self.recipe([Self.ask([.bytes([1])], Self.answer("level"))]))
        _ = talk.handle(.begin, at: .zero)
        _ = talk.handle(.done, at: .zero)
        _ = talk.handle(.done, at: .zero)
        var damaged = Self.frame([42])
        damaged[2] ^= 1
        talk.received(damaged, from: Self.data, at: .zero)
        #expect(talk.handle(.resume, at: .seconds(1)) == .pause(until: .milliseconds(1500)))
        _ = talk.handle(.resume, at: .milliseconds(1500))
        talk.received(damaged, from: Self.data, at: .seconds(2))
        let outcome = Self.outcome(talk.handle(.done, at: .seconds(2)))
        #expect(outcome?.failure == ReadingFailure(.badAnswer, "step 1: the answer's CRC-8 is wrong"))
    }

    @Test func anAnswerToAnEarlierRequestIsNoAnswerToTheNextOne() {
        let steps = [
            Self.ask([.bytes([1])], Self.answer("first")), Self.ask([.bytes([2])], Self.answer("second")),
        ]
        var talk = Self.conversation(Self.recipe(steps))
        _ = talk.handle(.begin, at: .zero)
        _ = talk.handle(.done, at: .zero)
        // It comes twice, in one notification.
        talk.received(Self.frame([7]) + Self.frame([7]), from: Self.data, at: .zero)
        #expect(talk.handle(.done, at: .zero) == .write(Self.control, [2], withResponse: nil, until: .seconds(5)))
        #expect(talk.handle(.done, at: .zero) == .listen(until: .seconds(5)))
        talk.received(Self.frame([8]), from: Self.data, at: .zero)
        #expect(
            Self.fields(Self.outcome(talk.handle(.resume, at: .zero))) == ["first": .integer(7), "second": .integer(8)])
    }

    @Test func answersThatComeByThemselvesWaitForTheirStepInAnyOrder() {
        func awaiting(_ kind: UInt8, _ name: String) -> Recipe.Step {
            var step = Recipe.Step(.await(Self.data))
            step.answer = Self.answer(name, start: [.bytes([0xA5]), .any, .bytes([kind])])
            step.answer?.fields[0].at = RecipeNumber(3)
            return step
        }
        let steps = [Recipe.Step(.subscribe(Self.data)), awaiting(1, "one"), awaiting(2, "two"), awaiting(3, "three")]
        var talk = Self.conversation(Self.recipe(steps))
        _ = talk.handle(.begin, at: .zero)
        talk.received(Self.frame([3, 33]) + Self.frame([2, 22]), from: Self.data, at: .zero)
        #expect(talk.handle(.done, at: .zero) == .listen(until: .seconds(5)))
        talk.received(Self.frame([9, 99]) + Self.frame([1, 11]), from: Self.data, at: .zero)
        let outcome = Self.outcome(talk.handle(.resume, at: .zero))
        #expect(Self.fields(outcome) == ["one": .integer(11), "two": .integer(22), "three": .integer(33)])
    }

    @Test func silenceEndsAnAnswer() {
        var step = Self.ask([.bytes([1])], Self.answer("level"))
        step.answer?.frame.length = .silence(.milliseconds(200))
        var talk = Self.conversation(Self.recipe([step]))
        _ = talk.handle(.begin, at: .zero)
        _ = talk.handle(.done, at: .zero)
        #expect(talk.handle(.done, at: .zero) == .listen(until: .seconds(5)))
        let answer = Self.frame([42, 1, 2])
        talk.received(Array(answer.prefix(2)), from: Self.data, at: .seconds(1))
        #expect(talk.handle(.resume, at: .seconds(1)) == .listen(until: .milliseconds(1200)))
        talk.received(Array(answer.dropFirst(2)), from: Self.data, at: .milliseconds(1100))
        #expect(talk.handle(.resume, at: .milliseconds(1200)) == .listen(until: .milliseconds(1300)))
        #expect(Self.fields(Self.outcome(talk.handle(.resume, at: .milliseconds(1300)))) == ["level": .integer(42)])
    }

    @Test func aLoopCountsInRequestsAndNamesByANumberOfAnEarlierAnswer() throws {
        var count = Recipe.Step(.read(Self.data))
        count.answer = Recipe.Answer()
        count.answer?.fields = [RecipeField(Field(name: "_count", type: .unsigned(bits: 8)))]
        var round = Recipe.Step(.read(Self.data))
        round.answer = Recipe.Answer()
        round.answer?.fields = [RecipeField(Field(name: "sample_#", type: .unsigned(bits: 16)))]
        let request = Recipe.Write(Self.control, [.bytes([0xA1]), .number(.index, bits: 16, endian: .little, add: 0)])
        let loop = Recipe.Step(
            .loop(try #require(RecipeNumber("_count")), first: 5, [Recipe.Step(.write(request)), round]))
        let trial = RecipeTrial(Self.recipe([count, loop]), answers: [[2], [1, 0], [2, 0]])
        #expect(trial.writes == [[0xA1, 5, 0], [0xA1, 6, 0]])
        #expect(Self.fields(trial.outcome) == ["sample_1": .integer(1), "sample_2": .integer(2)])
        #expect(trial.outcome.failure == nil && trial.unused == 0)
        let failed = RecipeTrial(Self.recipe([count, loop]), answers: [[2], [1, 0], [2]])
        #expect(failed.outcome.failure?.message == "step 2.2 in round 2: the answer is too short for `sample_#`")
        #expect(Self.fields(failed.outcome) == ["sample_1": .integer(1)])
    }

    @Test func aStepThatIsntNeededOrMayBeMissingIsLeftOut() {
        var optional = Self.ask([.bytes([1])], Self.answer("level"))
        optional.isOptional = true
        var absent = Recipe.Step(.read(RecipeCharacteristic(BluetoothUUID(0xABCD))))
        absent.isOptional = true
        var conditional = Recipe.Step(.pause(.seconds(1)))
        conditional.conditions = [.has(RecipeCharacteristic(BluetoothUUID(0xABCD)), true)]
        var talk = Self.conversation(Self.recipe([absent, conditional, optional]))
        _ = talk.handle(.begin, at: .zero)
        _ = talk.handle(.done, at: .zero)
        _ = talk.handle(.done, at: .zero)
        #expect(talk.handle(.resume, at: .seconds(5)) == .end(Conversation.Outcome()))
        absent.isOptional = false
        var failing = Self.conversation(Self.recipe([absent]))
        #expect(
            Self.outcome(failing.handle(.begin, at: .zero))?.failure
                == ReadingFailure(.noPoint, "step 1: the device has no characteristic abcd"))
    }

    @Test func onlyTheUserCanHelpWithAPairingAndTheSecret() {
        var talk = Self.conversation(Self.recipe([Self.ask([.bytes([1])], Self.answer("level"))]))
        _ = talk.handle(.begin, at: .zero)
        let pairing = ReadingFailure(.needsPairing, "the device must be paired")
        #expect(Self.outcome(talk.handle(.failed(pairing), at: .zero))?.failure?.code == .known(.needsPairing))
        let secret = Self.recipe([Self.ask([.secret], Self.answer("level"))])
        var other = Self.conversation(secret)
        _ = other.handle(.begin, at: .zero)
        #expect(
            Self.outcome(other.handle(.done, at: .zero))?.failure?.message
                == "step 1 sends a secret; configure `secret` for the device")
        #expect(RecipeTrial(secret, answers: []).writes == [Array("secret".utf8)])
    }

    @Test func anEchoMustHaveTheRequestsRandomBytes() {
        let start: [Recipe.Piece] = [.bytes([0xA5]), .any, .nonce(2)]
        let recipe = Self.recipe([Self.ask([.bytes([3]), .nonce(2)], Self.answer("level", start: start))])
        func talk(_ answer: [UInt8]) -> Conversation.Action {
            var talk = Self.conversation(recipe) { $0.random = [0x10, 0x20, 0x30] }
            _ = talk.handle(.begin, at: .zero)
            #expect(
                talk.handle(.done, at: .zero)
                    == .write(Self.control, [3, 0x10, 0x20], withResponse: nil, until: .seconds(5)))
            talk.received(Self.frame(answer), from: Self.data, at: .zero)
            return talk.handle(.done, at: .zero)
        }
        #expect(Self.fields(Self.outcome(talk([0x11, 0x21, 1]))) == [:])
        #expect(talk([0x12, 0x20, 1]) == .listen(until: .seconds(5)))
    }

    @Test func requestsHaveComputedBytes() {
        var context = RequestContext(index: 3, counter: 4, nonce: [9, 8], secret: Array("abc".utf8))
        context.unixTime = 1_700_000_000  // 2023-11-14 22:13:20 UTC
        context.timeZone = 3600
        let pieces: [Recipe.Piece] = [
            .bytes([0xFF, 0xAA, 0x15]), .number(.secretLength, bits: 8, endian: .little, add: 0), .secret,
            .check(.sum8, from: 2, endian: .big),
        ]
        #expect(pieces.bytes(context) == [0xFF, 0xAA, 0x15, 3, 0x61, 0x62, 0x63, 0x3E])
        let numbers: [Recipe.Piece] = [
            .number(.length, bits: 16, endian: .big, add: -2), .number(.index, bits: 8, endian: .big, add: 0),
            .number(.counter, bits: 8, endian: .big, add: 1), .number(.unixTime, bits: 32, endian: .little, add: 0),
            .number(.hour, bits: 8, endian: .big, add: 0), .number(.minute, bits: 8, endian: .big, add: 0),
            .number(.second, bits: 8, endian: .big, add: 0), .nonce(2),
        ]
        #expect(numbers.bytes(context) == [0, 11, 3, 5, 0x00, 0xF1, 0x53, 0x65, 23, 13, 20, 9, 8])
        #expect(pieces.summary == "ffaa15<secret_length><secret><sum8>")
        let daly: [Recipe.Piece] = [.bytes([0xD2, 3, 0, 0, 0, 0x3E]), .check(.crc16Modbus, from: 0, endian: .little)]
        #expect(daly.summary == "d2030000003ed7b9")
    }

    // MARK: Ends

    private static let switched: Recipe = {
        var recipe = ConversationTests.recipe([ask([.bytes([1])], answer("level"))])
        recipe.last = [Recipe.Write(control, [.bytes([0])])]
        recipe.tries = 1
        return recipe
    }()

    private static func last(_ now: Duration) -> Conversation.Action {
        .write(control, [0], withResponse: nil, until: now + Conversation.lastWrite)
    }

    @Test func theLastWriteEndsAGoodConversationAndAFailedOne() {
        var good = Self.conversation(Self.switched)
        _ = good.handle(.begin, at: .zero)
        _ = good.handle(.done, at: .zero)
        good.received(Self.frame([1]), from: Self.data, at: .zero)
        #expect(good.handle(.done, at: .zero) == Self.last(.zero))
        let outcome = Self.outcome(good.handle(.done, at: .zero))
        #expect(outcome?.failure == nil && outcome?.owesLast == false)
        for event in [Conversation.Event.failed(Self.timeout), .stop(Self.timeout)] {
            var failed = Self.conversation(Self.switched)
            _ = failed.handle(.begin, at: .zero)
            _ = failed.handle(.done, at: .zero)
            #expect(failed.handle(event, at: .seconds(1)) == Self.last(.seconds(1)))
            let outcome = Self.outcome(failed.handle(.done, at: .seconds(1)))
            #expect(outcome?.failure?.code == .known(.noReply) && outcome?.owesLast == false)
        }
        // Nothing was switched on.
        var early = Self.conversation(Self.switched)
        _ = early.handle(.begin, at: .zero)
        #expect(Self.outcome(early.handle(.failed(Self.timeout), at: .zero))?.owesLast == false)
    }

    @Test func aLastWriteThatWasntMadeBeginsTheNextConversation() {
        var lost = Self.conversation(Self.switched)
        _ = lost.handle(.begin, at: .zero)
        _ = lost.handle(.done, at: .zero)
        #expect(Self.outcome(lost.handle(.lost(Self.timeout), at: .zero))?.owesLast == true)
        var next = Self.conversation(Self.switched) { $0.owesLast = true }
        #expect(next.handle(.begin, at: .zero) == Self.last(.zero))
        #expect(next.handle(.done, at: .zero) == .subscribe(Self.data, until: .seconds(5)))
        var again = Self.conversation(Self.switched) { $0.owesLast = true }
        _ = again.handle(.begin, at: .zero)
        let outcome = Self.outcome(again.handle(.failed(Self.timeout), at: .zero))
        #expect(outcome?.owesLast == true && outcome?.failure?.message == "last write: no reply")
        var none = Self.conversation(Self.recipe([])) { $0.owesLast = true }
        #expect(none.handle(.begin, at: .zero) == .end(Conversation.Outcome()))
    }

    @Test func anAnswerThatCameBeforeTheConnectionEndedCounts() {
        let ask = Self.recipe([
            Self.ask([.bytes([1])], Self.answer("level")), Self.ask([.bytes([2])], Self.answer("more")),
        ])
        for isConfirmed in [true, false] {
            for isWhole in [true, false] {
                var talk = Self.conversation(ask)
                _ = talk.handle(.begin, at: .zero)
                _ = talk.handle(.done, at: .zero)
                if isConfirmed { _ = talk.handle(.done, at: .zero) }
                let answer = Self.frame([42, 9])
                talk.received(isWhole ? answer : answer.dropLast(), from: Self.data, at: .milliseconds(10))
                let outcome = Self.outcome(talk.handle(.lost(Self.timeout), at: .milliseconds(10)))
                #expect(Self.fields(outcome) == (isWhole ? ["level": .integer(42)] : [:]))
                #expect(outcome?.failure == Self.timeout)
            }
        }
        var read = Recipe.Step(.read(Self.data))
        read.answer = Self.answer("level")
        for (value, fields) in [(Self.frame([7]), ["level": MeasuredValue.integer(7)]), ([1], [:]), (nil, [:])] {
            var talk = Self.conversation(Self.recipe([read]))
            _ = talk.handle(.begin, at: .zero)
            let outcome = Self.outcome(talk.handle(.lost(Self.timeout, value: value), at: .zero))
            #expect(Self.fields(outcome) == fields)
            // A whole conversation is a good one.
            #expect(outcome?.failure == (fields.isEmpty ? Self.timeout : nil))
        }
    }

    @Test func whatWasToComeAfterTheConnectionEndedWasntWritten() {
        var recipe = Self.switched
        var read = Recipe.Step(.read(Self.data))
        read.answer = Self.answer("level")
        recipe.steps = [read, Recipe.Step(.write(Recipe.Write(Self.control, [.bytes([1])])))]
        var talk = Self.conversation(recipe)
        _ = talk.handle(.begin, at: .zero)
        let outcome = Self.outcome(talk.handle(.lost(Self.timeout, value: Self.frame([7])), at: .zero))
        #expect(Self.fields(outcome) == ["level": .integer(7)] && outcome?.owesLast == false)
    }

    @Test func aConversationHasALongestTime() {
        var recipe = Self.switched
        recipe.timeout = .seconds(4)
        var talk = Self.conversation(recipe)
        _ = talk.handle(.begin, at: .zero)
        #expect(talk.handle(.done, at: .zero) == .write(Self.control, [1], withResponse: nil, until: .seconds(4)))
        #expect(talk.handle(.done, at: .seconds(4)) == Self.last(.seconds(4)))
        #expect(
            Self.outcome(talk.handle(.done, at: .seconds(4)))?.failure
                == ReadingFailure(.noAnswer, "the conversation took longer than 4s"))
    }

    // MARK: Chance

    @Test func anyEventsInAnyOrderEndWithinBounds() throws {
        var random = SplitMix64(seed: 3)
        var ask = Self.ask([.bytes([1])], Self.answer("level", start: [.bytes([0xA5])]))
        ask.answer?.fields[0].count = RecipeNumber("size")
        ask.answer?.fields[0].field.name = "level_#"
        ask.isOptional = true
        let loop = Recipe.Step(.loop(RecipeNumber(3), first: 0, [ask, Self.ask([.bytes([2])], Self.answer("x_#"))]))
        var recipe = Self.switched
        recipe.steps = [ask, loop, Recipe.Step(.pause(.seconds(1)))]
        for _ in 0..<fuzzRounds(2_000) {
            var talk = Self.conversation(recipe) { $0.owesLast = random.next() % 2 == 0 }
            var now = Duration.zero
            var action = talk.handle(.begin, at: now)
            for round in 0... {
                if let outcome = Self.outcome(action) {
                    #expect(outcome.answers.count <= 7)
                    break
                }
                guard round < 400 else {
                    Issue.record("no end")
                    break
                }
                for _ in 0..<(random.next() % 4) {
                    talk.received(random.near(Self.frame(random.bytes(5))), from: Self.data, at: now)
                }
                now += .milliseconds(Int64(random.next() % 3000))
                let event: Conversation.Event =
                    switch random.next() % 12 {
                    case 0: .failed(Self.timeout)
                    case 1 where random.next() % 8 == 0: .lost(Self.timeout)
                    case 2 where random.next() % 8 == 0: .stop(Self.timeout)
                    case 3: .value(random.bytes(9))
                    case 4: .begin
                    case 5, 6, 7: .done
                    default: .resume
                    }
                action = talk.handle(event, at: now)
            }
        }
    }
}
