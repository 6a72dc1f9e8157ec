import BlekeepHistory
import Testing

@testable import BlekeepServe

/// What requests ask for, and which of them are refused.
@Suite struct RouteTests {
    private func route(_ target: String, method: String = "GET", accept: String = "") throws(Problem) -> Route {
        try Route(Request(method: method, target: target, accept: accept))
    }

    private func status(_ request: Request) -> Int {
        do throws(Problem) {
            _ = try Route(request)
            return 200
        } catch { return error.status.rawValue }
    }

    private func status(_ target: String) -> Int { status(Request(method: "GET", target: target)) }

    @Test func knowsItsPaths() throws {
        #expect(try route("/metrics") == .metrics)
        #expect(try route("/devices?") == .devices)
        #expect(try route("/healthz", method: "HEAD") == .health)
        #expect(try route("/openapi.json") == .description)
        #expect(try route("/events") == .events(EventsRequest()))
        #expect(try route("/%72eadings") == .readings(ReadingsRequest()))
    }

    @Test func knowsItsPages() throws {
        #expect(try route("/") == .page(PageRequest(.overview(OverviewView()))))
        #expect(try route("/fragment/overview?after=17") == .page(PageRequest(.overview(OverviewView()), after: 17)))
        #expect(try route("/fragment/report") == .page(PageRequest(.report(.night), after: 0)))
        var view = OverviewView()
        (view.text, view.tag, view.state, view.order, view.isTable) = ("a b", "up", .lost, .battery, true)
        #expect(try route("/?q=a+b&tag=up&state=lost&sort=battery&view=table") == .page(PageRequest(.overview(view))))
        #expect(view.address() == "/?q=a%20b&tag=up&state=lost&sort=battery&view=table")
        // A form sends what is empty, too.
        #expect(try route("/?q=&sort=state") == .page(PageRequest(.overview(OverviewView()))))
        let times = PageView(time: .between(from: "2026-11-01T10:00", to: nil), isTable: true)
        let both = CompareRequest(devices: ["a", "b"], fields: ["temperature"], view: times)
        let target = "compare?device=a&device=b&field=temperature&from=2026-11-01T10:00&to=&view=table"
        #expect(try route("/\(target)") == .page(PageRequest(.compare(both))))
        #expect(try route("/fragment/\(target)&after=3") == .page(PageRequest(.compare(both), after: 3)))
        #expect(try route("/report?since=7d") == .page(PageRequest(.report(.week))))
        #expect(try route("/health", method: "HEAD") == .page(PageRequest(.health)))
        #expect(try route("/fleet") == .page(PageRequest(.fleet)))
        #expect(try route("/fleet/metrics") == .fleetMetrics)
        #expect(try route("/fragment/fleet?after=3") == .page(PageRequest(.fleet, after: 3)))
        #expect(
            try route("/device/at%74ic?range=1y") == .page(PageRequest(.device("attic", PageView(time: .last(.year))))))
        #expect(try route("/device/a/readings.csv?range=1h") == .page(PageRequest(.file("a", .last(.hour), .csv))))
        #expect(try route("/style.css?v=1") == .asset(.style) && route("/blekeep.js") == .asset(.script))
    }

    @Test(arguments: [
        ("/overview", 404), ("/device", 404), ("/device/", 404), ("/device/a/b", 404), ("/device/a/readings.xml", 404),
        ("/fragment/device/a/readings.csv", 404), ("/fragment", 404), ("/fragment/", 404), ("/fragment/metrics", 404),
        ("/?after=1", 400), ("/fragment/overview?after=-1", 400), ("/fragment/overview?after=x", 400),
        ("/report?since=1y", 400), ("/health?x=1", 400), ("/fleet?x=1", 400), ("/fleet/x", 404),
        ("/?state=x", 400), ("/?sort=x", 400), ("/?view=x", 400), ("/?q=a&q=b", 400),
        ("/device/a?from=x", 400), ("/device/a?view=x", 400),
        ("/compare?after=1", 400), ("/compare?device=" + (1...9).map { "a\($0)" }.joined(separator: "&device="), 400),
        ("/device/a?range=2h", 400), ("/device/a?range=", 400),
        ("/style.css?x=1", 400), ("/device/a/readings.csv?after=1", 400),
    ])
    func refusesMistakesInPages(target: String, code: Int) { #expect(status(target) == code, "\(target)") }

    @Test func readsAllParameters() throws {
        let text = "/readings?device=at%74ic+2&since=1h&until=2026-11-01T10:00Z&every=5m&limit=7&after=12&"
        var wanted = ReadingsRequest()
        (wanted.device, wanted.since, wanted.until) = ("attic 2", "1h", "2026-11-01T10:00Z")
        (wanted.every, wanted.limit, wanted.after) = (.seconds(300), 7, 12)
        #expect(try route(text) == .readings(wanted))
    }

    @Test(arguments: [
        ("application/x-ndjson", true), ("text/html, application/ndjson;q=0.9", true), ("application/json", false),
        ("*/*", false), ("", false),
    ])
    func linesAreForThoseWhoAcceptThem(accept: String, isLines: Bool) throws {
        guard case .readings(let request) = try route("/readings", accept: accept) else {
            Issue.record("another route")
            return
        }
        #expect((request.format == .lines) == isLines)
    }

    @Test(arguments: [
        ("/reading", 404), ("/readings/", 404), ("/READINGS", 404), ("//readings", 404), ("", 400),
        ("*", 400), ("http://localhost/readings", 400), ("/%zz", 400), ("/%ff", 400), ("/a%00b", 400), ("/%4", 400),
        ("/metrics?x=1", 400), ("/events?device=attic", 400), ("/readings?devices=attic", 400),
        ("/readings?device=a&device=b", 400), ("/readings?device=%ff", 400), ("/readings?since=soon", 400),
        ("/readings?until=", 400), ("/readings?every=7m", 400), ("/readings?limit=0", 400),
        ("/readings?limit=10001", 400), ("/readings?limit=-1", 400), ("/readings?limit=1e3", 400),
        ("/readings?limit=99999999999999999999", 400), ("/readings?after=x", 400), ("/readings?after=-1", 400),
        ("/readings?after=9223372036854775808", 400), ("/readings?" + String(repeating: "a=b&", count: 17), 400),
        ("/readings?device=" + String(repeating: "x", count: 2100), 414),
    ])
    func refusesMistakes(target: String, code: Int) { #expect(status(target) == code, "\(target)") }

    @Test func refusesOtherMethodsAndBodies() throws {
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get", ""] {
            let problem = #expect(throws: Problem.self) { try route("/readings", method: method) }
            #expect(problem?.status == .methodNotAllowed && problem?.headers == [Header("Allow", "GET, HEAD")])
        }
        #expect(status(Request(method: "GET", target: "/readings", hasBody: true)) == 413)
    }

    @Test func sentencesRepeatNothingHarmful() throws {
        let problem = #expect(throws: Problem.self) { try route("/readings?%1b%5b2J=1") }
        #expect(problem?.sentence.unicodeScalars.contains { $0.value < 0x20 } == false)
    }

    // MARK: Events

    @Test(arguments: [(["17"], 17), (["0"], 0), ([""], nil), ([], nil)] as [([String], Int64?)])
    func goesOnAfterTheLastEvent(lastEvent: [String], after: Int64?) throws {
        let request = Request(method: "GET", target: "/events", lastEvent: lastEvent)
        #expect(try Route(request) == .events(EventsRequest(after: after)))
    }

    @Test(arguments: [["x"], ["-1"], ["1", "2"], ["9223372036854775808"], ["1.5"], [" 1"]])
    func refusesAnEventThatIsNone(lastEvent: [String]) {
        #expect(status(Request(method: "GET", target: "/events", lastEvent: lastEvent)) == 400)
    }

    // MARK: The next page

    @Test func theNextPageSelectsTheSameTimes() throws {
        guard case .readings(let request) = try route("/readings?since=1d&until=today&device=a+b&limit=5") else {
            return
        }
        let query = try request.query(now: 1_795_231_080_123) { _ in 0 }
        let next = request.next(after: 42, query)
        #expect(
            next == "/readings?device=a%20b&since=2026-11-20T03%3a18%3a00.123Z&until=2026-11-21T00%3a00%3a00.000Z"
                + "&limit=5&after=42")
        guard case .readings(let following) = try route(next) else { return }
        let same = try following.query(now: 1_795_299_999_999) { _ in 0 }
        #expect(same == query && following.after == 42)
    }
}
