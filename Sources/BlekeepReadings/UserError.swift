/// An error that is a sentence for the user: what happened, and what to do.
///
/// An error that calls for different actions has a type of its own, with a code, a status or a place.
package struct UserError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Lower case, without a final period. A part of it may be text from outside, which the printer escapes.
    package let message: String
    package var description: String { message }

    package init(_ message: String) { self.message = message }
}
