import BlekeepOutputs

/// The parts of a page that many browsers follow, and when each of them changed. A browser gets only what changed since its
/// last look.
struct LiveParts: Sendable {
    private var known: [String: (html: Markup, edition: Int64)] = [:]
    /// The number of the newest change.
    private(set) var edition: Int64

    /// - Parameter edition: more than what earlier processes gave, such as the time.
    init(edition: Int64) { self.edition = edition }

    /// Takes the parts as they are now.
    mutating func update(_ parts: [(identifier: String, html: Markup)]) {
        var next: [String: (html: Markup, edition: Int64)] = [:]
        let isNew = parts.contains { known[$0.identifier]?.html != $0.html }
        if isNew { edition += 1 }
        for (identifier, html) in parts {
            let old = known[identifier]
            next[identifier] = old?.html == html ? old : (html, edition)
        }
        known = next
    }

    /// Returns a part, or only its place if it didn't change after an edition.
    func html(_ identifier: String, after edition: Int64) -> Markup {
        guard let part = known[identifier] else { return "" }
        return part.edition > edition ? part.html : "<i id=\"\(identifier)\" data-same></i>"
    }
}
