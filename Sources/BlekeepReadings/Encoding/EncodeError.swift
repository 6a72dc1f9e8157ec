/// The error for text that isn't a value of a characteristic. The message may quote the text.
package struct EncodeError: Error, Sendable, Hashable, CustomStringConvertible {
    package let message: String
    package var description: String { message }

    init(_ message: String) {
        self.message = message
    }

    /// Quotes at most 40 characters.
    static func quoted(_ text: some StringProtocol) -> String {
        text.count > 40 ? "'\(text.prefix(40))…'" : "'\(text)'"
    }
}
