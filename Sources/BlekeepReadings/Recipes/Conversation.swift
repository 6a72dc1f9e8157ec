/// One conversation with a device, by a recipe. Pure: it has no clock, and does no I/O.
///
/// Drive it inside a tick, on a connection whose services are resolved, as `DeviceConversation` does: begin with the event
/// `begin`, perform the action that `handle` returns, and pass what it brought to `handle`, until the action is `end`.
///
/// All times count from the conversation's start. Perform one action at a time, and answer it by one event:
///
/// | action | perform | event |
/// | --- | --- | --- |
/// | `read` | read the characteristic until the deadline | `value`, `failed` |
/// | `write` | write the bytes until the deadline | `done`, `failed` |
/// | `subscribe` | start notifications until the deadline | `done`, `failed` |
/// | `listen` | wait until a notification comes, or until the time | `resume` |
/// | `pause` | wait until the time | `resume` |
/// | `end` | nothing: the conversation is over | none |
///
/// Pass each notification to `received` at once, also while a call is in progress: many devices answer before they confirm
/// the write. When the connection ends, pass `lost`, whatever the action is: it still takes the answer that came before. When the tick's budget is used up, pass `stop`:
/// the conversation still performs its last writes, each within `Conversation.lastWrite`, and then ends.
package struct Conversation: Sendable {
    package enum Action: Sendable, Hashable {
        case read(RecipeCharacteristic, until: Duration)
        /// - withResponse: `nil` for a response if the characteristic's properties allow it.
        case write(RecipeCharacteristic, [UInt8], withResponse: Bool?, until: Duration)
        case subscribe(RecipeCharacteristic, until: Duration)
        case listen(until: Duration)
        case pause(until: Duration)
        case end(Outcome)
    }

    package enum Event: Sendable, Hashable {
        case begin
        case value([UInt8])
        case done
        case resume
        /// A call failed. A code such as `needs_user` ends the conversation; others end the step's try.
        case failed(ReadingFailure)
        /// The connection ended, perhaps in the same moment as a read brought a value.
        case lost(ReadingFailure, value: [UInt8]? = nil)
        /// The time that the conversation had is used up.
        case stop(ReadingFailure)
    }

    package struct Outcome: Sendable, Hashable {
        /// The values of all answers, in the order of the steps, also before a failure.
        package var answers: [Answer] = []
        /// Why the conversation ended early; `nil` when it is complete.
        package var failure: ReadingFailure?
        /// Whether the last writes are still to do. Pass this to the device's next conversation, which then begins with them.
        package var owesLast = false

        package init() {}
    }

    package struct Answer: Sendable, Hashable {
        package var measurements: [Measurement]
        /// The bytes of the whole answer.
        package var raw: [UInt8]
    }

    /// What a conversation needs to know besides its recipe.
    package struct Setting: Sendable {
        /// The characteristics that the device has, with their services.
        package var characteristics: [RecipeCharacteristic]
        /// Whether an earlier conversation ended without its last writes.
        package var owesLast = false
        /// The user's secret of the device; `nil` without one.
        package var secret: [UInt8]?
        /// Random bytes for nonces, at least `Recipe.Piece.maxNonce`.
        package var random: [UInt8] = []
        /// Seconds since 1970, UTC, and the local time zone's distance from it in seconds.
        package var unixTime: Int64 = 0
        package var timeZone = 0

        package init(characteristics: [RecipeCharacteristic]) { self.characteristics = characteristics }

        func has(_ wanted: RecipeCharacteristic) -> Bool {
            characteristics.contains { $0.isOne(of: wanted) }
        }
    }

    /// How long each last write may take.
    package static let lastWrite: Duration = .seconds(5)
    /// The pause before the second try of a step; it doubles for each further one.
    private static let firstPause: Duration = .milliseconds(500)
    /// The maximum number of values of a conversation.
    private static let maxValues = 2048
    /// The maximum number of rounds of a loop.
    package static let maxRounds = 256

    private enum Phase: Sendable {
        /// The next step of `position` begins.
        case next
        /// A call of the current step is in progress: it subscribes for an answer first.
        case subscribing
        case writing
        case reading
        case listening(Listening)
        case pausing
        /// Before another try of the current step, which failed so.
        case retrying(ReadingFailure)
        /// The last write with this index is in progress, before the steps or behind them.
        case last(Int, isFirst: Bool)
        case ended
    }

    /// What an answer is made of, while the current step awaits it.
    private struct Listening: Sendable {
        var assembler: FrameAssembler
        /// Answers that aren't for this step.
        var others = Inbox()
        /// What was wrong with the bytes so far.
        var flaw: FrameFlaw?
        let end: Duration
    }

    package let recipe: Recipe
    private let setting: Setting
    private var phase = Phase.next
    private var position = Position()
    /// The tries of the current step.
    private var tries = 0
    private var requests = 0
    /// When the current step wrote; `nil` when it didn't.
    private var requestedAt: Duration?
    private var values = RecipeValues()
    private var outcome = Outcome()
    private var subscribed: Set<RecipeCharacteristic> = []
    private var inboxes: [RecipeCharacteristic: Inbox] = [:]
    /// Whether a step wrote, so that the last writes are due.
    private var hasWritten = false

    package init(_ recipe: Recipe, _ setting: Setting) {
        self.recipe = recipe
        self.setting = setting
        outcome.owesLast = setting.owesLast && !recipe.last.isEmpty
    }

    /// Takes a notification. It never fails, and keeps a bounded number of bytes.
    package mutating func received(_ bytes: [UInt8], from characteristic: RecipeCharacteristic, at now: Duration) {
        for wanted in subscribed where wanted.uuid == characteristic.uuid {
            guard wanted.service == nil || characteristic.service == nil || wanted.service == characteristic.service
            else { continue }
            inboxes[wanted, default: Inbox()].receive(bytes, at: now)
        }
    }

    /// Handles the result of an action, and returns the next action.
    package mutating func handle(_ event: Event, at now: Duration) -> Action {
        switch (event, phase) {
        case (_, .ended): return .end(outcome)
        case (.lost(let failure, let value), _): return lost(failure, value: value, at: now)
        case (_, .last(let index, let isFirst)): return wroteLast(index, isFirst: isFirst, event: event, at: now)
        // The time is used up because the step failed.
        case (.stop, .retrying(let failure)), (.stop(let failure), _): return fail(failure, at: now)
        case (.begin, _): return outcome.owesLast ? beginLast(isFirst: true, now) : begin(now)
        default: break
        }
        if now >= recipe.timeout {
            if case .retrying(let failure) = phase { return fail(failure, at: now) }
            return fail(
                ReadingFailure(.noAnswer, "the conversation took longer than \(DurationText.text(recipe.timeout))"),
                at: now
            )
        }
        if case .failed(let failure) = event { return failed(failure, at: now) }
        switch phase {
        case .next: return begin(now)
        case .retrying: return perform(now)
        case .pausing: return advance(now)
        case .reading:
            guard case .value(let bytes) = event else { return fail(.unexpected, at: now) }
            return accept(bytes, judgedBy: answer.frame.flaw(in: bytes), at: now)
        case .subscribing:
            return subscribedToAnswer(now)
        case .writing:
            if case .ask? = step?.action { return listen(now) }
            return advance(now)
        case .listening: return look(now)
        case .last, .ended: return .end(outcome)
        }
    }

    /// The characteristic whose answer the current step awaits; `nil` when it awaits none.
    var source: RecipeCharacteristic? { step?.source }

    /// How often it began to await an answer.
    private(set) var listens = 0

    /// Whether the current step's answer can be several notifications.
    var joinsNotifications: Bool { answer.frame.length != .notification }

    // MARK: Steps

    /// The place in the recipe: a step, and a round and a step of a loop.
    private struct Position: Sendable {
        var step = 0
        var round: Round?

        struct Round: Sendable {
            var number = 0
            var count: Int
            var step = 0
        }
    }

    private var outer: Recipe.Step? { recipe.steps.indices.contains(position.step) ? recipe.steps[position.step] : nil }

    private var step: Recipe.Step? {
        guard let round = position.round, case .loop(_, _, let steps)? = outer?.action else { return outer }
        return steps.indices.contains(round.step) ? steps[round.step] : nil
    }

    private var answer: Recipe.Answer { step?.answer ?? Recipe.Answer() }

    /// The name of the current step in sentences.
    private var stepName: String {
        guard let round = position.round else { return "step \(position.step + 1)" }
        return "step \(position.step + 1).\(round.step + 1) in round \(round.number + 1)"
    }

    /// Begins the current step, or ends the conversation behind the last one.
    private mutating func begin(_ now: Duration) -> Action {
        tries = 0
        requestedAt = nil
        while let step = outer {
            if position.round == nil, case .loop(let count, _, _) = step.action {
                let rounds = holds(step) ? count.value(values, size: 0) : 0
                guard let rounds, 0...Self.maxRounds ~= rounds else {
                    return fail(.answer("\(stepName): \(count) isn't a number from 0 to \(Self.maxRounds)"), at: now)
                }
                position.round = Position.Round(count: rounds)
            }
            if let round = position.round {
                guard round.number < round.count else {
                    position = Position(step: position.step + 1)
                    continue
                }
                guard self.step != nil else {
                    position.round = Position.Round(number: round.number + 1, count: round.count)
                    continue
                }
            }
            if let step = self.step, holds(step) { return perform(now) }
            moveOn()
        }
        return beginLast(isFirst: false, now)
    }

    private mutating func moveOn() {
        if position.round == nil { position.step += 1 } else { position.round?.step += 1 }
    }

    private mutating func advance(_ now: Duration) -> Action {
        moveOn()
        return begin(now)
    }

    private func holds(_ step: Recipe.Step) -> Bool {
        step.conditions.allSatisfy { $0.holds(values, size: 0, has: setting.has) }
    }

    /// Performs the current step; again, after a failed try.
    private mutating func perform(_ now: Duration) -> Action {
        guard let step else { return begin(now) }
        tries += 1
        if let missing = step.characteristics.first(where: { !setting.has($0) }) {
            return failed(ReadingFailure(.noPoint, "the device has no characteristic \(missing)"), at: now)
        }
        switch step.action {
        case .read(let characteristic):
            phase = .reading
            return .read(characteristic, until: deadline(now))
        case .write(let write): return self.write(write, at: now)
        case .ask(_, let characteristic), .await(let characteristic), .subscribe(let characteristic):
            guard subscribed.insert(characteristic).inserted else { return subscribedToAnswer(now) }
            phase = .subscribing
            return .subscribe(characteristic, until: deadline(now))
        case .pause(let time):
            phase = .pausing
            return .pause(until: now + time)
        case .loop: return advance(now)
        }
    }

    private func deadline(_ now: Duration) -> Duration { min(now + (step?.within ?? .seconds(5)), recipe.timeout) }

    private mutating func subscribedToAnswer(_ now: Duration) -> Action {
        switch step?.action {
        case .ask(let write, let source):
            // What came before belongs to an earlier request.
            inboxes[source] = nil
            return self.write(write, at: now)
        case .await: return listen(now)
        default: return advance(now)
        }
    }

    private var context: RequestContext {
        var index = position.round?.number ?? 0
        if case .loop(_, let first, _)? = outer?.action { index += first }
        // Another nonce for each request.
        let nonce = setting.random.prefix(Recipe.Piece.maxNonce).map {
            $0 &+ UInt8(truncatingIfNeeded: max(0, requests - 1))
        }
        return RequestContext(
            index: index, counter: max(0, requests - 1), nonce: nonce, secret: setting.secret ?? [],
            unixTime: setting.unixTime, timeZone: setting.timeZone)
    }

    private mutating func write(_ write: Recipe.Write, at now: Duration) -> Action {
        if write.bytes.contains(where: \.isSecret), setting.secret == nil {
            return fail(
                ReadingFailure(.needsUser, "\(stepName) sends a secret; configure `secret` for the device"), at: now)
        }
        requests += 1
        requestedAt = now
        hasWritten = true
        phase = .writing
        return .write(
            write.characteristic, write.bytes.bytes(context).map { $0 ?? 0 }, withResponse: write.withResponse,
            until: deadline(now))
    }

    // MARK: Answers

    /// The notifications of a characteristic that no step has taken. It keeps at most 512 of them, and 8 KiB.
    private struct Inbox: Sendable {
        private(set) var notifications: [[UInt8]] = []
        private var size = 0
        private(set) var newest = Duration.zero

        mutating func receive(_ bytes: [UInt8], at now: Duration) {
            append(Array(bytes.prefix(512)))
            newest = now
        }

        mutating func drain() -> [[UInt8]] {
            defer { (notifications, size) = ([], 0) }
            return notifications
        }

        /// Puts bytes back in front of those that came since.
        mutating func putBack(_ earlier: [[UInt8]]) {
            let since = drain()
            for bytes in earlier + since where !bytes.isEmpty { append(bytes) }
        }

        mutating func append(_ bytes: [UInt8]) {
            notifications.append(bytes)
            size += bytes.count
            while notifications.count > 512 || size > 8192 { size -= notifications.removeFirst().count }
        }
    }

    private mutating func listen(_ now: Duration) -> Action {
        listens += 1
        phase = .listening(Listening(assembler: FrameAssembler(answer.frame), end: deadline(now)))
        return look(now)
    }

    /// Looks for the step's answer in what came.
    private mutating func look(_ now: Duration) -> Action {
        guard case .listening(var listening) = phase, let source = step?.source else { return begin(now) }
        let start = answer.start.bytes(context)
        var inbox = inboxes[source] ?? Inbox()
        var waiting = inbox.drain()[...]
        // One notification at a time: the bytes behind the answer are for the next step.
        while true {
            while let result = listening.assembler.next() {
                switch result {
                case .success(let bytes) where bytes.count >= start.count && FrameRule.starts(bytes, with: start):
                    inbox.putBack(listening.others.drain() + [listening.assembler.rest] + waiting)
                    inboxes[source] = inbox
                    return accept(bytes, judgedBy: nil, at: now)
                case .success(let other): listening.others.append(other)
                case .failure(let found): listening.flaw = found
                }
            }
            guard let notification = waiting.popFirst() else { break }
            listening.assembler.append(notification)
        }
        var next = listening.end
        if case .silence(let silence) = answer.frame.length, !listening.assembler.rest.isEmpty {
            let quiet = inbox.newest + silence
            if now >= quiet, let result = listening.assembler.next(isSilent: true) {
                switch result {
                case .success(let bytes) where bytes.count >= start.count && FrameRule.starts(bytes, with: start):
                    inbox.putBack(listening.others.drain())
                    inboxes[source] = inbox
                    return accept(bytes, judgedBy: nil, at: now)
                case .success: listening.flaw = .start
                case .failure(let found): listening.flaw = found
                }
            } else {
                next = min(next, quiet)
            }
        }
        let isWrong = if case .ask? = step?.action { listening.flaw != nil } else { false }
        guard isWrong || now >= listening.end else {
            inboxes[source] = inbox
            phase = .listening(listening)
            return .listen(until: next)
        }
        // They are for other steps, and no part of this one's answer.
        inbox.putBack(listening.others.drain())
        inboxes[source] = inbox
        if let flaw = listening.flaw { return failed(.answer(flaw.description), at: now) }
        let within = DurationText.text(step?.within ?? .zero)
        let count = listening.assembler.rest.count
        return failed(
            ReadingFailure(
                .noAnswer,
                count == 0
                    ? "no answer to \(stepName) within \(within)"
                    : "the answer to \(stepName) is incomplete: \(count) bytes within \(within)"), at: now)
    }

    /// Accepts or refuses an answer, and advances.
    private mutating func accept(_ bytes: [UInt8], judgedBy flaw: FrameFlaw?, at now: Duration) -> Action {
        if let flaw { return failed(.answer(flaw.description), at: now) }
        let start = answer.start.bytes(context)
        guard bytes.count >= start.count, FrameRule.starts(bytes, with: start) else {
            return failed(.answer(FrameFlaw.start.description), at: now)
        }
        if answer.empty.contains(where: { bytes.isRepetition(of: $0) }) {
            return failed(.answer("the answer means nothing: it repeats \(String(hex: bytes.prefix(1)))…"), at: now)
        }
        let setting = setting
        var decoder = RecipeDecoder(
            bytes, endian: answer.endian, values: values, number: position.round.map { $0.number + 1 },
            has: { setting.has($0) })
        do throws(RecipeFlaw) { try decoder.decode(answer.fields) } catch {
            return failed(.answer(error.description), at: now)
        }
        let refusal = answer.refusals.first { conditions in
            conditions.allSatisfy { $0.holds(decoder.values, size: bytes.count, has: setting.has) }
        }
        if let condition = refusal?.first {
            let value = condition.value(decoder.values, size: bytes.count).map { " of \($0.plain)" } ?? ""
            return failed(.answer("the answer is refused for its `\(condition.subject)`\(value)"), at: now)
        }
        values = decoder.values
        if !decoder.measurements.isEmpty {
            let count = outcome.answers.reduce(decoder.measurements.count) { $0 + $1.measurements.count }
            guard count <= Self.maxValues else {
                return fail(.answer("the device has more than \(Self.maxValues) values"), at: now)
            }
            outcome.answers.append(Answer(measurements: decoder.measurements, raw: bytes))
        }
        return advance(now)
    }

    // MARK: Failures

    /// Tries the step once more, goes on without it, or ends the conversation.
    private mutating func failed(_ failure: ReadingFailure, at now: Duration) -> Action {
        guard let step else { return fail(failure, at: now) }
        if case .subscribing = phase { step.source.map { _ = subscribed.remove($0) } }
        let isFinal = failure.code.known.map { $0.needsUserAction || $0 == .noPoint } ?? false
        if step.isOptional { return advance(now) }
        let named = ReadingFailure(
            code: failure.code,
            message: failure.message.contains(stepName) ? failure.message : "\(stepName): \(failure.message)")
        guard tries < recipe.tries, !isFinal else { return fail(named, at: now) }
        phase = .retrying(named)
        let rested = requestedAt.map { $0 + recipe.rest } ?? now
        return .pause(until: min(max(rested, now + Self.firstPause * (1 << (tries - 1))), recipe.timeout))
    }

    /// Ends the conversation with its connection. An answer that came before that counts, as that of a read does.
    private mutating func lost(_ failure: ReadingFailure, value: [UInt8]?, at now: Duration) -> Action {
        let hasWritten = hasWritten
        switch (phase, value) {
        case (.reading, let value?): _ = accept(value, judgedBy: answer.frame.flaw(in: value), at: now)
        case (.listening, _): _ = look(now)
        // Many devices answer before they confirm the write.
        case (.writing, _): if case .ask? = step?.action { _ = listen(now) }
        default: break
        }
        if case .ended = phase { return .end(outcome) }
        // What was to come next wasn't performed.
        outcome.failure = outcome.failure ?? failure
        outcome.owesLast = (outcome.owesLast || hasWritten) && !recipe.last.isEmpty
        phase = .ended
        return .end(outcome)
    }

    private mutating func fail(_ failure: ReadingFailure, at now: Duration) -> Action {
        outcome.failure = outcome.failure ?? failure
        return beginLast(isFirst: false, now)
    }

    // MARK: Last writes

    private mutating func beginLast(isFirst: Bool, _ now: Duration) -> Action {
        guard isFirst || hasWritten, !recipe.last.isEmpty else {
            phase = .ended
            return .end(outcome)
        }
        return writeLast(0, isFirst: isFirst, at: now)
    }

    private mutating func writeLast(_ index: Int, isFirst: Bool, at now: Duration) -> Action {
        let write = recipe.last[index]
        outcome.owesLast = true
        phase = .last(index, isFirst: isFirst)
        requests += 1
        return .write(
            write.characteristic, write.bytes.bytes(context).map { $0 ?? 0 }, withResponse: write.withResponse,
            until: now + Self.lastWrite)
    }

    private mutating func wroteLast(_ index: Int, isFirst: Bool, event: Event, at now: Duration) -> Action {
        switch event {
        case .failed(let failure):
            outcome.failure =
                outcome.failure ?? ReadingFailure(code: failure.code, message: "last write: \(failure.message)")
            phase = .ended
            return .end(outcome)
        case .stop(let failure): outcome.failure = outcome.failure ?? failure
        default: break
        }
        guard index + 1 == recipe.last.count else { return writeLast(index + 1, isFirst: isFirst, at: now) }
        outcome.owesLast = false
        guard isFirst, outcome.failure == nil else {
            phase = .ended
            return .end(outcome)
        }
        phase = .next
        return begin(now)
    }
}

extension Recipe.Step {
    /// The characteristic that notifies its answer; `nil` when none does.
    var source: RecipeCharacteristic? {
        switch action {
        case .ask(_, let source), .await(let source), .subscribe(let source): source
        case .read, .write, .pause, .loop: nil
        }
    }

    /// What it uses of the device.
    var characteristics: [RecipeCharacteristic] {
        switch action {
        case .read(let characteristic), .await(let characteristic), .subscribe(let characteristic): [characteristic]
        case .write(let write): [write.characteristic]
        case .ask(let write, let source): [write.characteristic, source]
        case .pause, .loop: []
        }
    }
}

extension ReadingFailure {
    /// An answer came, and is wrong.
    fileprivate static func answer(_ sentence: String) -> ReadingFailure { ReadingFailure(.badAnswer, sentence) }

    /// The conversation got the result of another action.
    fileprivate static var unexpected: ReadingFailure { answer("a call had another result than expected") }
}

extension [UInt8] {
    /// Whether these bytes, one after another, are all of it.
    fileprivate func isRepetition(of pattern: [UInt8]) -> Bool {
        !isEmpty && !pattern.isEmpty && count % pattern.count == 0
            && indices.allSatisfy { self[$0] == pattern[$0 % pattern.count] }
    }
}

extension MeasuredValue {
    /// The value as text, without a unit.
    var plain: String {
        switch self {
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .text(let text): text
        case .boolean(let flag): "\(flag)"
        case .list: "a list"
        }
    }
}
