import Blekeep

/// One POST request.
struct HTTPRequest {
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
struct HTTPAnswer: Hashable {
    var status: Int
    /// What the server asked for with `Retry-After`; `nil` for nothing.
    var pause: Duration?
    /// At most `mostBytes` of the body.
    var body: [UInt8] = []

    static let mostBytes = 64 << 10
    /// The longest pause that a server can ask for.
    static let longestPause: Duration = .seconds(900)

    var isSuccess: Bool { (200..<300).contains(status) }
}

/// What becomes of the readings of a request.
enum HTTPVerdict: Hashable {
    /// The server has them.
    case done
    /// The server refuses at least one of them, for this reason.
    case refused(String)
    /// The request has more bytes than the server takes.
    case tooLarge
    /// The server has none of them for a reason that may pass: all stay in the history.
    case kept(HTTPError)
}
