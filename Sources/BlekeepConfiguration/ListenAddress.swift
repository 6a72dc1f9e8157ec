import Glibc

/// An IP address and a port to listen on, such as `127.0.0.1:8080` or `[::1]:8080`.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// The IP address, without brackets.
    package let host: String
    /// 0 lets the system choose.
    package let port: Int

    /// Where `blekeep serve` listens.
    package static let usual = ListenAddress(host: "127.0.0.1", port: 8080)

    private init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// - Returns: `nil` for text that isn't an address and a port.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        var host = text[..<colon]
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let port = Int(digits), port < 65536
        else { return nil }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = host.dropFirst().dropLast() }
        guard Self.isIPv4(host) && !isBracketed || Self.isIPv6(host) && isBracketed else { return nil }
        self.host = String(host)
        self.port = port
    }

    package var isIPv6: Bool { host.contains(":") }

    /// Whether only programs on this machine reach it.
    package var isLoopback: Bool { host == "::1" || !isIPv6 && host.hasPrefix("127.") }

    package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    package static func isIPv4(_ text: some StringProtocol) -> Bool {
        var address = in_addr()
        return inet_pton(AF_INET, String(text), &address) == 1
    }

    package static func isIPv6(_ text: some StringProtocol) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, String(text), &address) == 1
    }
}
