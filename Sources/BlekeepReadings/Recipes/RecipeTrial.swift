/// A conversation with a device that gives these answers: for a recipe's own tests, and for bytes that a user typed. Each
/// step is tried once.
package struct RecipeTrial: Sendable {
    package private(set) var outcome = Conversation.Outcome()
    /// What the conversation wrote and got, in order.
    package private(set) var exchange: [Exchange] = []
    package var writes: [[UInt8]] { exchange.filter { $0.kind == .written }.map(\.bytes) }
    /// The number of answers that the conversation didn't ask for.
    package private(set) var unused = 0

    /// The secret that a trial sends, and the bytes of its nonces.
    package static let secret = "secret"
    package static let random = (0..<UInt8(Recipe.Piece.maxNonce)).map { $0 }

    init(outcome: Conversation.Outcome, exchange: [Exchange], unused: Int) {
        (self.outcome, self.exchange, self.unused) = (outcome, exchange, unused)
    }

    /// Runs the conversation to its end.
    ///
    /// - Parameters:
    ///   - answers: in the order of the steps that have an answer; `nil` for none. After the last one, no more come.
    ///   - missing: the characteristics that the device lacks.
    ///   - piece: the most bytes of a notification, for answers that come in several.
    package init(_ recipe: Recipe, answers: [[UInt8]?], missing: Set<RecipeCharacteristic> = [], piece: Int = 20) {
        var setting = Conversation.Setting(characteristics: recipe.characteristics.filter { !missing.contains($0) })
        setting.secret = Array(Self.secret.utf8)
        setting.random = Self.random
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
            case .read(let source, _):
                if let answer = rest.popFirst() ?? nil {
                    exchange.append(Exchange(.read, source, answer))
                    event = .value(answer)
                } else {
                    event = .failed(ReadingFailure(.noAnswer, "the test has no answer"))
                }
            case .write(let target, let bytes, _, _):
                exchange.append(Exchange(.written, target, bytes))
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
                let size = conversation.joinsNotifications ? max(1, piece) : max(1, answer.count)
                for start in stride(from: 0, to: answer.count, by: size) {
                    let part = Array(answer[start..<min(answer.count, start + size)])
                    exchange.append(Exchange(.notified, source, part))
                    conversation.received(part, from: source, at: now)
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
