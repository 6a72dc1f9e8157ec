/// How a duration should have been written.
package struct DurationTextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What to do, without the duration itself: `say a unit, such as 30s`.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
