import BlekeepHistory
import BlekeepOutputs
import RunLoop

/// The overview, as cards or as a table. All browsers share what was read for it, and each shows a part of it.
struct LiveOverview {
    private let isTable: Bool
    private var live: LiveParts
    /// What was made last, from which reading on, and until when it counts.
    private var made: (page: OverviewPage, sequence: Int64?, until: Uptime)?
    private var trends: (result: Trends, until: Uptime)?

    /// Trends are read at most this often, and for at most this share of the time.
    private static let shortestPause: Duration = .seconds(2)
    private static let leastShare = 50

    /// - Parameter started: the time in milliseconds since 1970.
    init(started: Int64, isTable: Bool = false) {
        self.isTable = isTable
        live = LiveParts(edition: started)
    }

    /// Without new readings, a page that is so old counts as current.
    private static let freshness: Duration = .seconds(1)

    /// Whether the page is as good as a new one.
    ///
    /// - Parameter sequence: the number of the newest reading.
    func isCurrent(at now: Uptime, sequence: Int64?) -> Bool {
        made.map { $0.sequence == sequence && now < $0.until } ?? false
    }

    /// Makes the parts of the page.
    mutating func update(_ model: OverviewModel, at now: Uptime, sequence: Int64?) {
        let page = OverviewPage(model: model, isTable: isTable)
        live.update(page.devices)
        made = (page, sequence, now + Self.freshness)
    }

    /// More cards are short ones on a phone.
    private static let few = 12

    /// Returns the content.
    ///
    /// - Parameter after: the edition that the browser has; `nil` for a whole page.
    func content(_ view: OverviewView, after: Int64?) -> PageContent {
        // A browser has no later edition than the newest one, unless it comes from another server.
        let last = after.map { $0 > live.edition ? 0 : $0 } ?? 0
        let identifiers = made?.page.identifiers(view) ?? []
        let devices = Markup(joining: identifiers.map { live.html($0, after: last, isRow: isTable) }, "\n")
        var all = [made?.page.summary(view)].compactMap(\.self)
        if !identifiers.isEmpty { all.append(isTable ? table(devices) : cards(devices, identifiers.count)) }
        return PageContent(
            parts: all, live: view.address(Endpoint.overview.fragment), edition: live.edition,
            isStale: made?.page.model.isStale ?? true)
    }

    private func cards(_ devices: Markup, _ count: Int) -> Markup {
        "<div class=\"cards\(count > Self.few ? " many" : "")\" id=\"cards\">\(devices)</div>"
    }

    private func table(_ rows: Markup) -> Markup {
        """
        <div class="wide panel" id="table" role="group" aria-label="Devices" tabindex="0"><table class="dense">
        <thead><tr><th scope="col">Device</th><th scope="col">State</th><th scope="col">Values</th>\
        <th scope="col" class="count">Battery</th><th scope="col" class="count">Signal</th>\
        <th scope="col" class="count">Last value</th></tr></thead><tbody id="rows">\(rows)</tbody></table></div>
        """
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
    ///
    /// - Parameter isRow: whether it is a row of a table, which takes nothing else.
    func html(_ identifier: String, after edition: Int64, isRow: Bool = false) -> Markup {
        guard let part = known[identifier] else { return "" }
        guard part.edition <= edition else { return part.html }
        return isRow ? "<tr id=\"\(identifier)\" data-same></tr>" : "<i id=\"\(identifier)\" data-same></i>"
    }
}
