import FoundationEssentials

/// Checks the token of a request, in a time that doesn't depend on how much of it is right.
struct TokenRule: Sendable {
    private let token: [UInt8]?

    /// The least bytes of a token, so that it can't be guessed.
    static let shortest = 16
    /// The most bytes.
    static let longest = 256

    /// - Parameter token: `nil` to need none.
    init(_ token: String?) { self.token = token.map { Array($0.utf8) } }

    /// - Parameter authorizations: the values of all `Authorization` headers.
    func check(_ authorizations: [String]) throws(Problem) {
        guard let token else { return }
        let given = authorizations.count == 1 ? authorizations.first.flatMap(Self.token) : nil
        guard let given, Self.isEqual(given, to: token) else {
            throw Problem(
                .unauthorized,
                "the request needs the header 'Authorization: Bearer TOKEN' with this server's token; a browser asks for it: "
                    + "enter the token as the password, with any user name",
                headers: [
                    Header("WWW-Authenticate", "Bearer realm=\"blekeep\""),
                    Header("WWW-Authenticate", "Basic realm=\"blekeep\", charset=\"UTF-8\""),
                ])
        }
    }

    /// Returns the token of a program, or the password with which a browser sends it.
    private static func token(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        switch parts[0].lowercased() {
        case "bearer": return Array(parts[1].utf8)
        case "basic":
            guard let pair = Data(base64Encoded: String(parts[1])), let colon = pair.firstIndex(of: UInt8(ascii: ":"))
            else { return nil }
            return Array(pair[(colon + 1)...])
        default: return nil
        }
    }

    private static func isEqual(_ given: [UInt8], to token: [UInt8]) -> Bool {
        guard !token.isEmpty else { return false }
        var difference = UInt(bitPattern: given.count ^ token.count)
        for index in given.indices { difference |= UInt(given[index] ^ token[index % token.count]) }
        return difference == 0
    }
}
