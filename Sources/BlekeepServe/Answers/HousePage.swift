import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords
import RunLoop

/// The overview. All browsers share what was read for it.
struct HousePage {
    private var live: LiveParts
    /// What was made last: the identifiers of the parts, whether they are stale, from which reading on, and until when
    /// they count.
    private var made: (identifiers: [String], isStale: Bool, sequence: Int64?, until: Uptime)?
    private var trends: (result: Trends, until: Uptime)?

    /// Trends are read at most this often, and for at most this share of the time.
    private static let shortestPause: Duration = .seconds(2)
    private static let leastShare = 50

    /// - Parameter started: the time in milliseconds since 1970.
    init(started: Int64) { live = LiveParts(edition: started) }

    /// Without new readings, a page that is so old counts as current.
    private static let freshness: Duration = .seconds(1)

    /// Whether the page is as good as a new one.
    ///
    /// - Parameter sequence: the number of the newest reading.
    func isCurrent(at now: Uptime, sequence: Int64?) -> Bool {
        made.map { $0.sequence == sequence && now < $0.until } ?? false
    }

    /// Makes the parts of the page.
    mutating func update(_ model: GlanceModel, at now: Uptime, sequence: Int64?) {
        let parts = GlancePage(model: model).parts
        live.update(parts)
        made = (parts.map(\.identifier), model.isStale, sequence, now + Self.freshness)
    }

    /// Returns the content.
    ///
    /// - Parameter after: the edition that the browser has; `nil` for a whole page.
    func content(after: Int64?) -> PageContent {
        // A browser has no later edition than the newest one, unless it comes from another server.
        let last = after.map { $0 > live.edition ? 0 : $0 } ?? 0
        let html = (made?.identifiers ?? []).map { live.html($0, after: last) }
        let cards = html.dropFirst()
        var all = Array(html.prefix(1))
        if !cards.isEmpty { all.append("<div class=\"cards\" id=\"cards\">\(Markup(joining: cards, "\n"))</div>") }
        return PageContent(
            parts: all, live: PagePath.fragment(of: PagePath.house), edition: live.edition,
            isStale: made?.isStale ?? true)
    }

    /// Returns the trends, which `read` reads when they are too old.
    mutating func trends(at now: Uptime, clock: () -> Uptime, _ read: () throws -> Trends) rethrows -> Trends {
        if let trends, now < trends.until { return trends.result }
        let result = try read()
        let cost = clock() - now
        trends = (result, now + max(Self.shortestPause, cost * Self.leastShare))
        return result
    }
}

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
