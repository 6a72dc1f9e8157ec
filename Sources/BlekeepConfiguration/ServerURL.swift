import BlekeepOutputs
import Glibc

/// The URL of a server: `mqtt://HOST[:PORT]`, `http://HOST[:PORT][/PATH]`, or the same with TLS.
struct ServerURL: Equatable {
    /// Without the `s` of TLS.
    let scheme: String
    let host: String
    let port: Int
    let isEncrypted: Bool
    /// From `/` on; empty without a path.
    var path = ""

    /// - Returns: `nil` for anything but `mqtt` and `mqtts`, such as a URL with a password.
    static func mqtt(_ text: String) -> ServerURL? {
        guard let (rest, isEncrypted) = rest(of: text, after: "mqtt") else { return nil }
        guard let (host, port) = parts(of: rest.hasSuffix("/") ? rest.dropLast() : rest),
            !host.isEmpty, host.utf8.allSatisfy({ 0x20 < $0 && $0 < 0x7F }), !host.contains(where: "/?#@".contains)
        else { return nil }
        return ServerURL(scheme: "mqtt", host: host, port: port, isEncrypted: isEncrypted)
    }

    /// - Returns: `nil` for anything but `http` and `https`, such as a URL with a password or a fragment.
    static func http(_ text: String) -> ServerURL? {
        guard let (rest, isEncrypted) = rest(of: text, after: "http") else { return nil }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest.dropFirst(authority.count)
        guard let (host, port) = parts(of: authority), isHost(host, isBracketed: rest.hasPrefix("[")),
            path.isEmpty || path.hasPrefix("/"), path.utf8.allSatisfy(isPathByte)
        else { return nil }
        return ServerURL(scheme: "http", host: host, port: port, isEncrypted: isEncrypted, path: String(path))
    }

    private init?(scheme: String, host: Substring, port: Substring, isEncrypted: Bool, path: String = "") {
        let usual = Self.usualPort(scheme, isEncrypted: isEncrypted)
        guard let number = port.isEmpty ? usual : Int(port), (1...65_535).contains(number) else { return nil }
        self.init(scheme: scheme, host: String(host), port: number, isEncrypted: isEncrypted, path: path)
    }

    init(scheme: String, host: String, port: Int, isEncrypted: Bool, path: String = "") {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.isEncrypted = isEncrypted
        self.path = path == "/" ? "" : path
    }

    /// The URL, without a usual port.
    var text: String {
        let port = port == Self.usualPort(scheme, isEncrypted: isEncrypted) ? "" : ":\(port)"
        return "\(scheme)\(isEncrypted ? "s" : "")://\(host.contains(":") ? "[\(host)]" : host)\(port)\(path)"
    }

    private static func usualPort(_ scheme: String, isEncrypted: Bool) -> Int {
        switch (scheme, isEncrypted) {
        case ("mqtt", false): 1883
        case ("mqtt", true): 8883
        case (_, false): 80
        case (_, true): 443
        }
    }

    private static func rest(of text: String, after scheme: String) -> (Substring, isEncrypted: Bool)? {
        if text.hasPrefix("\(scheme)://") { return (text.dropFirst(scheme.count + 3), false) }
        return text.hasPrefix("\(scheme)s://") ? (text.dropFirst(scheme.count + 4), true) : nil
    }

    /// The host and the port; the port is empty where there is none.
    fileprivate static func parts(of text: Substring) -> (host: Substring, port: Substring)? {
        // An IPv6 address has brackets.
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            return (text[text.index(after: text.startIndex)..<end], rest.dropFirst())
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        switch parts.count {
        case 1: return (parts[0], "")
        case 2 where !parts[1].isEmpty: return (parts[0], parts[1])
        default: return nil
        }
    }

    /// libcurl must find the host under exactly this name among the addresses that it gets.
    fileprivate static func isHost(_ host: Substring, isBracketed: Bool) -> Bool {
        if isBracketed {
            var bytes = in6_addr()
            return inet_pton(AF_INET6, String(host), &bytes) == 1
        }
        return ServeOptions.isHostName(String(host)) && !host.hasSuffix(".")
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        0x20 < byte && byte < 0x7F && !"\"#<>\\^`{|}".utf8.contains(byte)
    }
}

/// The URL of a database: `postgresql://[USER@]HOST[:PORT][,HOST…]/DATABASE`.
///
/// Without a host, it is on this machine. Connections to other machines use TLS, unless `?sslmode=disable` ends the URL. A
/// password in cleartext or as MD5 without TLS needs `require_auth=password` or `require_auth=md5` there.
struct PostgresURL: Equatable {
    var hosts: [PostgresConfiguration.Host]
    var database: String
    var user: String?
    var isEncrypted: Bool
    var passwordMethod = PostgresConfiguration.PasswordMethod.scram

    init(_ settings: PostgresConfiguration) {
        hosts = settings.hosts
        database = settings.database
        user = settings.user
        isEncrypted = settings.isEncrypted
        passwordMethod = settings.passwordMethod
    }

    /// - Returns: `nil` for anything else, such as a URL with a password.
    init?(_ text: String) {
        let schemes = ["postgresql://", "postgres://"]
        guard let scheme = schemes.first(where: text.hasPrefix) else { return nil }
        let whole = text.dropFirst(scheme.utf8.count)
        let parts = whole.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let rest = parts.first else { return nil }
        var isPlain = false
        for option in parts.dropFirst().flatMap({ $0.split(separator: "&", omittingEmptySubsequences: false) }) {
            if option == Self.plain {
                isPlain = true
            } else if let method = Method.allCases.first(where: { option == "\(Self.method)=\($0.rawValue)" }) {
                passwordMethod = method
            } else {
                return nil
            }
        }
        guard let slash = rest.lastIndex(of: "/") else { return nil }
        database = String(rest[rest.index(after: slash)...])
        let authority = rest[..<slash].split(separator: "@", omittingEmptySubsequences: false)
        guard authority.count <= 2, Self.isName(database), let places = authority.last else { return nil }
        user = authority.count == 2 ? String(authority[0]) : nil
        guard user.map(Self.isName) != false else { return nil }
        hosts = []
        for place in places.split(separator: ",", omittingEmptySubsequences: false) {
            guard let (name, port) = ServerURL.parts(of: place),
                let number = port.isEmpty ? PostgresConfiguration.usualPort : Int(port), (1...65_535).contains(number),
                name.isEmpty ? places.isEmpty : ServerURL.isHost(name, isBracketed: place.hasPrefix("["))
            else { return nil }
            hosts.append(PostgresConfiguration.Host(name: String(name), port: number))
        }
        guard hosts.count <= PostgresConfiguration.maxHosts else { return nil }
        isEncrypted = !isPlain && !hosts.allSatisfy(Self.isHere)
    }

    private typealias Method = PostgresConfiguration.PasswordMethod
    private static let plain = "sslmode=disable"
    private static let method = "require_auth"

    private static func isHere(_ host: PostgresConfiguration.Host) -> Bool {
        host.name.isEmpty || ["localhost", "::1"].contains(host.name) || host.name.hasPrefix("127.")
    }

    private static func isName(_ text: String) -> Bool {
        (1...63).contains(text.utf8.count)
            && text.utf8.allSatisfy { 0x20 < $0 && $0 < 0x7F && !"\"#%/:;<>?@\\^`{|}".utf8.contains($0) }
    }

    /// The URL, without a usual port.
    var text: String {
        let places = hosts.map { host in
            let port = host.port == PostgresConfiguration.usualPort ? "" : ":\(host.port)"
            return "\(host.name.contains(":") ? "[\(host.name)]" : host.name)\(port)"
        }
        let isPlain = !isEncrypted && !hosts.allSatisfy(Self.isHere)
        let options = [
            isPlain ? Self.plain : nil,
            passwordMethod == .scram ? nil : "\(Self.method)=\(passwordMethod.rawValue)",
        ].compactMap(\.self)
        return "postgresql://\(user.map { "\($0)@" } ?? "")\(places.joined(separator: ","))/\(database)"
            + (options.isEmpty ? "" : "?\(options.joined(separator: "&"))")
    }
}

extension PostgresConfiguration {
    /// - Returns: `nil` for text that isn't a URL of a database.
    package init?(url: String, gateway: String) {
        guard let url = PostgresURL(url) else { return nil }
        self.init(
            hosts: url.hosts, database: url.database, isEncrypted: url.isEncrypted, user: url.user, gateway: gateway)
        passwordMethod = url.passwordMethod
    }
}
