import BlekeepOutputs
import BlekeepRecords
import Logging

/// What `blekeep serve` tells `blekeep-serve`, as arguments.
package struct ServeOptions: Sendable, Equatable {
    package var listen: ListenAddress
    /// Further names of this machine that a request may name.
    package var hosts: [String] = []
    /// The credential or file with the token; `nil` to serve without one.
    package var token: String?
    /// The configuration file; `nil` for the usual places.
    package var config: String?
    package var level: Logger.Level = .notice
    /// The time after which it ends; `nil` for never.
    package var timeout: Duration?

    package static let program = "blekeep-serve"

    package init(listen: ListenAddress) { self.listen = listen }

    /// - Throws: a sentence about a mistake.
    package func check() throws(UserError) {
        if let host = hosts.first(where: { !Self.isHostName($0) }) {
            throw UserError("'\(Untrusted(host))' isn't the name of a machine; write one such as gateway.local")
        }
        if token == "" { throw UserError("--token needs the name of a credential, or the path of a file") }
        guard listen.isLoopback || token != nil else {
            throw UserError("other machines can reach \(listen): protect it with --token, or listen on 127.0.0.1")
        }
    }

    /// Letters, digits, `-`, `_` and dots.
    static func isHostName(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count) && !text.hasPrefix(".")
            && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_.".utf8.contains($0) }
    }

    // MARK: As arguments

    package var arguments: [String] {
        var all = ["--listen", "\(listen)", "--log-level", level.rawValue]
        for host in hosts { all += ["--host", host] }
        if let token { all += ["--token", token] }
        if let config { all += ["--config", config] }
        if let timeout { all += ["--timeout", DurationText.text(timeout)] }
        return all
    }

    /// Reads the arguments that `arguments` writes.
    package init(arguments: [String]) throws(UserError) {
        var values: [String: [String]] = [:]
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard name.hasPrefix("--"), let value = rest.popFirst() else { throw Self.misuse }
            values[name, default: []].append(value)
        }
        let known: Set = ["--listen", "--log-level", "--host", "--token", "--config", "--timeout"]
        guard known.isSuperset(of: values.keys), values.allSatisfy({ $0 == "--host" || $1.count == 1 }),
            let listen = values["--listen"]?.first.flatMap({ ListenAddress($0) }),
            let level = values["--log-level"]?.first.flatMap({ Logger.Level(rawValue: $0) })
        else { throw Self.misuse }
        self.listen = listen
        self.level = level
        hosts = values["--host"] ?? []
        token = values["--token"]?.first
        config = values["--config"]?.first
        if let text = values["--timeout"]?.first {
            guard let limit = try? DurationText.parse(text), limit > .zero else { throw Self.misuse }
            timeout = limit
        }
        try check()
    }

    private static let misuse = UserError("start it with 'blekeep serve'")
}
