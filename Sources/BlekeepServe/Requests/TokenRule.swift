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
        let given = authorizations.count == 1 ? authorizations.first.flatMap(Self.bearer) : nil
        guard let given, Self.isEqual(Array(given.utf8), token) else {
            throw Problem(
                .unauthorized, "the request needs the header 'Authorization: Bearer TOKEN' with this server's token",
                headers: [Header("WWW-Authenticate", "Bearer realm=\"blekeep\"")])
        }
    }

    private static func bearer(_ text: String) -> Substring? {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1]
    }

    private static func isEqual(_ given: [UInt8], _ token: [UInt8]) -> Bool {
        guard !token.isEmpty else { return false }
        var difference = UInt(bitPattern: given.count ^ token.count)
        for index in given.indices { difference |= UInt(given[index] ^ token[index % token.count]) }
        return difference == 0
    }
}
