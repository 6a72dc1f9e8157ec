import BlekeepOutputs
import DBus

/// The result of one check of `doctor`.
struct Finding: Sendable, Equatable {
    enum State: String, Sendable, CaseIterable { case ok, warn, fail }

    /// A word for programs: `bus`, `adapter` …
    var check: String
    var state: State
    /// The result in words.
    var text: String
    /// What the user can do; `nil` when nothing is wrong.
    var advice: String?
    /// The exit code when this is the worst result.
    var code: Failure.Code = .someFailed
    /// The error as D-Bus reports it; `nil` without one.
    var detail: String?

    static func ok(_ check: String, text: String) -> Finding { Finding(check: check, state: .ok, text: text) }

    static func warn(_ check: String, text: String, advice: String) -> Finding {
        Finding(check: check, state: .warn, text: text, advice: advice)
    }

    static func fail(_ check: String, text: String, advice: String, code: Failure.Code = .someFailed) -> Finding {
        Finding(check: check, state: .fail, text: text, advice: advice, code: code)
    }

    /// The finding with the error of D-Bus behind it.
    func because(_ error: BusError) -> Finding {
        var finding = self
        finding.detail = Untrusted(error.detail, limit: 300).description
        return finding
    }

    /// - Parameter isDetailed: whether to add the error of D-Bus.
    func line(on terminal: Terminal, isDetailed: Bool) -> String {
        let paint: Paint =
            switch state {
            case .ok: .good
            case .warn: .warning
            case .fail: .bad
            }
        let word = state.rawValue + String(repeating: " ", count: 4 - state.rawValue.count)
        let line = "\(terminal.paint(word, as: paint))  \(check): \(text)"
        let more = [advice, isDetailed ? detail : nil].compactMap(\.self)
        return ([line] + more).joined(separator: "\n      ")
    }

    var json: JSON {
        .object([
            "check": .text(check), "state": .text(state.rawValue), "text": .text(text), "advice": .text(advice),
            "detail": .text(detail),
        ])
    }
}
