/// A conversation with a device that gives these answers: for a recipe's own tests, and for bytes that a user typed. Each
/// step is tried once.
package struct RecipeTrial: Sendable {
    package private(set) var outcome = Conversation.Outcome()
    /// What the conversation wrote, in order.
    package private(set) var writes: [[UInt8]] = []
    /// The number of answers that the conversation didn't ask for.
    package private(set) var unused = 0

    /// The secret that a trial sends.
    package static let secret = "secret"

    /// Runs the conversation to its end.
    ///
    /// - Parameters:
    ///   - answers: in the order of the steps that have an answer; `nil` for none. After the last one, no more come.
    ///   - missing: the characteristics that the device lacks.
    ///   - piece: the most bytes of a notification, for answers that come in several.
    package init(
        _ recipe: Recipe, answers: [[UInt8]?], missing: Set<RecipeCharacteristic> = [], piece: Int = 20
    ) {
        var setting = Conversation.Setting(
            characteristics: recipe.characteristics.filter { !missing.contains($0) })
        setting.secret = Array(Self.secret.utf8)
        setting.random = (0..<UInt8(Recipe.Piece.maxNonce)).map { $0 }
        var recipe = recipe
        recipe.tries = 1
        var conversation = Conversation(recipe, setting)
        var rest = answers[...]
        var now = Duration.zero
        // The number of the listening that got its answer.
        var answered = 0
        var action = conversation.handle(.begin, at: now)
        while true {
            var event = Conversation.Event.resume
            switch action {
            case .end(let outcome):
                self.outcome = outcome
                unused = rest.count
                return
            case .read:
                if let answer = rest.popFirst() ?? nil {
                    event = .value(answer)
                } else {
                    event = .failed(ReadingFailure(.noAnswer, "the test has no answer"))
                }
            case .write(_, let bytes, _, _):
                writes.append(bytes)
                event = .done
            case .subscribe: event = .done
            case .pause(let end): now = max(now, end)
            case .listen(let end):
                let isNew = conversation.listens != answered
                answered = conversation.listens
                guard isNew, let source = conversation.source, let answer = rest.popFirst() ?? nil else {
                    now = max(now, end)
                    break
                }
                if conversation.joinsNotifications {
                    for start in stride(from: 0, to: answer.count, by: max(1, piece)) {
                        let part = answer[start..<min(answer.count, start + max(1, piece))]
                        conversation.received(Array(part), from: source, at: now)
                    }
                } else {
                    conversation.received(answer, from: source, at: now)
                }
            }
            action = conversation.handle(event, at: now)
        }
    }
}

extension Recipe {
    /// All characteristics that it uses.
    package var characteristics: [RecipeCharacteristic] {
        var seen: Set<RecipeCharacteristic> = []
        return (allSteps.flatMap(\.characteristics) + last.map(\.characteristic)).filter { seen.insert($0).inserted }
    }
}
