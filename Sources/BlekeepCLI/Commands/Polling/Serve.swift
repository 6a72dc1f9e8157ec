import ArgumentParser
import BlekeepConfiguration
import BlekeepOutputs
import BlekeepReadings
import FoundationEssentials
import Glibc

struct Serve: OptionsCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve pages, readings, states and metrics over HTTP.",
        discussion: """
            Reads what 'poll' stores, also while it isn't running, until Ctrl-C: pages for a browser at /, and /readings, \
            /devices, /events, /metrics, /healthz and /openapi.json for programs. It runs the program blekeep-serve, which is \
            beside blekeep. To listen on an address that other machines reach, it needs a token, and each request then needs \
            the header 'Authorization: Bearer TOKEN'. A browser asks for it: enter the token as the password.

            Examples:
              blekeep serve
              curl 'http://127.0.0.1:8080/readings?since=1h'
              blekeep serve --listen 0.0.0.0:8080 --token /etc/blekeep/token
            """)

    @Option(
        help: ArgumentHelp(
            "The IP address and port to listen on. (default: \(ListenAddress.usual))", valueName: "address:port"),
        transform: Self.address)
    var listen = ListenAddress.usual

    @Option(
        name: .customLong("host"),
        help: ArgumentHelp("A name of this machine that requests may use; repeatable.", valueName: "name"))
    var hosts: [String] = []

    @Option(
        help: ArgumentHelp("The file, or systemd's credential, with the token.", valueName: "file"),
        completion: .file())
    var token: String?

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var process: ProcessOptions

    var options: GlobalOptions { GlobalOptions(config: file.config, process: process) }

    func validate() throws {
        do { try serveOptions.check() } catch { throw ValidationError(error.message) }
    }

    private var serveOptions: ServeOptions {
        var serve = ServeOptions(listen: listen)
        serve.hosts = hosts
        serve.token = token
        serve.config = options.configurationFile(in: Composition.environment)
        serve.level = options.level
        serve.timeout = options.timeout?.duration
        return serve
    }

    /// Replaces the process by the server's.
    func run() throws {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = (own ?? "").split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let program = "\(folder)/\(ServeOptions.program)"
        var words = ([program] + serveOptions.arguments).map { strdup($0) } + [nil]
        execv(program, &words)
        let code = errno
        guard code == ENOENT else { throw Failure(.allFailed, "can't run \(program): \(SystemError.words(for: code))") }
        throw Failure(
            .notFound,
            "there is no \(program): install the package \(ServeOptions.program), or build it with 'swift build --product "
                + "\(ServeOptions.program)'")
    }
}

extension Serve {
    /// - Throws: a sentence that says how to write an address.
    private static func address(_ text: String) throws -> ListenAddress {
        if let address = ListenAddress(text) { return address }
        throw ValidationError(
            "'\(Untrusted(text))' isn't an IP address and a port; write one such as 127.0.0.1:8080 or [::1]:8080, and "
                + "0.0.0.0:8080 for all of this machine's addresses")
    }
}
