import Logging

/// A log that collects its lines for a test.
struct LogLines: LogHandler {
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.notice
    let take: @Sendable (String) -> Void

    init(_ take: @escaping @Sendable (String) -> Void) { self.take = take }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { take("\(event.message)") }
}
