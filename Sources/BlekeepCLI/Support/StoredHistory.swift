import Blekeep
import BlekeepHistory

/// The history that the configuration names, for commands that read it.
enum StoredHistory {
    static func path(_ context: CommandContext) throws(Failure) -> String {
        try Composition.readHistoryPath(context.optionalConfiguration, environment: context.environment)
    }

    static func read<Result>(_ context: CommandContext, body: (HistoryReader) throws -> Result) throws -> Result {
        try read(at: path(context), body)
    }

    /// - Throws: a failure for an error of the history, or what `body` throws.
    static func read<Result>(at path: String, _ body: (HistoryReader) throws -> Result) throws -> Result {
        do { return try body(try HistoryReader(path: path)) } catch {
            throw Failure(ofHistory: error) ?? error
        }
    }
}

extension Failure {
    /// The failure for an error of a history or of a query; `nil` for another error.
    init?(ofHistory error: any Error) {
        switch error {
        case let error as HistoryError: self.init(error)
        case let error as HistoryQueryError: self.init(error)
        default: return nil
        }
    }

    init(_ error: HistoryError) {
        let code: Code =
            switch error {
            case .inUse: .alreadyRunning
            case .missing: .notFound
            default: error.isPassing ? .allFailed : .badConfiguration
            }
        self.init(code, error.description)
    }

    init(_ error: HistoryPathError) {
        self.init(error.isInConfiguration ? .badConfiguration : .usage, error.message)
    }

    init(_ error: HistoryQueryError) {
        self.init(error.code == .unknownDevice ? .notFound : .usage, error.message)
    }
}
