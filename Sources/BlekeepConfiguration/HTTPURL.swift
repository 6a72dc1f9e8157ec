import Glibc

/// `http://HOST[:PORT][/PATH]` or `https://HOST[:PORT][/PATH]`.
struct HTTPURL {
    let host: String
    let port: Int
    let isEncrypted: Bool
    /// From `/` on; empty without a path.
    let path: String

    /// - Returns: `nil` for anything else, such as a URL with a password or a fragment.
    init?(_ text: String) {
        let schemes = [("https://", true, 443), ("http://", false, 80)]
        guard let scheme = schemes.first(where: { text.hasPrefix($0.0) }) else { return nil }
        let rest = text.dropFirst(scheme.0.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest.dropFirst(authority.count)
        guard let (host, port) = MQTTURL.parts(of: authority), Self.isHost(host, isBracketed: rest.hasPrefix("[")),
            let number = port.isEmpty ? scheme.2 : Int(port), (1...65_535).contains(number),
            path.isEmpty || path.hasPrefix("/"), path.utf8.allSatisfy(Self.isPathByte)
        else { return nil }
        (self.host, self.port, isEncrypted) = (String(host), number, scheme.1)
        self.path = path == "/" ? "" : String(path)
    }

    /// libcurl must find the host under exactly this name among the addresses that it gets.
    private static func isHost(_ host: Substring, isBracketed: Bool) -> Bool {
        if isBracketed {
            var bytes = in6_addr()
            return inet_pton(AF_INET6, String(host), &bytes) == 1
        }
        return (1...253).contains(host.utf8.count) && !host.hasSuffix(".") && !host.hasPrefix(".")
            && host.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        0x20 < byte && byte < 0x7F && !"\"#<>\\^`{|}".utf8.contains(byte)
    }
}
