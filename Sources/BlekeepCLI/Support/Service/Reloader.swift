import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepService
import Logging

/// Reads the configuration of a running poller again. With a mistake in it, nothing changes.
final class Reloader {
    private let keeper: Keeper
    private let history: History
    private var sinks: ConfiguredSinks
    /// The sinks that no configuration changes.
    private let fixed: [any Sink]
    private let log: Logger
    private let load: () throws -> Configuration
    private let historyPath: String?
    /// Called with the new configuration.
    var onReload: ((Configuration) -> Void)?

    /// - Parameters:
    ///   - fixed: the sinks that no configuration changes.
    ///   - historyPath: the configured path of the open history.
    ///   - load: reads the configuration.
    init(
        _ keeper: Keeper, _ history: History, _ sinks: ConfiguredSinks, _ fixed: [any Sink], historyPath: String?,
        log: Logger, load: @escaping () throws -> Configuration
    ) {
        self.keeper = keeper
        self.history = history
        self.sinks = sinks
        self.fixed = fixed
        self.historyPath = historyPath
        self.log = log
        self.load = load
    }

    /// - Throws: a failure for the user, which the log has as well.
    func reload() throws(ReloadFailure) {
        do {
            let configuration = try load()
            guard configuration.history.path == historyPath else {
                throw UserError("'history: path' changes only when blekeep starts: restart it")
            }
            var sinks = sinks
            sinks.apply(configuration)
            try keeper.reconfigure(configuration.poll, sinks: fixed + sinks.all)
            self.sinks = sinks
            history.change(HistoryLimits(configuration.history))
            onReload?(configuration)
            log.notice("read the configuration again")
        } catch {
            let failure = error as? Failure
            let message = failure?.message ?? "\(error)"
            log.refusedConfiguration(message)
            throw ReloadFailure(isMistake: failure?.code == .badConfiguration || failure?.code == .usage, message)
        }
    }
}

extension Logger {
    /// Logs why a process keeps its old configuration, a line for each mistake.
    func refusedConfiguration(_ message: String) {
        error("kept the configuration, because the new one can't be used")
        for sentence in message.split(separator: "\n") { error("\(sentence)") }
    }
}
