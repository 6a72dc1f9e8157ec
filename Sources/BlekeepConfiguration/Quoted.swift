/// Text from a file, quoted for a message.
package enum Quoted {
    /// Returns the text in backquotes, cut after 40 characters. `ConfigurationProblem` escapes it.
    package static func text(_ text: String) -> String {
        text.unicodeScalars.count > 40 ? "`\(String(text.unicodeScalars.prefix(40)))…`" : "`\(text)`"
    }
}
