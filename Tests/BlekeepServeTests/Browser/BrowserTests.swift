import BlekeepHistory
import BlekeepRecords
import Foundation
import Glibc
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepServe

/// The pages in a real Chromium.
@Suite(.serialized, .enabled(if: Browser.isInstalled, Browser.missing)) struct BrowserTests {
    private let folder: TemporaryFolder
    private let history: History

    init() throws {
        folder = try TemporaryFolder()
        history = try History(path: folder.file("history.sqlite"))
        try folder.write("history: \(folder.file("history.sqlite"))\n", to: "config.yaml")
    }

    private func start(port: UInt16 = 0) throws -> ServerProcess {
        try ServerProcess([], config: folder.file("config.yaml"), port: port)
    }

    private func url(_ server: ServerProcess, _ path: String = "/") -> String {
        "http://127.0.0.1:\(server.port)\(path)"
    }

    private func address(_ number: Int) -> BluetoothAddress {
        BluetoothAddress(bits: 0xF000_0000_0000 + UInt64(number))
    }

    private func append(_ value: Double, _ name: String = "attic", number: Int = 1) throws {
        let reading = try makeReading(
            makeValue(.number(value)), device: name, time: WallClock.milliseconds(),
            address: address(number).description)
        _ = try history.append([reading], durable: false)
    }

    /// Writes the states of devices, as a running poller does.
    private func report(_ states: [(name: String, state: DeviceCondition.State)]) throws {
        let now = WallClock.milliseconds()
        var keeper = GatewayStatus(
            pid: getpid(), started: now, seen: now, power: .init(mode: .normal, reason: "on mains"))
        keeper.adapters = [.init(name: "hci0", isOn: true)]
        let statuses = states.enumerated().map { index, entry in
            let failure = ReadingFailure(.notFound, "blekeep didn't hear \(entry.name)")
            return DeviceStatus(
                address: address(index + 1), name: entry.name,
                condition: DeviceCondition(
                    entry.state, failure: entry.state == .good ? nil : failure, remedy: .rediscover), since: now)
        }
        _ = try history.append([], nil, LedgerChanges(statuses: statuses, keeper: keeper), durable: false)
    }

    private static let number = "document.querySelector('article .number').textContent"

    // MARK: Live

    @Test func aNewReadingShowsInPlace() throws {
        try report([("attic", .good)])
        try append(20.5)
        let (server, browser) = (try start(), try Browser())
        try browser.open(url(server))
        #expect(try browser.text(Self.number) == "20.50")
        try browser.run("document.querySelector('article').mark = 1; document.querySelector('article a').focus()")
        try append(21.75)
        try browser.wait(for: "\(Self.number) === '21.75'")
        // It is the same card, and the focus stays in it.
        try browser.wait(for: "document.querySelector('article').mark === 1")
        try browser.wait(for: "document.activeElement === document.querySelector('article a')")
        try browser.wait(for: "document.querySelector('article [data-as=age]').textContent.endsWith('s ago')")
        try browser.expectClean(server)
    }

    @Test func aLostDeviceComesFirstAndIsTold() throws {
        try report([("attic", .good), ("cellar", .good)])
        for number in 1...2 { try append(20, number == 1 ? "attic" : "cellar", number: number) }
        let (server, browser) = (try start(), try Browser())
        try browser.open(url(server))
        let first = "document.querySelector('article').dataset"
        try browser.wait(for: "\(first).name === 'attic'")
        try report([("attic", .good), ("cellar", .lost)])
        try browser.wait(for: "\(first).name === 'cellar' && \(first).state === 'lost'")
        #expect(try browser.text("document.getElementById('news').textContent") == "cellar: lost")
        let advice = try browser.text("document.querySelector('.advice').textContent")
        #expect(advice?.contains("Make sure the device is on") == true)
        try report([("attic", .good), ("cellar", .good)])
        try browser.wait(for: "\(first).name === 'attic'")
        #expect(try browser.text("document.getElementById('news').textContent") == "cellar: good")
        try browser.expectClean(server)
    }

    @Test func thePageOutlivesTheServer() throws {
        try report([("attic", .good)])
        try append(20)
        let (server, browser) = (try start(), try Browser())
        try browser.open(url(server))
        let live = "document.getElementById('live').textContent"
        try browser.wait(for: "\(live) === 'Live'")
        let port = server.port
        #expect(server.terminate() == 0)
        try browser.wait(for: "\(live).startsWith('Connection lost')")
        let next = try start(port: port)
        try append(21)
        try browser.wait(for: "\(live) === 'Live' && \(Self.number) === '21.00'")
        #expect(next.terminate() == 0)
    }

    @Test func aHistoryThatComesLaterFillsThePage() throws {
        let (server, browser) = (try start(), try Browser())
        try browser.open(url(server))
        #expect(try browser.text("document.querySelector('h1').textContent") == "Nothing to show yet")
        try report([("attic", .good)])
        try append(20)
        try browser.wait(for: "document.querySelectorAll('article').length === 1")
        try browser.expectClean(server)
    }

    // MARK: Every reader

    private static let paths = ["/", "/device/F0:00:00:00:00:01?range=1h", "/report", "/health"]

    @Test(arguments: [(360, false), (360, true), (1920, false), (1920, true)])
    func pagesFitTheScreen(width: Int, isDark: Bool) throws {
        try report([("attic", .good), (String(repeating: "long", count: 15), .lost)])
        for value in 0..<20 { try append(Double(value)) }
        let (server, browser) = (try start(), try Browser(width: width, isDark: isDark))
        for path in Self.paths {
            try browser.open(url(server, path))
            let wide = try #require(try browser.run("return document.documentElement.scrollWidth") as? Int)
            #expect(wide <= width, "\(path)")
            let ground = try browser.text("getComputedStyle(document.documentElement).backgroundColor")
            #expect(ground == (isDark ? "rgb(15, 18, 21)" : "rgb(243, 245, 247)"))
        }
        try browser.expectClean(server)
    }

    @Test func pagesDoWithoutScript() throws {
        try report([("attic", .good)])
        try append(20.5)
        let (server, browser) = (try start(), try Browser(hasScript: false))
        try browser.open(url(server))
        #expect(try browser.text(Self.number) == "20.50")
        try browser.wait(for: "document.querySelector('head meta[http-equiv=refresh]').content === '30'")
        let zone = try browser.text("document.querySelector('.gateway').checkVisibility() ? 'shown' : 'hidden'")
        #expect(zone == "shown")
        try browser.expectClean(server)
    }

    // MARK: Names from the air

    private static let injections = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "</title><h1>x</h1>",
        "</svg><script>alert(1)</script>", "javascript:alert(1)", "&lt;b&gt;", "\u{202E}gnp.exe", "--><b>x</b>",
        "a\u{0}b\u{1B}[2J", String(repeating: "Z\u{335}\u{321}", count: 100), "${7*7}{{7*7}}",
    ]

    @Test func hostileNamesAreText() throws {
        let texts = Self.injections + hostileTexts.suffix(24)
        try report(texts.map { ($0, .lost) })
        let readings = try texts.enumerated().map { index, text in
            try makeReading(
                makeValue(.text(text), field: text, unit: text), device: text, name: text,
                time: WallClock.milliseconds(), address: address(index + 1).description)
        }
        _ = try history.append(readings, durable: false)
        let (server, browser) = (try start(), try Browser())
        let allowed = "['alert', 'b', 'img', 'iframe', 'style', 'form']"
        let paths = ["/", "/report", "/health"] + texts.indices.map { "/device/\(address($0 + 1))" }
        for path in paths {
            try browser.open(url(server, path))
            let foreign = try browser.run(
                "return \(allowed).flatMap(n => [...document.getElementsByTagName(n)]).length "
                    + "+ document.getElementsByTagName('script').length - 1 "
                    + "+ [...document.querySelectorAll('*')].filter(e => [...e.attributes].some("
                    + "a => a.name.startsWith('on') || /^\\s*javascript:/i.test(a.value) && a.name === 'href')).length")
            #expect(foreign as? Int == 0, "\(path)")
        }
        try browser.open(url(server))
        try browser.wait(for: "document.querySelectorAll('article').length === \(texts.count)")
        try browser.wait(for: "document.body.innerText.includes('<script>alert(1)</script>')")
        try browser.wait(for: "!/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText)")
        try browser.expectClean(server)
    }

    @Test func aPageWithoutAPollerIsNotLive() throws {
        try report([("attic", .good)])
        try append(20)
        let (server, browser) = (try start(), try Browser())
        try browser.open(url(server))
        let live = "document.getElementById('live').textContent"
        try browser.wait(for: "\(live) === 'Live'")
        // The lock goes with it.
        history.close()
        try browser.wait(for: "\(live) === 'Not polling'")
        try browser.wait(for: "document.querySelector('article').dataset.state === 'stale'")
        let gray = "getComputedStyle(document.querySelector('.address, .facts dt')).color"
        #expect(
            try browser.text("getComputedStyle(document.querySelector('article .number')).color") == browser.text(gray))
        try browser.expectClean(server)
    }
}
