import BlekeepOutputs
import BlekeepRecords
import Foundation
import FoundationXML
import SampleReadings
import Testing

@testable import BlekeepHistory
@testable import BlekeepServe

/// The pages of plain values.
@Suite struct PageTests {
    private static let clock = PageClock(now: someTime + 8000, offset: { _ in 3600 }, zone: "CET, UTC+01:00")
    private static let address = BluetoothAddress(bits: 0xF000_0000_0001)

    private func status(
        _ name: String = "attic", _ state: DeviceCondition.State = .good, number: UInt64 = 1
    ) -> DeviceStatus {
        var status = DeviceStatus(
            address: BluetoothAddress(bits: 0xF000_0000_0000 + number), name: name, since: someTime - 3_600_000)
        status.condition = DeviceCondition(
            state, failure: state == .lost ? ReadingFailure(.notFound, "blekeep didn't hear the device") : nil,
            remedy: .rediscover)
        (status.interval, status.link, status.rssi) = (.seconds(60), .held, -71)
        status.intervalReason = .power
        status.next = someTime + 30_000
        return status
    }

    private func report(
        _ devices: [DeviceStatus], pid: Int32? = 42, power: String = "low battery 14 %"
    ) -> StatusReport {
        var poller = GatewayStatus(pid: 42, started: 0, seen: someTime, power: .init(mode: .low, reason: power))
        poller.adapters = [.init(name: "hci0", isOn: true)]
        return StatusReport(poller: poller, devices: devices, pid: pid, now: Self.clock.now)
    }

    private func house(_ report: StatusReport, _ readings: [Reading] = []) -> String {
        let model = OverviewModel(state: .status(report), clock: Self.clock, newest: NewestValues(readings))
        let page = OverviewPage(model: model)
        return ([page.summary(OverviewView())] + page.devices.map(\.html)).map(\.text).joined(separator: "\n")
    }

    /// Elements and attributes are as XML wants them, so that no text can have changed them.
    private func isWellFormed(_ html: String) -> Bool {
        let text = "<x>" + html.replacing(#/ (?:data-same|data-c)(?=[ >])/#) { "\($0.output)=\"\"" } + "</x>"
        return XMLParser(data: Data(text.utf8)).parse()
    }

    // MARK: The house

    @Test func aCardHasTheValuesAndTheFacts() throws {
        let readings = [
            try makeReading(),
            try makeReading(makeValue(.integer(100_900), field: "pressure", unit: "Pa"), name: "Pressure"),
        ]
        let html = house(report([status()]), readings)
        #expect(html.contains("<span class=\"number\">21.93</span> <span class=\"unit\">°C</span>"))
        #expect(html.contains("<span class=\"number\">1009.0</span> <span class=\"unit\">hPa</span>"))
        #expect(html.contains("<a href=\"/device/f00000000001\">attic</a>"))
        #expect(
            html.contains(
                "<dt>Last value</dt><dd><time datetime=\"2026-11-21T03:18:00.123Z\" data-as=\"age\">04:18:00</time>"))
        #expect(html.contains("<dt>Signal</dt><dd>-71 dBm</dd>") && html.contains("<dt>Connection</dt><dd>held</dd>"))
        #expect(html.contains("<dt>Every</dt><dd>1m: low battery 14 %</dd>"))
        #expect(isWellFormed(html))
    }

    @Test func devicesThatNeedHelpComeFirstWithAdvice() throws {
        let html = house(report([status("attic"), status("cellar", .lost, number: 2)]))
        let places = try ["cellar", "attic"].map { try #require(html.range(of: "data-name=\"\($0)\"")).lowerBound }
        #expect(places[0] < places[1])
        #expect(html.contains("<p class=\"cause\">blekeep didn&#39;t hear the device.</p>"))
        #expect(html.contains("<p class=\"advice\">Make sure the device is on"))
        #expect(html.contains("1 lost") && html.contains("1 good") && html.contains("No value yet"))
    }

    @Test(arguments: ShownState.allCases) func aStateHasAWordAndAShapeOfItsOwn(state: ShownState) {
        #expect(ShownState.allCases.count { $0.words == state.words } == 1)
        #expect(ShownState.allCases.count { $0.mark == state.mark } == 1)
    }

    /// What says "not polling" above must not say "good" below.
    @Test func withoutAPollerAllPagesAreStale() throws {
        let devices = [status("attic"), status("cellar", .lost, number: 2)]
        let dead = report(devices, pid: nil)
        let html = house(dead, [try makeReading()])
        #expect(html.contains("2 stale</span>") && !html.contains("state good") && !html.contains("state lost"))
        #expect(html.components(separatedBy: "<article class=\"card stale\"").count == 3)
        #expect(html.contains("stale <span class=\"since\"><time datetime=\"2026-11-21T03:18:00.123Z\""))
        #expect(html.contains("</time>, was lost</span>") && !html.contains("class=\"advice\"") && isWellFormed(html))
        #expect(html.components(separatedBy: "<li class=").count == 2)
        let file = HealthModel.File(path: "/h.sqlite", size: 48 << 20, bound: 384 << 20)
        let health = HealthPage(model: HealthModel(clock: Self.clock, report: dead, file: file)).content
        let text = health.parts.map(\.text).joined()
        #expect(!text.contains("state good") && text.contains("state stale") && text.contains("<li class=\"stale\">"))
        var model = DeviceModel(
            id: DeviceID(Self.address), address: Self.address, name: "attic", clock: Self.clock)
        (model.report, model.status) = (dead, devices[0])
        model.newest = NewestValues([try makeReading()]).devices[DeviceID(Self.address)]
        let device = DevicePage(model: model).content
        #expect(device.parts[0].text.contains("state stale") && device.parts[0].text.contains("panel now stale"))
        let night = ReportPage(report: nil, range: .night, clock: Self.clock, isStale: true).content
        for content in [health, device, night] {
            let frame = PageFrame(title: "", place: nil, clock: Self.clock, content: content)
            #expect(frame.main.text.contains(" data-stale>"))
        }
        #expect(OverviewModel(state: .status(dead), clock: Self.clock).isStale)
        let living = report(devices)
        #expect(!OverviewModel(state: .status(living), clock: Self.clock).isStale && !house(living).contains("stale"))
    }

    @Test func saysWhatIsWrongWithThePoller() {
        #expect(!house(report([status()])).contains("alerts"))
        #expect(house(report([status()], pid: nil)).contains("<li class=\"bad\">Not polling: "))
        // A device that isn't polled has no next tick.
        #expect(!house(report([status()], pid: nil)).contains("<dt>Next</dt>"))
        #expect(house(report([])).contains("No devices"))
    }

    @Test func aViewShowsItsDevicesInItsOrder() throws {
        var model = OverviewModel(
            state: .status(
                report([status("attic"), status("cellar", .lost, number: 2), status("bath", number: 3)])),
            clock: Self.clock)
        var device = DeviceConfiguration(alias: "attic", address: Self.address)
        device.tags = ["up"]
        model.tags = DeviceTags([device])
        let page = OverviewPage(model: model)
        func shown(_ change: (inout OverviewView) -> Void) -> [String] {
            page.identifiers(OverviewView().with(change)).map { String($0.suffix(1)) }
        }
        #expect(shown { _ in } == ["2", "1", "3"])
        #expect(shown { $0.order = .name } == ["1", "3", "2"])
        #expect(shown { $0.text = "AT" } == ["1", "3"] && shown { $0.text = "up" } == ["1"])
        #expect(shown { $0.tag = "up" } == ["1"] && shown { $0.state = .lost } == ["2"])
        #expect(shown { $0.text = "00:03" } == ["3"] && shown { $0.text = "attic cellar" }.isEmpty)
        let summary = page.summary(OverviewView().with { $0.state = .lost }).text
        #expect(summary.contains("1 of 3 devices") && summary.contains("<a href=\"/?tag=up&amp;state=lost\">") == false)
        #expect(summary.contains("<a href=\"/\" aria-current=\"true\">") && summary.contains("2 good"))
        #expect(isWellFormed(summary))
        let all = page.summary(OverviewView()).text
        #expect(all.contains("<a href=\"/?tag=up\">up <span class=\"unit\">1</span></a>"))
        let rows = OverviewPage(model: model, isTable: true).devices.map(\.html.text).joined()
        #expect(rows.hasPrefix("<tr class=\"lost\" id=\"r-") && isWellFormed(rows))
    }

    /// Two packets of manufacturer data with one field name are two rows.
    @Test func twoFormatsAreTwoRows() throws {
        #expect(PolledPoint.all([], latest: try makePackets()).map(\.name) == ["Govee", "Ruuvi"])
    }

    // MARK: Plots

    /// A legend links to a device by its ID, which needn't be made of its address.
    @Test func theLegendOfAComparisonLinksToDevicesByTheirIDs() throws {
        let both = try ["attic", "cellar"].map { name in
            var series = self.series([1, 2])
            (series.id, series.device) = (try #require(DeviceID(name)), name)
            return series
        }
        let plot = PlottedDevice(name: "both", time: someTime...someTime + 180_000, columns: 3, series: both)
        let text = plot.panels.map {
            PlotFigure(plot: plot, panel: $0, clock: Self.clock, identifier: "plot").html.text
        }.joined()
        #expect(text.contains("href=\"/device/attic\"") && text.contains("href=\"/device/cellar\""), "\(text)")
    }

    private func series(_ numbers: [Double], unit: String = "°C", field: String = "temperature") -> PlottedSeries {
        var series = PlottedSeries(
            id: DeviceID(Self.address), address: Self.address,
            key: SeriesKey(ReadingSource(), field: field, unit: unit), name: field)
        series.points = numbers.enumerated().map { index, number in
            let time = someTime + Int64(index) * 60_000
            return PlottedPoint(
                column: index, first: time, last: time, least: number, greatest: number, mean: number, latest: number,
                count: 1, isJoined: index != 2)
        }
        return series
    }

    @Test func anAxisIsNotNarrowerThanTenSteps() {
        func range(_ series: PlottedSeries) -> ClosedRange<Double> {
            PlotPanel(unit: series.shownUnit, series: [series]).axisRange
        }
        let narrow = range(series([20.5, 20.6]))
        #expect(abs(narrow.lowerBound - 20.05) < 1e-9 && abs(narrow.upperBound - 21.05) < 1e-9)
        #expect(range(series([10, 40])) == 10...40)
        #expect(range(series([50, 52], unit: "%", field: "battery_level")) == 0...100)
        #expect(range(series([50, 52], unit: "%", field: "humidity")) == 46...56)
        // What has no sign gets no axis with one.
        #expect(range(series([0, 2], unit: "%", field: "humidity")) == 0...10)
        var panel = PlotPanel(unit: "", series: [series([500, 520], unit: "")])
        panel.hasZero = true
        #expect(panel.axisRange == 0...520)
    }

    @Test func anAxisHasRoundNumbersInBothScales() {
        var model = DeviceModel(id: DeviceID(Self.address), address: Self.address, name: "attic", clock: Self.clock)
        model.plot = PlottedDevice(
            name: "attic", time: someTime...someTime + 120_000, columns: 2, series: [series([10, 21.5])])
        let html = DevicePage(model: model).content.parts.map(\.text).joined()
        func labels(_ scale: String) -> [String] {
            html.matches(of: #/<text [^>]*class="in-(.)">([^<]*)</#).filter { $0.1 == scale }.map { String($0.2) }
        }
        #expect(labels("c") == ["10", "15", "20"] && labels("f") == ["50", "55", "60", "65", "70"])
        #expect(html.contains("class=\"grid in-f\"") && isWellFormed(html))
    }

    @Test func firingsAreMarksOnTheAxisOfTime() {
        func firing(_ fired: Int64, _ ended: Int64?, isOver: Bool) -> RuleFiring {
            RuleFiring(
                rule: "wet", device: DeviceID(Self.address), fired: fired, ended: ended, isOver: isOver,
                cause: "humidity is 71 %", ending: ended.map { _ in "humidity is 60 %" })
        }
        let marks = PlotMark.firings(
            [
                firing(someTime, someTime + 60_000, isOver: true), firing(someTime, nil, isOver: false),
                firing(someTime, nil, isOver: true), firing(.min, .max, isOver: true),
            ], now: someTime + 120_000)
        #expect(
            marks.dropLast().map(\.text) == [
                "the rule wet fired for 1m: humidity is 71 %; then humidity is 60 %",
                "the rule wet fires, for 2m: humidity is 71 %", "the rule wet fired: humidity is 71 %",
            ])
        #expect(marks[0].time == someTime...someTime + 60_000 && marks[1].time.upperBound == someTime + 120_000)
        var model = DeviceModel(id: DeviceID(Self.address), address: Self.address, name: "attic", clock: Self.clock)
        model.plot = PlottedDevice(
            name: "attic", time: someTime...someTime + 240_000, columns: 4, series: [series([20.5, 21, 21.5])])
        model.marks = [marks[0]]
        let html = DevicePage(model: model).content.parts.map(\.text).joined()
        #expect(html.contains("<rect class=\"rule\" x=\"0%\" width=\"25%\"") && html.contains("a rule fired</li>"))
        #expect(!html.contains("blekeep didn’t poll</li>") && isWellFormed(html))
        // A rule marks the plot of its own quantity, which has its limit.
        model.plot?.series.append(series([60, 61, 62], unit: "%", field: "humidity"))
        model.rules = [RuleStatus(rule: "wet", device: DeviceID(Self.address), condition: "humidity of all > 63 %")]
        model.marks = PlotMark.firings(
            [firing(someTime, someTime + 60_000, isOver: true)], rules: model.rules, now: someTime)
        let figures = DevicePage(model: model).content.parts.map(\.text).joined().components(separatedBy: "<figure")
        #expect(figures.map { $0.contains("<rect class=\"rule\"") } == [false, false, true])
        #expect(figures.map { $0.contains("class=\"limit\"") } == [false, false, true])
        // Without a poller, the gap lasts.
        let gaps = PlotMark.gaps([], until: self.report([status()], pid: nil))
        #expect(gaps.map(\.time) == [someTime...Self.clock.now] && PlotMark.gaps([], until: self.report([])).isEmpty)
    }

    @Test func noticesAndFailuresAreMarksWithTheirDevices() {
        let device = DeviceID(Self.address)
        let lost = GivenNotice(
            time: someTime + 60_000, event: .known(.deviceLost), device: device, message: "not heard <b>",
            failure: "it exited with 1")
        // A rule has a mark of its own.
        let rule = GivenNotice(time: someTime, event: .known(.ruleFires), device: device, rule: "wet", message: "71 %")
        let marks = PlotMark.notices([rule, lost])
        #expect(marks.map(\.text) == ["the notice device_lost: not heard <b>; its command failed: it exited with 1"])
        let entry = LedgerEntry(
            device: device, number: 1, phase: .known(.connect), failure: ReadingFailure(.connect, "no answer"),
            remedy: nil, first: someTime, last: someTime + 120_000)
        let failures = PlotMark.failures([entry]) { _ in "attic" }
        #expect(failures.allSatisfy { $0.text.hasPrefix("attic: ") } && failures.count == 1)
        #expect(PlotMark.notices([lost]) { _ in "attic" }.allSatisfy { $0.text.hasPrefix("attic: the notice ") })
        let plot = PlottedDevice(
            name: "attic", time: someTime...someTime + 240_000, columns: 4, series: [series([20.5, 21, 21.5])])
        let page = ComparePage(
            request: CompareRequest(), span: plot.time, choices: [], fields: [], chosen: [device], plot: plot,
            marks: marks + failures, rules: [], clock: Self.clock, isStale: false)
        let html = page.content.parts.map(\.text).joined()
        #expect(html.contains("<rect class=\"notice\" x=\"25%\"") && html.contains("a notice was given</li>"))
        #expect(html.contains("<rect class=\"failure\" x=\"0%\" width=\"50%\"") && isWellFormed(html))
    }

    @Test func aPlotAndItsTableHaveTheNumbersAndTheMarks() {
        let plot = PlottedDevice(
            name: "attic", time: someTime...someTime + 240_000, columns: 4,
            series: [series([20.5, 21, 21.5]), series([50], unit: "%", field: "battery_level")])
        var model = DeviceModel(id: DeviceID(Self.address), address: Self.address, name: "attic", clock: Self.clock)
        model.plot = plot
        model.marks = [PlotMark(kind: .gap, time: someTime + 60_000...someTime + 120_000, text: "suspend, 1m")]
        let html = DevicePage(model: model).content.parts.map(\.text).joined()
        #expect(html.contains("data-points=\"0 20.5;60 21.0|120 21.5\"") && html.contains("<title>suspend, 1m</title>"))
        #expect(html.contains("<rect class=\"gap\" x=\"25%\" width=\"25%\""))
        #expect(isWellFormed(html))
        model.view.isTable = true
        let table = DevicePage(model: model).content.parts.map(\.text).joined()
        #expect(table.contains("<td class=\"count\" data-c>21.5</td><td></td>") && table.contains("suspend, 1m"))
        #expect(!table.contains("<figure"))
    }

    @Test func timesOfAPlotAreLinks() throws {
        let hour: Int64 = 3_600_000
        let view = PageView(time: .between(from: "2026-11-21T02:00Z", to: "2026-11-21T04:00Z"))
        let span = try view.time.span(now: someTime, offset: { _ in 0 })
        #expect(span.upperBound - span.lowerBound == 2 * hour)
        let html = TimeNavigation(view: view, span: span, path: "/device/a", clock: Self.clock).html.text
        for part in [
            "from=2026-11-21T01%3a00%3a00Z&amp;to=2026-11-21T03%3a00%3a00Z\">Earlier",
            "to=2026-11-21T05%3a00%3a00Z\">Later",
            "from=2026-11-21T02%3a30%3a00Z&amp;to=2026-11-21T03%3a30%3a00Z\">Closer",
            "name=\"from\" required=\"\" value=\"2026-11-21T03:00\"",
        ] { #expect(html.contains(part), "\(part) in \(html)") }
        #expect(isWellFormed(html))
        func length(_ from: String?, _ to: String?) throws -> Int64 {
            let span = try PageTime.between(from: from, to: to).span(now: someTime, offset: { _ in 0 })
            return span.upperBound - span.lowerBound
        }
        #expect(try length("1h", "2h") == hour && length("2h", "1h") == hour)
        #expect(try length("3h", nil) == 3 * hour && length(nil, "1h") == 24 * hour)
        // No age is too long.
        for age in ["999y", "99999999d", "106751991167d", "9223372036854775s"] {
            let reached = try? length(age, age == "999y" ? "9223372036854775s" : nil)
            #expect(reached.map { $0 > 0 } ?? true)
        }
    }

    @Test func theForecastSaysWhenTheHistoryIsFull() {
        func text(_ size: Int64, days: Int64, free: Int64? = nil) -> String? {
            let oldest = someTime - days * 86_400_000
            return HistoryForecast(
                HealthModel.File(path: "", size: size, bound: 100 << 20, free: free, oldest: oldest), now: someTime
            ).text
        }
        #expect(
            text(50 << 20, days: 10) == "grows by about 5 MiB a day; in about 10 days the oldest readings make room")
        #expect(text(50 << 20, days: 10, free: 20 << 20)?.contains("in about 4 days the disk is full") == true)
        #expect(text(99 << 20, days: 200) == "full; it keeps about 6 months" && text(1 << 20, days: 0) == nil)
    }

    @Test func anOldValueHasItsAge() throws {
        let old = try makeReading(
            makeValue(.number(55), field: "humidity", unit: "%"), name: "Humidity", time: someTime - 61_000)
        let html = house(report([status()]), [try makeReading(), old])
        #expect(html.contains("<dt>Humidity<span class=\"age\"><time") && html.contains("<dt>Temperature</dt>"))
    }

    // MARK: The fleet

    private func fleet(_ name: String, said: [(topic: String, payload: String)], failure: String? = nil) -> PageContent
    {
        var mqtt = MQTTConfiguration(host: "127.0.0.1", port: 1883, isEncrypted: false, gateway: "cellar")
        mqtt.fleet = "home"
        var device = DeviceConfiguration(alias: name, address: Self.address)
        device.gateways = ["cellar", "attic"]
        var view = FleetView(mqtt, devices: [device])
        for (topic, payload) in said { view.received(topic, payload: Array(payload.utf8)) }
        return FleetPage(state: .known(view, failure: failure), clock: Self.clock).content
    }

    @Test func theFleetShowsWhoReadsAndWhoCould() {
        let page = fleet(
            "freezer",
            said: [
                ("blekeep/cellar/status", "online"), ("blekeep/attic/status", "online"),
                (
                    "blekeep/cellar/devices",
                    #"{"fleet":"home","devices":{"f00000000001":{"state":"lost","since":\#(someTime),"rssi":-90}}}"#
                ),
                ("blekeep/attic/devices", #"{"fleet":"home","devices":{"f00000000001":{"state":"hears","rssi":-70}}}"#),
                (
                    "blekeep/attic/state",
                    #"{"version":"0.1.0","power_mode":"battery","backlog":3,"bluetooth_problem":true}"#
                ),
            ])
        let html = page.parts.map(\.text).joined()
        #expect(isWellFormed(html) && !page.isStale && page.live == "/fragment/fleet")
        for part in [
            "<h1 id=\"title\">Fleet home</h1>", "</svg> 1 lost</span>", "<td>cellar</td>", "-90 dBm", "attic -70 dBm",
            "<li class=\"bad\">freezer: cellar can&#39;t read it", "<td class=\"count\">3</td><td>battery</td>",
            "</svg> problem</span>",
        ] { #expect(html.contains(part), "\(part) in \(html)") }
        let old = fleet("freezer", said: [], failure: "127.0.0.1:1883 refused the connection")
        #expect(old.isStale && old.parts[0].text.contains("no connection, so that this may be old"))
    }

    @Test func theFleetWithoutABrokersAnswer() {
        for (state, text) in [
            (.none, "or `sinks: postgres:`"), (.unknown(failure: nil), "waits for it"),
            (.unknown(failure: "no route"), "No route."),
        ] as [(ServedFleet.State, String)] {
            let content = FleetPage(state: state, clock: Self.clock).content
            #expect(content.isStale && content.parts.count == 1)
            #expect(content.parts[0].text.contains(text) && isWellFormed(content.parts[0].text))
        }
    }

    /// Other clients of the broker may say anything in a gateway's name.
    @Test(arguments: ["<script>", "\" onload=\"x", "&amp;", "]]>", "\u{0}\u{1b}[0m", "\u{202e}x"])
    func noTextOfTheBrokerIsMarkup(text: String) throws {
        let quoted = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        let page = fleet(
            text,
            said: [
                ("blekeep/cellar/status", "online"), ("blekeep/attic/state", #"{"version":\#(quoted)}"#),
                ("blekeep/attic/installation", text), ("blekeep/attic/status", text),
                (
                    "blekeep/cellar/devices",
                    #"{"fleet":"home","devices":{"f00000000001":{"state":"lost","reason":\#(quoted)}}}"#
                ),
            ], failure: text)
        #expect(isWellFormed(page.parts.map(\.text).joined()))
    }

    // MARK: Other pages

    @Test func aDeviceThatWasNeverPolledHasAPage() {
        let model = DeviceModel(
            id: DeviceID(Self.address), address: Self.address, name: "attic", clock: Self.clock)
        let content = DevicePage(model: model).content
        let html = content.parts.map(\.text).joined()
        #expect(html.contains("No values yet") && html.contains("No attempts yet") && html.contains("Nothing was read"))
        #expect(content.live == "/fragment/device/f00000000001?range=24h")
        #expect(isWellFormed(html))
    }

    @Test func attemptsAreTheNewestFirst() {
        var model = DeviceModel(
            id: DeviceID(Self.address), address: Self.address, name: "attic", clock: Self.clock)
        model.attempts = [
            LedgerEntry(
                device: DeviceID(Self.address), number: 1, phase: .known(.connect),
                failure: ReadingFailure(.connect, "no answer"),
                remedy: .known(.retry), first: someTime, last: someTime + 1000, count: 3, pause: .seconds(5)),
            LedgerEntry(
                device: DeviceID(Self.address), number: 2, phase: .known(.read), failure: nil, remedy: nil,
                first: someTime + 2000,
                last: someTime + 2000),
        ]
        let html = DevicePage(model: model).content.parts.map(\.text).joined()
        let rows = html.components(separatedBy: "<tr class=")
        #expect(rows.count == 3 && rows[1].contains("was read"))
        #expect(rows[2].contains("connecting failed (3 times): no answer; next attempt in 5s"))
    }

    @Test func pointsAreWhatWasReadAndWhatIsConfigured() throws {
        let temperature = try makeReading()
        var failed = try makeReading(makeFailure(), time: someTime + 1)
        failed.characteristic = BluetoothUUID(0x2A6F)
        failed.name = "Humidity"
        let configured = [
            CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A6E)),
            CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A19)),
        ]
        let points = PolledPoint.all(configured, latest: [failed, temperature])
        #expect(points.map(\.name) == ["Battery Level", "Temperature", "Humidity"])
        #expect(points.map(\.failure) == [nil, nil, "it does not answer"])
        #expect(points.map(\.time) == [nil, someTime, someTime + 1])
        var advertised = temperature
        (advertised.service, advertised.characteristic, advertised.name) = (nil, nil, "Ruuvi")
        #expect(PolledPoint.all([], latest: [advertised], heard: someTime + 9).map(\.time) == [someTime + 9])
    }

    @Test func theNightHasModesGapsAndDevices() {
        var report = Report(from: someTime - 3_600_000, to: someTime)
        report.spans = [
            Report.Span(
                offset: .zero, length: .seconds(1800), mode: .battery, supply: .battery, percentages: 40...60,
                isDraining: true)
        ]
        report.gaps = [
            Report.Gap(offset: .seconds(1800), length: .seconds(1800), cause: .suspend, from: someTime, to: someTime)
        ]
        report.devices = [DeviceActivity(device: "attic", address: Self.address)]
        let plot = PlottedDevice(
            name: "attic", time: someTime...someTime + 1000, columns: 1, series: [series([20.5])])
        let html = ReportPage(
            report: report, range: .night, clock: Self.clock, readings: [DeviceID(Self.address): plot]
        ).content.parts.map(\.text).joined()
        let unit = "<span data-c>, °C</span>"
        #expect(html.contains("<td>Temperature\(unit)</td><td class=\"count\" data-c>20.5</td>"))
        #expect(html.contains("battery mode, 30m; suspend, 30m") && html.contains("From 60 % to 40 %"))
        #expect(html.contains("<rect x=\"500\" y=\"0\" width=\"500\" height=\"24\" class=\"mode gap\">"))
        #expect(isWellFormed(html))
        #expect(!html.contains("id=\"notices\""))
        var page = ReportPage(report: report, range: .night, clock: Self.clock)
        page.notices = [
            GivenNotice(time: someTime, event: .known(.sinkFails), message: "mqtt: no <route>"),
            GivenNotice(
                time: someTime, event: .known(.ruleFires), device: DeviceID(Self.address), rule: "wet", message: "71 %"),
        ]
        page.names = [DeviceID(Self.address): "attic"]
        let notices = page.content.parts.map(\.text).joined()
        #expect(notices.contains("<td>rule_fires</td><td>wet: 71 %</td>"))
        #expect(notices.contains("<td>–</td><td>sink_fails</td><td>mqtt: no &lt;route") && isWellFormed(notices))
        report.isRunning = true
        func says(_ text: String, isStale: Bool) -> Bool {
            ReportPage(report: report, range: .night, clock: Self.clock, isStale: isStale).content.parts[0].text
                .contains(text)
        }
        #expect(says("blekeep runs", isStale: false) && !says("blekeep runs", isStale: true))
        let later = ReportPage(report: report, range: .night, clock: Self.clock, readings: nil).content
        #expect(later.parts.map(\.text).joined().contains("<section id=\"values\" data-same>"))
        #expect(ReportPage(report: nil, range: .week, clock: Self.clock).content.parts.count == 1)
    }

    @Test func healthHasTheLimitOfTheHistory() {
        var report = report([status()])
        var sink = SinkStatus(name: "mqtt")
        (sink.backlog, sink.dropped, sink.failure, sink.nextTry) = (17, 3, "desk refused", Self.clock.now + 9000)
        report.sinks = [sink]
        let file = HealthModel.File(path: "/h.sqlite", size: 48 << 20, bound: 384 << 20)
        let html = HealthPage(model: HealthModel(clock: Self.clock, report: report, file: file)).content.parts
            .map(\.text).joined()
        #expect(html.contains("48 MiB of at most 384 MiB") && html.contains("width=\"12.5\""))
        #expect(html.contains("desk refused; next try <time") && html.contains(">17</td><td class=\"count\">3</td>"))
        #expect(!html.contains("Everything works") && html.contains("A sink fails") && isWellFormed(html))
        #expect(html.contains("id=\"backlog\" data-same"))
        var plot = PlottedDevice(name: "", time: someTime...someTime + 240_000, columns: 4)
        func section() -> String {
            var model = HealthModel(clock: Self.clock, report: report, file: file)
            model.backlogs = plot
            return HealthPage(model: model).content.parts.map(\.text).joined()
        }
        #expect(section().contains("No reading waited"))
        plot.series = [series([0, 17], unit: "", field: "mqtt")]
        #expect(section().contains("<figure") && section().contains("<td class=\"count\">17</td>"))
        #expect(isWellFormed(section()))
        let empty = HealthPage(model: HealthModel(clock: Self.clock, reason: "the history is empty", file: file))
        #expect(empty.content.parts.map(\.text).joined().contains("The history is empty."))
    }

    // MARK: Names from the air

    @Test(arguments: hostileTexts + ["<script>alert(1)</script>", "\" onload=\"x", "]]>", "</title>", "&amp;"])
    func noTextChangesAPage(text: String) throws {
        var lost = status(text, .lost)
        lost.condition = DeviceCondition(.lost, failure: ReadingFailure(.connect, text))
        let readings = [
            try makeReading(makeValue(.text(text), field: text, unit: text), device: text, name: text)
        ]
        #expect(isWellFormed(house(report([lost], power: text), readings)))
        var model = DeviceModel(
            id: DeviceID(Self.address), address: Self.address, name: text, clock: Self.clock)
        (model.report, model.status) = (report([lost], power: text), lost)
        model.newest = NewestValues(readings).devices[DeviceID(Self.address)]
        model.points = PolledPoint.all([], latest: readings)
        var series = PlottedSeries(
            id: DeviceID(Self.address), address: Self.address,
            key: SeriesKey(ReadingSource(), field: text, unit: text), name: text)
        series.points = [
            PlottedPoint(
                column: 0, first: someTime, last: someTime, least: 1, greatest: 2, mean: 1, latest: 2, count: 2)
        ]
        series.states = [PlottedState(column: 1, time: someTime, word: text)]
        model.plot = PlottedDevice(name: text, time: someTime...someTime + 10, columns: 2, series: [series])
        let content = DevicePage(model: model).content
        #expect(isWellFormed(content.parts.map(\.text).joined()))
        let page = PageFrame(title: text, place: nil, clock: Self.clock, content: content).page.text
        #expect(page.components(separatedBy: "<script").count == 4)
    }
}
