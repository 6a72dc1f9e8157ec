/// The error for text that isn't a duration: it says how to write one.
package struct DurationTextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What to do, without the text itself: `say a unit, such as 30s`.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
