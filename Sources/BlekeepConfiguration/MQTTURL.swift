/// `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`.
struct MQTTURL {
    let host: String
    let port: Int
    let isEncrypted: Bool

    /// - Returns: `nil` for anything else, such as a URL with a password.
    init?(_ text: String) {
        let schemes = [("mqtts://", true, 8883), ("mqtt://", false, 1883)]
        guard let scheme = schemes.first(where: { text.hasPrefix($0.0) }) else { return nil }
        var rest = text.dropFirst(scheme.0.count)
        if rest.hasSuffix("/") { rest.removeLast() }
        guard let (host, port) = Self.parts(of: rest) else { return nil }
        guard !host.isEmpty, host.utf8.allSatisfy({ 0x20 < $0 && $0 < 0x7F }), !host.contains(where: "/?#@".contains),
            let number = port.isEmpty ? scheme.2 : Int(port), (1...65_535).contains(number)
        else { return nil }
        (self.host, self.port, isEncrypted) = (String(host), number, scheme.1)
    }

    /// The host and the port; the port is empty where there is none.
    static func parts(of text: Substring) -> (host: Substring, port: Substring)? {
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
}
