import BlekeepOutputs

/// A message of blekeep as a sentence: with a capital letter at the beginning, and a full stop at the end.
struct Sentence {
    let text: String

    init(_ message: String) {
        let shown = Untrusted(message, limit: 600).description
        let isClosed = shown.last.map { ".!?:…".contains($0) } ?? true
        text = Self.capitalized(shown) + (isClosed ? "" : ".")
    }

    /// Names of programs stay as they are.
    static func capitalized(_ text: String) -> String {
        let isName = ["blekeep", "bluetoothd"].contains { text.hasPrefix($0) }
        return isName ? text : text.prefix(1).uppercased() + text.dropFirst()
    }
}

extension Markup.StringInterpolation {
    mutating func appendInterpolation(_ sentence: Sentence) { appendInterpolation(sentence.text) }
}
