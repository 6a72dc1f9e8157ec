import BlekeepOutputs

/// The result of one check of `doctor`.
struct Finding: Sendable, Equatable {
    enum State: String, Sendable { case ok, warn, fail }

    /// A word for programs: `bus`, `adapter` …
    var check: String
    var state: State
    /// The result in words.
    var text: String
    /// What the user can do; `nil` when nothing is wrong.
    var advice: String?
    /// The exit code when this is the worst result.
    var code: Failure.Code = .someFailed

    static func ok(_ check: String, _ text: String) -> Finding { Finding(check: check, state: .ok, text: text) }

    static func warn(_ check: String, _ text: String, _ advice: String) -> Finding {
        Finding(check: check, state: .warn, text: text, advice: advice)
    }

    static func fail(
        _ check: String, _ text: String, _ advice: String, _ code: Failure.Code = .someFailed
    ) -> Finding {
        Finding(check: check, state: .fail, text: text, advice: advice, code: code)
    }

    func line(on terminal: Terminal) -> String {
        let paint: Paint =
            switch state {
            case .ok: .good
            case .warn: .warning
            case .fail: .bad
            }
        let word = state.rawValue + String(repeating: " ", count: 4 - state.rawValue.count)
        let line = "\(terminal.paint(word, paint))  \(check): \(text)"
        return advice.map { "\(line)\n      \($0)" } ?? line
    }

    var json: JSON {
        .object([
            "check": .text(check), "state": .text(state.rawValue), "text": .text(text), "advice": .text(advice),
        ])
    }
}
