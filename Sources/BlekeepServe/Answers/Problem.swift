import BlekeepOutputs

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
        let object = JSON.object([
            "type": "about:blank", "title": .text(title), "status": .integer(status.rawValue),
            "detail": .text(sentence),
        ])
        return Answer(
            status: status.rawValue, type: "application/problem+json", headers: headers,
            body: .bytes(Array((object.text + "\n").utf8)))
    }

    var title: String {
        switch status {
        case .badRequest: "Bad Request"
        case .unauthorized: "Unauthorized"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .contentTooLarge: "Content Too Large"
        case .uriTooLong: "URI Too Long"
        case .misdirected: "Misdirected Request"
        case .headersTooLarge: "Request Header Fields Too Large"
        case .internalError: "Internal Server Error"
        case .unavailable: "Service Unavailable"
        }
    }

    /// Text of a client, as it is repeated to it.
    static func shown(_ text: String) -> String { Untrusted(text).description }
}

/// A header field of an answer.
struct Header: Sendable, Equatable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
