import BlekeepOutputs
import NIOHTTP1

/// A request that can't be answered: a status and a sentence for the client.
struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
    enum Status: Int, Sendable {
        case badRequest = 400
        case unauthorized = 401
        case forbidden = 403
        case notFound = 404
        case methodNotAllowed = 405
        case contentTooLarge = 413
        case uriTooLong = 414
        case misdirected = 421
        case headersTooLarge = 431
        case internalError = 500
        case unavailable = 503
    }

    let status: Status
    let sentence: String
    var description: String { sentence }
    var headers: [Header] = []

    init(_ status: Status, _ sentence: String, headers: [Header] = []) {
        self.status = status
        self.sentence = sentence
        self.headers = headers
    }

    /// The problem details of RFC 9457.
    var answer: Answer {
        var bytes: [UInt8] = []
        Self.table.append(self, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        return Answer(status: status.rawValue, type: "application/problem+json", headers: headers, body: .bytes(bytes))
    }

    /// The fields of the details.
    static let table = JSONTable<Problem>([
        .always("type", schema: .schema("string")) { _ in "about:blank" },
        .always("title", schema: .schema("string")) { .text($0.title) },
        .always("status", schema: .schema("integer")) { .integer($0.status.rawValue) },
        .always("detail", schema: .schema("string", meaning: "A sentence.")) { .text($0.sentence) },
    ])

    /// NIO has the name that 413 had before RFC 9110.
    var title: String {
        status == .contentTooLarge
            ? "Content Too Large" : HTTPResponseStatus(statusCode: status.rawValue).reasonPhrase
    }

    /// Text of a client, as it is repeated to it.
    static func shown(_ text: String) -> String { Untrusted(text).description }
}

/// A header field of an answer.
struct Header: Sendable, Equatable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}
