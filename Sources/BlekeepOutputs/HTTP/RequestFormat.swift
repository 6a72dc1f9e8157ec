import BlekeepRecords

/// The requests for one kind of HTTP server, and the meaning of its answers.
package protocol RequestFormat {
    /// The unique name in `blekeep status`.
    var name: String { get }
    var server: HTTPServerConfiguration { get }
    /// Whether the server takes gzip.
    var isCompressed: Bool { get }

    /// Writes one reading.
    var writer: any LineWriter { get }

    /// - Parameter secret: the password or token; `nil` for none.
    func request(_ lines: ArraySlice<BatchQueue.Line>, secret: String?) -> HTTPRequest

    func verdict(_ answer: HTTPAnswer) -> BatchVerdict
}
