/// Text from a file, fit to be shown in a message.
enum Quoted {
    /// The text in `…`, cut after 40 characters.
    static func text(_ text: String) -> String {
        text.unicodeScalars.count > 40 ? "`\(String(text.unicodeScalars.prefix(40)))…`" : "`\(text)`"
    }

    /// Without characters that move the cursor, hide or turn the writing round: those are spelt `\u{1B}`.
    static func harmless(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isInvisible(scalar) {
                shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
            } else {
                shown.append(scalar)
            }
        }
        return String(shown)
    }

    /// Whether a character controls, formats or separates instead of being seen.
    static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}
