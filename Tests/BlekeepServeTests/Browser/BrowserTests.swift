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
        var poller = GatewayStatus(
            pid: getpid(), started: now, seen: now, power: .init(mode: .normal, reason: "on mains"))
        poller.adapters = [.init(name: "hci0", isOn: true)]
        let statuses = states.enumerated().map { index, entry in
            let failure = ReadingFailure(.notFound, "blekeep didn't hear \(entry.name)")
            return DeviceStatus(
                address: address(index + 1), name: entry.name,
                condition: DeviceCondition(
                    entry.state, failure: entry.state == .good ? nil : failure, remedy: .rediscover), since: now)
        }
        _ = try history.append([], nil, LedgerChanges(statuses: statuses, poller: poller), durable: false)
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

    // MARK: Plots

    /// Writes a value a minute for an hour: 10.0, 10.1 … 16.0.
    private func appendAnHour(_ name: String = "attic", number: Int = 1) throws {
        let now = WallClock.milliseconds()
        let readings = try (0...60).map { minute in
            try makeReading(
                makeValue(.number(Double(100 + minute) / 10), field: "temperature", unit: "°C"), device: name,
                time: now - Int64(60 - minute) * 60_000, address: address(number).description)
        }
        _ = try history.append(readings, durable: false)
    }

    private static let area = ".graph .area"
    private static let moment = "document.querySelector('.moment')?.innerText ?? ''"
    private static let said = "document.querySelector('.graph').getAttribute('aria-valuetext')"

    @Test func aPlotSaysTheValueAtAMoment() throws {
        try report([("attic", .good)])
        try appendAnHour()
        let (server, browser) = (try start(), try Browser())
        try browser.open(url(server, "/device/F0:00:00:00:00:01?range=1h"))
        try browser.drag([try browser.place(in: Self.area, at: 0.5)])
        try browser.wait(for: "/1[23]\\.\\d °C/.test(\(Self.moment))")
        // By keyboard, and with a screen reader.
        try browser.run("document.querySelector('.graph').focus()")
        try browser.press("End")
        try browser.wait(for: "\(Self.said).endsWith('16.0 °C')")
        try browser.press("ArrowLeft")
        try browser.press("ArrowLeft")
        try browser.wait(for: "\(Self.said).endsWith('15.8 °C')")
        try browser.press("Escape")
        try browser.wait(for: "\(Self.moment) === ''")
        try browser.expectClean(server)
    }

    @Test func draggingZoomsAndTheAddressHasTheTime() throws {
        try report([("attic", .good)])
        try appendAnHour()
        let (server, browser) = (try start(), try Browser())
        try browser.open(url(server, "/device/F0:00:00:00:00:01?range=1h"))
        let places = try [0.25, 0.4, 0.5].map { try browser.place(in: Self.area, at: $0) }
        try browser.drag(places)
        try browser.wait(for: "/^.from=[^&]*Z&to=[^&]*Z$/.test(location.search)")
        let length = "(document.querySelector('.graph').dataset.to - document.querySelector('.graph').dataset.from)"
        try browser.wait(for: "Math.abs(\(length) - 15 * 60000) < 20000")
        // The keys go on in the new plot.
        try browser.run("document.querySelector('.graph').focus()")
        try browser.press("-")
        try browser.wait(for: "Math.abs(\(length) - 30 * 60000) < 40000")
        try browser.wait(for: "document.activeElement === document.querySelector('.graph')")
        let from = try browser.text("document.querySelector('.graph').dataset.from")
        try browser.press("ArrowLeft", modifiers: 8)
        try browser.wait(for: "document.querySelector('.graph').dataset.from < '\(from ?? "")'")
        for _ in 0..<3 { try browser.run("history.back()") }
        try browser.wait(for: "location.search === '?range=1h' && \(length) > 59 * 60000")
        try browser.expectClean(server)
    }

    @Test func fingersReadAndPinch() throws {
        try report([("attic", .good)])
        try appendAnHour()
        let (server, browser) = (try start(), try Browser(width: 390))
        try browser.open(url(server, "/device/F0:00:00:00:00:01?range=1h"))
        func places(_ shares: Double...) throws -> [Browser.Place] {
            try shares.map { try browser.place(in: Self.area, at: $0) }
        }
        try browser.touch([places(0.3), places(0.35), places(0.4)])
        try browser.wait(for: "/1[12]\\.\\d °C/.test(\(Self.moment))")
        #expect(try browser.text("location.search") == "?range=1h")
        try browser.touch([places(0.4, 0.6), places(0.3, 0.7), places(0.2, 0.8), places(0.1, 0.9)])
        try browser.wait(for: "location.search.startsWith('?from=')")
        let length = "(document.querySelector('.graph').dataset.to - document.querySelector('.graph').dataset.from)"
        try browser.wait(for: "\(length) < 40 * 60000")
        try browser.expectClean(server)
    }

    @Test func devicesAreComparedInOnePlot() throws {
        try report([("attic", .good), ("cellar", .good)])
        try appendAnHour()
        try appendAnHour("cellar", number: 2)
        let (server, browser) = (try start(), try Browser())
        try browser.open(url(server, "/compare"))
        try browser.run("document.querySelectorAll('[name=device]').forEach(box => box.checked = true)")
        try browser.run("document.querySelector('.choice button').click()")
        try browser.wait(for: "document.querySelectorAll('.lines .line').length === 2")
        try browser.drag([try browser.place(in: Self.area, at: 0.5)])
        try browser.wait(for: "/attic[^]*°C[^]*cellar[^]*°C/.test(\(Self.moment))")
        try browser.expectClean(server)
    }

    @Test func aMarkIsReadByPointerKeyboardAndTable() throws {
        try report([("attic", .good)])
        try appendAnHour()
        let now = WallClock.milliseconds()
        var status = RuleStatus(rule: "warm", device: DeviceID(address(1)), condition: "temperature > 12 °C")
        (status.phase, status.firings, status.message) = (.firing, 1, "temperature is 12.1 °C")
        status.fired = RuleMoment(time: now - 38 * 60_000 - 30_000)
        for _ in 0..<2 {
            var changes = LedgerChanges()
            changes.rules = [status]
            _ = try history.append([], nil, changes, durable: false)
            (status.phase, status.message) = (.calm, "temperature is 11.9 °C")
            status.ended = RuleMoment(time: now - 30 * 60_000)
        }
        let (server, browser) = (try start(), try Browser())
        let path = "/device/F0:00:00:00:00:01?range=1h"
        try browser.open(url(server, path))
        let text = "the rule warm fired for 8m30s: temperature is 12.1 °C; then temperature is 11.9 °C"
        try browser.drag([try browser.place(in: Self.area, at: 0.43)])
        try browser.wait(for: "(\(Self.moment)).includes('\(text)')")
        try browser.drag([try browser.place(in: Self.area, at: 0.7)])
        try browser.wait(for: "(\(Self.moment)) !== '' && !(\(Self.moment)).includes('rule')")
        try browser.run("document.querySelector('.graph').focus()")
        try browser.press("Home")
        for _ in 0..<40 where try browser.run("return \(Self.said).includes('rule')") as? Bool != true {
            try browser.press("ArrowRight")
        }
        try browser.wait(for: "\(Self.said).includes('\(text)') && /1[12]\\.\\d °C/.test(\(Self.said))")
        let plain = try Browser(hasScript: false)
        try plain.open(url(server, path + "&view=table"))
        try plain.wait(for: "document.querySelector('tr.mark td').textContent === '\(text)'")
        try browser.expectClean(server)
    }

    @Test func noticesAndFailuresAreMarksInThePlotsOfAllTheirDevices() throws {
        try report([("attic", .good), ("cellar", .good)])
        try appendAnHour()
        try appendAnHour("cellar", number: 2)
        let now = WallClock.milliseconds()
        func failure(_ index: Int64, _ minutes: Int64, _ message: String) -> LedgerEntry {
            LedgerEntry(
                device: DeviceID(address(Int(index))), number: 1, phase: .known(.connect),
                failure: ReadingFailure(.connect, message), remedy: nil, first: now - minutes * 60_000,
                last: now - (minutes - 8) * 60_000)
        }
        let entries = [failure(1, 45, "no answer upstairs"), failure(2, 45, "no answer below")]
        _ = try history.append([], nil, LedgerChanges(entries: entries), durable: false)
        let notices = (1...8).map { number in
            GivenNotice(
                time: now - 30 * 60_000 + Int64(number), event: .known(number == 1 ? .deviceLost : .batteryLow),
                device: DeviceID(address(number == 1 ? 1 : 2)), message: "message \(number)")
        }
        try NoticeLog.append(notices, path: folder.file("history.sqlite"))
        let (server, browser) = (try start(), try Browser())
        let path = "/device/F0:00:00:00:00:01?range=1h"
        try browser.open(url(server, path))
        try browser.drag([try browser.place(in: Self.area, at: 0.5)])
        let text = "the notice device_lost: message 1"
        try browser.wait(for: "(\(Self.moment)).includes('\(text)') && !(\(Self.moment)).includes('battery_low')")
        try browser.run("document.querySelector('.graph').focus()")
        try browser.press("Home")
        for _ in 0..<60 where try browser.run("return \(Self.said).includes('notice')") as? Bool != true {
            try browser.press("ArrowRight")
        }
        try browser.wait(for: "\(Self.said).includes('\(text)') && /1[23]\\.\\d °C/.test(\(Self.said))")
        try browser.expectClean(server)
        let both = "/compare?device=f00000000001&device=f00000000002&range=1h"
        try browser.open(url(server, both))
        try browser.drag([try browser.place(in: Self.area, at: 0.3)])
        try browser.wait(for: "/attic: [^]*upstairs/.test(\(Self.moment)) && /cellar: [^]*below/.test(\(Self.moment))")
        // Only a few of many marks fit beside the plot.
        try browser.drag([try browser.place(in: Self.area, at: 0.5)])
        try browser.wait(for: "(\(Self.moment)).includes('and 4 more') && (\(Self.moment)).includes('\(text)')")
        try browser.expectClean(server)
        let plain = try Browser(hasScript: false)
        try plain.open(url(server, both + "&view=table"))
        let marks = "[...document.querySelectorAll('tr.mark td')].map(cell => cell.textContent)"
        try plain.wait(for: "\(marks).length === 10 && \(marks).includes('attic: \(text)')")
        try plain.open(url(server, "/report"))
        try plain.expectClean(server)
    }

    @Test func theBacklogOfASinkIsAPlotThatDoesNotZoom() throws {
        try report([("attic", .good)])
        var poller = GatewayStatus(pid: getpid(), started: 1, seen: WallClock.milliseconds())
        poller.power = .init(mode: .normal, reason: "on mains")
        _ = try history.append(
            [], nil, LedgerChanges(poller: poller, sinks: [SinkStatus(name: "mqtt")]), durable: false)
        let clocks = ClockReading.now()
        for minute in 0..<60 {
            let before = Duration.seconds(60 * (60 - minute))
            var beat = Heartbeat(
                clocks: ClockReading(
                    boot: clocks.boot, sinceBoot: clocks.sinceBoot - before, awake: clocks.awake - before,
                    time: clocks.time - before.wholeMilliseconds, isSynchronized: true))
            beat.backlogs["mqtt"] = minute < 30 ? 40 : 0
            _ = try history.append([], beat, durable: false)
        }
        let (server, browser) = (try start(), try Browser())
        try browser.open(url(server, "/health"))
        try browser.drag([try browser.place(in: "#backlog .area", at: 0.967)])
        try browser.wait(for: "/40/.test(document.querySelector('#backlog .moment').innerText)")
        try browser.drag([0.5, 0.6, 0.7].map { try browser.place(in: "#backlog .area", at: $0) })
        #expect(try browser.text("location.search") == "")
        try browser.run("document.querySelector('#backlog details').open = true")
        let cells = "[...document.querySelectorAll('#backlog td')].map(cell => cell.textContent)"
        try browser.wait(for: "\(cells).includes('40') && \(cells).includes('0')")
        // It is still open when the page is drawn again.
        let edition = try browser.text("document.getElementById('main').dataset.edition") ?? ""
        try browser.wait(for: "document.getElementById('main').dataset.edition !== '\(edition)'")
        try browser.wait(for: "document.querySelector('#backlog details').open && \(cells).includes('40')")
        try browser.expectClean(server)
    }

    // MARK: As an app

    @Test func thePagesCanBeInstalled() throws {
        try report([("attic", .good)])
        let (server, browser) = (try start(), try Browser())
        try browser.open(url(server))
        let manifest = try browser.command("Page.getAppManifest")
        #expect((manifest["errors"] as? [Any])?.isEmpty == true && (manifest["data"] as? String)?.isEmpty == false)
        let errors = try browser.command("Page.getInstallabilityErrors")
        // WebDriver's windows are private ones, and that is all that is wrong.
        let all = (errors["installabilityErrors"] as? [[String: Any]] ?? []).compactMap { $0["errorId"] as? String }
        #expect(all.filter { $0 != "in-incognito" } == [])
        for (name, size) in [("icon-192", 192), ("icon-512", 512), ("icon-maskable", 512)] {
            try browser.run("window.icon = new Image(); icon.src = '/\(name).png'")
            try browser.wait(for: "icon.complete && icon.naturalWidth === \(size) && icon.naturalHeight === \(size)")
        }
        try browser.expectClean(server)
    }

    @Test func withoutTheServerThePageIsThereAndSaysHowOldItIs() throws {
        try report([("attic", .good)])
        try append(20.5)
        let (server, browser) = (try start(), try Browser())
        try browser.open(url(server))
        // Only what was seen last is kept, and a page that was there before the worker, too.
        try browser.run(
            "caches.open('blekeep').then(async (kept) => { for (;;) { window.kept = (await kept.keys()).length; "
                + "await new Promise((go) => setTimeout(go, 100)); } })")
        try browser.wait(for: "window.kept >= 6")
        let port = server.port
        #expect(server.terminate() == 0)
        try browser.open("http://127.0.0.1:\(port)/")
        #expect(try browser.text(Self.number) == "20.50")
        let live = "document.getElementById('live').textContent"
        try browser.wait(for: "\(live).startsWith('No connection, as of ')")
        #expect(try browser.text("getComputedStyle(document.querySelector('.top')).display") == "flex")
        // A page that wasn't seen leads to one that was.
        try browser.open("http://127.0.0.1:\(port)/health")
        try browser.wait(for: "location.pathname === '/'")
        let next = try start(port: port)
        try append(21)
        try browser.wait(for: "\(live) === 'Live' && \(Self.number) === '21.00'")
        try browser.wait(for: "!('kept' in document.getElementById('main').dataset)")
        #expect(next.terminate() == 0)
    }

    @Test func onPaperAPageHasItsTimeAndNoControls() throws {
        try report([("attic", .good)])
        try appendAnHour()
        let (server, browser) = (try start(), try Browser(isDark: true))
        try browser.open(url(server, "/device/F0:00:00:00:00:01?range=1h"))
        try browser.run("document.querySelector('#printed time').textContent = ''")
        let pdf = try browser.command("Page.printToPDF")["data"] as? String
        #expect(pdf?.hasPrefix("JVBERi") == true)
        try browser.wait(for: "/20\\d\\d, \\d\\d:/.test(document.querySelector('#printed time').textContent)")
        try browser.command("Emulation.setEmulatedMedia", ["media": "print"])
        let isShown = "(selector => document.querySelector(selector).checkVisibility())"
        for selector in ["nav", ".span", ".taste", ".live", ".help"] {
            try browser.wait(for: "!\(isShown)('\(selector)')")
        }
        try browser.wait(for: "\(isShown)('#printed') && \(isShown)('.plot')")
        #expect(
            try browser.text("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)")
        try browser.expectClean(server)
    }

    // MARK: The overview

    @Test func theOverviewIsSearchedAndFiltered() throws {
        try report((1...8).map { ("device \($0)", $0 == 3 ? .lost : .good) })
        for number in 1...8 { try append(20, "device \(number)", number: number) }
        let (server, browser) = (try start(), try Browser())
        try browser.open(url(server))
        let count = "document.querySelectorAll('article').length"
        try browser.run("document.querySelector('[name=q]').focus()")
        for key in ["i", "c", "e", " ", "4"] { try browser.press(key) }
        try browser.wait(for: "\(count) === 1 && location.search === '?q=ice+4'")
        try browser.wait(for: "document.activeElement.value === 'ice 4'")
        try browser.open(url(server))
        try browser.run("document.querySelector('.counts a').click()")
        try browser.wait(for: "\(count) === 1 && location.search === '?state=lost'")
        try browser.run("history.back()")
        try browser.wait(for: "\(count) === 8")
        // A card is a link, wherever one clicks.
        let place = try browser.place(in: "article .facts", at: 0.8)
        try browser.drag([place, place])
        try browser.wait(for: "location.pathname.startsWith('/device/')")
        try browser.expectClean(server)
    }

    @Test func sixtyDevicesFitSixScreensOfAPhone() throws {
        try report((1...60).map { ("device \($0)", .good) })
        for number in 1...60 { try append(20, "device \(number)", number: number) }
        let (server, browser) = (try start(), try Browser(width: 390))
        try browser.open(url(server))
        let height = try #require(try browser.run("return document.documentElement.scrollHeight") as? Int)
        #expect(height <= 6 * 844)
        try browser.open(url(server, "/?view=table"))
        try browser.wait(for: "document.querySelectorAll('tbody tr').length === 60")
        try append(21, "device 7", number: 7)
        try browser.wait(for: "document.querySelector('[data-name=\"device 7\"] .cells').textContent.includes('21')")
        try browser.wait(for: "document.querySelectorAll('tbody tr').length === 60")
        try browser.expectClean(server)
    }

    @Test func tasteIsKeptInTheBrowser() throws {
        try report([("attic", .good)])
        try appendAnHour()
        let (server, browser) = (try start(), try Browser())
        try browser.open(url(server))
        try browser.run("document.getElementById('unit').click(); document.getElementById('theme').click()")
        let value = "document.querySelector('.value').innerText.replace(/\\s+/g, ' ')"
        try browser.wait(for: "\(value) === '60.80 °F'")
        try browser.run("document.getElementById('theme').click()")
        try browser.open(url(server, "/device/F0:00:00:00:00:01?range=1h"))
        try browser.wait(for: "\(value) === '60.80 °F'")
        try browser.wait(for: "document.querySelector('.numbers').textContent.includes('max 60.8')")
        let labels =
            "[...document.querySelectorAll('.scale text')].filter(e => e.checkVisibility()).map(e => e.textContent)"
        try browser.wait(for: "/^[56]\\d(,[56]\\d)+$/.test(\(labels).join())")
        #expect(
            try browser.text("getComputedStyle(document.documentElement).backgroundColor") == "rgb(15, 18, 21)")
        try browser.run("document.getElementById('unit').click()")
        try browser.wait(for: "\(value) === '16.00 °C'")
        try browser.expectClean(server)
    }

    // MARK: Every reader

    private static let paths = [
        "/", "/?view=table", "/device/F0:00:00:00:00:01?range=1h", "/device/F0:00:00:00:00:01?view=table", "/compare",
        "/compare?device=f00000000001&device=f00000000002", "/report", "/health",
    ]

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
        let allowed = "['alert', 'b', 'img', 'iframe', 'style']"
        let paths = ["/", "/report", "/health"] + texts.indices.map { "/device/\(address($0 + 1))" }
        for path in paths {
            try browser.open(url(server, path))
            let foreign = try browser.run(
                "return \(allowed).flatMap(n => [...document.getElementsByTagName(n)]).length "
                    + "+ [...document.scripts].filter(s => !s.src.startsWith(location.origin) || s.text).length "
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
