/// A request for new readings as they come.
struct EventsRequest: Sendable, Equatable {
    /// The sequence number of the last reading that the client has; `nil` to begin with the next one.
    var after: Int64?

    init(after: Int64? = nil) { self.after = after }

    static let parameter = Parameter(
        "Last-Event-ID", in: .header, "The number of the last reading that the client has.", schema: Parameter.number)

    /// - Parameter lastEvent: the values of all headers of that name.
    init(lastEvent: [String]) throws(Problem) {
        // A client that got no event yet may send an empty one.
        guard let text = lastEvent.first, !text.isEmpty else { return }
        guard lastEvent.count == 1, let number = ReadingsRequest.number(text) else {
            throw Problem(.badRequest, "Last-Event-ID isn't the sequence number of a reading")
        }
        after = number
    }
}
