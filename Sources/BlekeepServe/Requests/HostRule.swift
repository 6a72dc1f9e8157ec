import BlekeepConfiguration

/// Checks which machine a request names. A page in a browser can reach this server under a name that leads here only now
/// (DNS rebinding), but it can't forge the name.
struct HostRule: Sendable {
    private let names: Set<String>

    /// - Parameter names: further names of this machine.
    init(_ names: [String]) {
        self.names = Set(names.map { $0.lowercased() } + ["localhost"])
    }

    /// - Parameters:
    ///   - hosts: the values of all `Host` headers.
    ///   - isRequired: whether the version of HTTP requires one.
    func check(_ hosts: [String], isRequired: Bool) throws(Problem) {
        guard let host = hosts.first else {
            if isRequired { throw Problem(.badRequest, "the request has no Host header") }
            return
        }
        guard hosts.count == 1 else { throw Problem(.badRequest, "the request has several Host headers") }
        guard let name = Self.name(host) else { throw Problem(.badRequest, "the Host header is malformed") }
        // Addresses can't be rebound.
        if ListenAddress.isIPv4(name) || ListenAddress.isIPv6(name) || names.contains(name.lowercased()) { return }
        throw Problem(
            .misdirected,
            "this server doesn't serve the host '\(Problem.shown(name))'; allow it with --host, or use an IP address")
    }

    /// Returns the name without port and brackets.
    private static func name(_ host: String) -> String? {
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]"), isPort(host[host.index(after: end)...]) else { return nil }
            return String(host[host.index(after: host.startIndex)..<end])
        }
        let parts = host.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty, parts.count == 1 || isPort(":" + parts[1]) else { return nil }
        return String(name.hasSuffix(".") ? name.dropLast() : name)
    }

    private static func isPort(_ text: some StringProtocol) -> Bool {
        text.isEmpty
            || text.hasPrefix(":") && text.utf8.count <= 6 && text.utf8.dropFirst().allSatisfy { 0x30...0x39 ~= $0 }
    }
}
