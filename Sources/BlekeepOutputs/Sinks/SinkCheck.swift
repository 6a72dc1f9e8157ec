/// A round trip to a server that readings go to, for `doctor`. It leaves no reading there.
package protocol SinkCheck: AnyObject {
    /// The sink's name, as in `blekeep status`.
    var name: String { get }

    /// Calls `done` later, once, with a sentence for the user or with the error.
    func start(_ done: @escaping (Result<String, any Error>) -> Void)

    /// After the result, what else is wrong: sentences that name what to do after a semicolon.
    var warnings: [String] { get }

    /// Ends it without waiting.
    func end()
}

extension SinkCheck {
    package var warnings: [String] { [] }
}
