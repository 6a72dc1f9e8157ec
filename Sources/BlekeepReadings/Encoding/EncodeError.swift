/// Why a text is no value of a characteristic: a sentence for the person who wrote it. It may quote what they wrote.
package struct EncodeError: Error, Sendable, Hashable {
    package let message: String

    init(_ message: String) {
        self.message = message
    }

    /// So much of what was written as a sentence has room for.
    static func quoted(_ text: some StringProtocol) -> String {
        text.count > 40 ? "'\(text.prefix(40))…'" : "'\(text)'"
    }
}
