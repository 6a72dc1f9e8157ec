import BlekeepOutputs
import BlekeepRecords

/// What all pages have in common: the head, the navigation and the footer.
struct PageFrame {
    let title: String
    /// `nil` for a page that the navigation doesn't have.
    let place: Endpoint?
    let clock: PageClock
    let content: PageContent
    /// Whether the gateway belongs to a fleet, which has a page.
    var hasFleet = false
    /// The gateway's name; `nil` for a page that doesn't know it.
    var gateway: String?

    var page: Markup {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <title>\(title) · \(name.map { "\($0) · " })blekeep</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <link rel="icon" href="\(Asset.icon.path)" type="image/svg+xml">
        <link rel="manifest" href="\(Asset.manifest.path)" crossorigin="use-credentials">
        <link rel="stylesheet" href="\(Asset.style.path)">
        <script src="\(Asset.taste.path)"></script>
        <script src="\(Asset.script.path)" defer></script>
        \(hasPlots ? "<script src=\"\(Asset.plots.path)\" defer></script>" : nil)
        <noscript><meta http-equiv="refresh" content="30"></noscript>
        </head>
        <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
        <a class="brand" href="/">blekeep\(name.map { " <span>\($0)</span>" })</a>
        <nav aria-label="Pages"><ul>\(places.map(link))</ul></nav>
        <p class="live" id="live" role="status"></p>
        </header>
        \(main)
        <p class="unseen" id="news" role="status"></p>
        <footer>
        <p>blekeep \(BlekeepVersion.text)<span class="printed" id="printed"> · as of \(clock.time(clock.now, as: .moment))</span>\
        <span class="gateway"> · times are the gateway’s: \(clock.zone)</span></p>
        <p class="taste" id="taste"></p>
        </footer>
        </body>
        </html>

        """
    }

    /// The part of the page that the script replaces.
    var main: Markup {
        let live: Markup? = content.live.map { " data-live=\"\($0)\"" }
        let device: Markup? = content.device.map { " data-device=\"\($0)\"" }
        let stale: Markup? = content.isStale ? " data-stale" : nil
        return """
            <main id="main" tabindex="-1" data-version="\(Asset.version)" data-now="\(clock.now)" \
            data-edition="\(content.edition)"\(live)\(device)\(stale)>
            \(Markup(joining: content.parts, "\n"))
            </main>
            """
    }

    private var name: Markup? { gateway.map { "\(Untrusted($0))" } }

    private var hasPlots: Bool { content.hasPlots }

    private var places: [Endpoint] { Endpoint.navigation.filter { $0 != .fleet || hasFleet || place == .fleet } }

    private func link(_ place: Endpoint) -> Markup {
        let current: Markup? = place == self.place ? " aria-current=\"page\"" : nil
        return "<li><a href=\"\(place.rawValue)\"\(current)>\(place.title)</a></li>"
    }
}

struct PageContent {
    var parts: [Markup]
    /// Where the script gets the newest content; `nil` for a page that doesn't change.
    var live: String?
    /// The address of the only device whose readings matter.
    var device: String?
    /// The number of this content. The script asks for what changed after it.
    var edition: Int64 = 0
    /// Whether blekeep isn't polling, so that nothing new comes.
    var isStale = false
    /// Whether there are plots to point at.
    var hasPlots = false
}
