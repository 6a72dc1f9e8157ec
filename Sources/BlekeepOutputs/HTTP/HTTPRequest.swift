package struct HTTPRequest {
    /// The URL from `/` on.
    var path: String
    /// Lines such as `Content-Type: application/json`.
    var headers: [String]
    var body: [UInt8]
    /// For Basic authentication; `nil` for none.
    var user: String?
    var password: String?
}

/// A server's answer to a request.
package struct HTTPAnswer: Hashable {
    var status: Int
    /// The pause in the server's header `Retry-After`; `nil` without one.
    var pause: Duration?
    /// The beginning of the body, at most `maxBytes`.
    var body: [UInt8] = []

    static let maxBytes = 64 << 10
    /// The longest pause that a server can ask for.
    static let maxPause: Duration = .seconds(900)
}
