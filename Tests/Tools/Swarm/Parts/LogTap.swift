import Logging

/// A log that passes its lines to a closure.
package struct LogTap: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level
    private let hear: @Sendable (String) -> Void

    package init(level: Logger.Level = .info, _ hear: @escaping @Sendable (_ line: String) -> Void) {
        logLevel = level
        self.hear = hear
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) { hear("\(event.message)") }
}
