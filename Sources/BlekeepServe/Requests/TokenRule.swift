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
        guard let given, Self.isEqual(given, token) else {
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
            guard let pair = Base64.decode(parts[1]), let colon = pair.firstIndex(of: UInt8(ascii: ":")) else {
                return nil
            }
            return Array(pair[(colon + 1)...])
        default: return nil
        }
    }

    private static func isEqual(_ given: [UInt8], _ token: [UInt8]) -> Bool {
        guard !token.isEmpty else { return false }
        var difference = UInt(bitPattern: given.count ^ token.count)
        for index in given.indices { difference |= UInt(given[index] ^ token[index % token.count]) }
        return difference == 0
    }
}

/// Bytes as 64 characters, each for six bits (RFC 4648).
enum Base64 {
    private static let values: [UInt8: UInt32] = {
        let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
        return Dictionary(uniqueKeysWithValues: digits.enumerated().map { ($1, UInt32($0)) })
    }()

    /// - Returns: `nil` for what isn't complete groups of four characters.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let characters = Array(text.utf8)
        let digits = characters.prefix { $0 != UInt8(ascii: "=") }
        let padding = characters.count - digits.count
        guard characters.count % 4 == 0, padding <= 2,
            characters.suffix(padding).allSatisfy({ $0 == UInt8(ascii: "=") })
        else { return nil }
        var bytes: [UInt8] = []
        var (bits, count) = (0 as UInt32, 0)
        for digit in digits {
            guard let value = values[digit] else { return nil }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }
}
