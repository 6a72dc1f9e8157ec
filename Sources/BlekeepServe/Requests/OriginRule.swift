/// Checks which page in a browser sent a request. A page of another site may not read this server.
enum OriginRule {
    /// - Parameters:
    ///   - origins: the values of all `Origin` headers. Programs and the server's own pages send none.
    ///   - host: the value of the `Host` header.
    static func check(_ origins: [String], host: String?) throws(Problem) {
        guard !origins.isEmpty else { return }
        let own = host.map { ["http://\($0)", "https://\($0)"].map { $0.lowercased() } } ?? []
        guard origins.count == 1, let origin = origins.first, own.contains(origin.lowercased()) else {
            throw Problem(
                .forbidden,
                "a page of '\(Problem.shown(origins.first ?? ""))' may not read this server; open its own page")
        }
    }
}
