import BlekeepOutputs

/// What a client gets.
struct Answer: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        /// Read page by page, as fast as the client takes them.
        case pages(ReadingPages)
        /// The readings after a number, and then each new one.
        case events(after: Int64)
    }

    var status = 200
    var type: String
    var headers: [Header] = []
    var body: Body

    /// A shorter answer isn't worth the work.
    private static let leastCompressed = 1024

    /// Compresses the text of pages.
    ///
    /// - Parameter encodings: what the client accepts.
    func compressed(for encodings: String) -> Answer {
        guard type.hasPrefix("text/"), case .bytes(let bytes) = body, bytes.count >= Self.leastCompressed,
            encodings.split(whereSeparator: { ", ".contains($0) }).contains("gzip"), let short = Gzip.compress(bytes)
        else { return self }
        var answer = self
        answer.headers += [Header("Content-Encoding", "gzip"), Header("Vary", "Accept-Encoding")]
        answer.body = .bytes(short)
        return answer
    }

    static func metrics(_ page: [UInt8]) -> Answer {
        Answer(type: "text/plain; version=0.0.4; charset=utf-8", body: .bytes(page))
    }

    static func json(_ text: String, status: Int = 200) -> Answer {
        Answer(status: status, type: "application/json", body: .bytes(Array((text + "\n").utf8)))
    }
}
