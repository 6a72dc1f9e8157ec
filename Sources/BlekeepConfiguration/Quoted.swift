/// Text from a file as a message quotes it.
package enum Quoted {
    /// The text in `…`, cut after 40 characters; `ConfigurationProblem` makes the message harmless.
    package static func text(_ text: String) -> String {
        text.unicodeScalars.count > 40 ? "`\(String(text.unicodeScalars.prefix(40)))…`" : "`\(text)`"
    }
}
