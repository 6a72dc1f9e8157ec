import BlekeepConfiguration
import BlekeepHistory
import BlekeepLog
import BlekeepOutputs
import BlekeepRecords
import Glibc
import Logging
import NIOCore
import RunLoop

/// `blekeep-serve`, which `blekeep serve` starts: serves the history over HTTP.
///
/// The main thread alone reads the history, and a second one has the connections.
@main
enum Main {
    private struct Failure: Error {
        let code: Int32
        let message: String
    }

    private static let usage: Int32 = 2
    private static let allFailed: Int32 = 6
    private static let badConfiguration: Int32 = 78
    private static let timedOut: Int32 = 124

    static func main() {
        StandardDescriptors.fill()
        signal(SIGPIPE, SIG_IGN)
        do throws(Failure) {
            let code = try run(Array(CommandLine.arguments.dropFirst()))
            StandardError.finish()
            BlockingCall.exitProcess(code)
        } catch {
            StandardError.print("blekeep: \(error.message)")
            StandardError.finish()
            BlockingCall.exitProcess(error.code)
        }
    }

    /// Serves until the end of its time. Returns the exit code.
    private static func run(_ arguments: [String]) throws(Failure) -> Int32 {
        let options: ServeOptions
        do { options = try ServeOptions(arguments: arguments) } catch {
            throw Failure(code: usage, message: error.message)
        }
        let environment = ProcessEnvironment.all
        let log = Logger.standardError(level: options.level)
        var loader = ConfigurationLoader(file: options.config, environment: environment, names: .assigned)
        loader.history = { try? HistoryPath.choose($0, environment: environment) }
        let configuration = try configuration(loader)
        let path = try historyPath(configuration, in: environment)
        let token = try token(options, in: environment)
        endWithSignals()
        do {
            let loop = try RunLoop()
            StandardError.attach(to: loop)
            let ending = Gate(loop)
            if let timeout = options.timeout { loop.schedule(at: loop.now + timeout) { ending.open() } }
            let history = ServedHistory(path: path, configuration: configuration, loader: loader, on: loop, log: log)
            let server = Server(HistoryThread(loop: loop, history: history), options: options, token: token, log: log)
            let address = try server.listen(options.listen)
            log.notice("serving the history \(path) on http://\(shown(address, listen: options.listen))")
            // The first page of a process takes twice as long as the next one.
            loop.soon { _ = history.page(PageRequest(.overview(OverviewView()))) }
            try loop.run { await ending.wait() }
            return timedOut
        } catch {
            let reason = (error as? IOError).map { SystemError.words(for: $0.errnoCode) } ?? "\(error)"
            throw Failure(code: allFailed, message: "can't listen on \(options.listen): \(reason)")
        }
    }

    /// Ends the process at once, also while it reads much of the history: it writes nothing that could be torn.
    private static func endWithSignals() {
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number) { _exit($0 == SIGTERM ? 0 : 128 + $0) } }
    }

    private static func shown(_ address: SocketAddress?, listen: ListenAddress) -> String {
        guard let port = address?.port else { return "\(listen)" }
        return listen.isIPv6 ? "[\(listen.host)]:\(port)" : "\(listen.host):\(port)"
    }

    private static func configuration(_ loader: ConfigurationLoader) throws(Failure) -> Configuration? {
        do { return try loader.load()?.configuration } catch {
            throw Failure(code: error.isPassing ? allFailed : badConfiguration, message: error.description)
        }
    }

    private static func historyPath(
        _ configuration: Configuration?, in environment: [String: String]
    ) throws(Failure) -> String {
        do { return try HistoryPath.choose(configuration?.history.path, environment: environment) } catch {
            throw Failure(code: error.isInConfiguration ? badConfiguration : usage, message: error.message)
        }
    }

    private static func token(_ options: ServeOptions, in environment: [String: String]) throws(Failure) -> String? {
        guard let name = options.token else { return nil }
        let token: String
        do throws(CredentialError) {
            token = try Credentials(environment: environment).secret(name, limit: TokenRule.longest + 1)
        } catch { throw Failure(code: badConfiguration, message: "the token: \(error)") }
        guard (TokenRule.shortest...TokenRule.longest).contains(token.utf8.count),
            token.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else {
            throw Failure(
                code: badConfiguration,
                message: "the token must have \(TokenRule.shortest) to \(TokenRule.longest) letters, digits or marks; "
                    + "write one with 'openssl rand -hex 32'")
        }
        return token
    }
}
