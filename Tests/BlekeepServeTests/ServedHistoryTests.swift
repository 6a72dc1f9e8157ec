import BlekeepConfiguration
import BlekeepHistory
import BlekeepRecords
import BusBench
import Foundation
import Logging
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepServe

/// Answers from a history on the disk.
@Suite struct ServedHistoryTests {
    private let folder: TemporaryFolder
    private let history: History
    private let served: ServedHistory

    init() throws {
        folder = try TemporaryFolder()
        let path = folder.file("history.sqlite")
        history = try History(path: path)
        try folder.write("devices: []\n", to: "config.yaml")
        let loader = ConfigurationLoader(file: folder.file("config.yaml"), environment: [:], names: .assigned)
        served = ServedHistory(
            path: path, configuration: nil, loader: loader, on: try RunLoop(.virtual),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func add(_ count: Int, every step: Int64 = 1000) throws {
        var readings: [Reading] = []
        for number in 0..<count {
            let isEven = number % 2 == 0
            let address = isEven ? "F0:00:00:00:00:01" : "F0:00:00:00:00:02"
            let time = someTime + Int64(number) * step
            readings.append(
                try makeReading(
                    makeValue(.integer(Int64(number))), device: isEven ? "even" : "odd", time: time, address: address))
        }
        _ = try history.append(readings, durable: false)
    }

    private static func text(_ answer: Answer) throws -> String {
        guard case .bytes(let bytes) = answer.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func text(_ answer: Answer) throws -> String {
        switch answer.body {
        case .bytes: return try Self.text(answer)
        case .pages(let source):
            var bytes: [UInt8] = []
            while let page = try source.next(served) {
                #expect(page.count < 256 << 10)
                bytes += page
            }
            return String(decoding: bytes, as: UTF8.self)
        case .events(let after): return "\(after)"
        }
    }

    private func get(_ target: String, accept: String = "") throws -> Answer {
        served.answer(try Route(Request(method: "GET", target: target, accept: accept)))
    }

    private func objects(_ text: String) throws -> [[String: Any]] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    }

    /// Follows the links to the last page.
    private func all(_ target: String) throws -> [[String: Any]] {
        var (next, all) = (Optional(target), [[String: Any]]())
        while let target = next {
            let answer = try get(target)
            #expect(answer.status == 200)
            all += try objects(text(answer))
            next = answer.headers.first { $0.name == "Link" }.map { $0.value.replacing(/^<|>; rel="next"$/, with: "") }
        }
        return all
    }

    /// A request waits for the broker's first answer. The connection stays for the next ones.
    @Test func theFleetIsWhatTheBrokerSays() throws {
        nonisolated(unsafe) let broker = try Broker()
        try broker.publish("blekeep/attic/status", "online", isRetained: true)
        try broker.publish(
            "blekeep/attic/devices", #"{"fleet":"home","devices":{"f00000000001":{"state":"reads"}}}"#, isRetained: true
        )
        let loop = try RunLoop()
        let loader = ConfigurationLoader(file: folder.file("config.yaml"), environment: [:], names: .assigned)
        try folder.write(
            "sinks: {mqtt: {url: 'mqtt://127.0.0.1:\(broker.port)', fleet: home}}\n"
                + "devices: [{address: F0:00:00:00:00:01, alias: freezer}]\n", to: "config.yaml")
        let served = ServedHistory(
            path: folder.file("history.sqlite"), configuration: try loader.load()?.configuration, loader: loader,
            on: loop,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let route = try Route(Request(method: "GET", target: "/fleet"))
        @Sendable func page() async throws -> String {
            let ready = Gate(loop)
            served.prepare(route) { ready.open() }
            await ready.wait()
            return try Self.text(served.answer(route))
        }
        try loop.run {
            let first = try await page()
            #expect(first.contains("<h1 id=\"title\">Fleet home</h1>") && first.contains("<td>attic</td>"))
            #expect(first.contains("<a href=\"/fleet\" aria-current=\"page\">Fleet</a>"))
            #expect(
                try Self.text(served.answer(Route(Request(method: "GET", target: "/")))).contains("href=\"/fleet\""))
            let metrics = try Route(Request(method: "GET", target: "/fleet/metrics"))
            let connected = try Self.text(served.answer(metrics))
            #expect(connected.contains("blekeep_fleet_connected 1\n"))
            #expect(connected.contains("blekeep_fleet_device_reader{device=\"freezer\",gateway=\"attic\"} 1\n"))
            broker.kill()
            var last = try await page()
            while !last.contains("no connection, so that") {
                await Gate(loop).wait(until: loop.now + .milliseconds(10))
                last = try await page()
            }
            #expect(last.contains("<td>attic</td>") && last.contains("data-stale"))
            #expect(try Self.text(served.answer(metrics)).contains("blekeep_fleet_connected 0\n"))
        }
    }

    @Test func withoutAFleetNoPageLeadsToOne() throws {
        #expect(try !text(get("/")).contains("/fleet"))
        #expect(try text(get("/fleet")).contains("No fleet"))
        #expect(try get("/fleet/metrics").status == 404)
        var isReady = false
        served.prepare(try Route(Request(method: "GET", target: "/fleet"))) { isReady = true }
        #expect(isReady)
    }

    @Test func anEmptyHistoryHasNoReadings() throws {
        #expect(try text(get("/readings")) == "[]\n")
        #expect(try text(get("/readings", accept: "application/x-ndjson")) == "")
        #expect(try text(get("/readings?every=1h")) == "[]\n")
        #expect(try get("/healthz").status == 503)
        #expect(try get("/devices").status == 503)
    }

    @Test(arguments: [1, 7, 256, 300, 599, 600, 1000]) func linksLeadToEveryReadingOnce(limit: Int) throws {
        try add(600)
        #expect(try all("/readings?limit=\(limit)").compactMap { $0["seq"] as? Int } == Array(1...600))
        let odd = try all("/readings?device=odd&limit=\(limit)").compactMap { $0["seq"] as? Int }
        #expect(odd == Array(stride(from: 2, through: 600, by: 2)))
    }

    @Test(arguments: [1, 2, 3, 1000], ["5m", "10m"])
    func linksLeadToEverySummaryOnce(limit: Int, every: String) throws {
        try add(40, every: 60_000)
        let whole = try text(get("/readings?every=\(every)&limit=10000"))
        let parts = try all("/readings?every=\(every)&limit=\(limit)")
        #expect(parts.count == (try objects(whole)).count && parts.count >= (every == "5m" ? 10 : 6))
        #expect(parts.compactMap { $0["count"] as? Int }.reduce(0, +) == 40)
    }

    /// The pages end, and have the rows of `blekeep history --every`, also where the clock is set back or forward.
    @Test(arguments: [SampleZone.berlin, .lordHowe, .kolkata], ["1h", "3h", "6h", "1d", "7d"])
    func linksLeadOverAChangeOfTheClock(zone: SampleZone, every: String) throws {
        let windows = try #require(SummaryWindows(DurationText.parse(every), offset: zone.offset))
        for change in zone.changes.map(\.time) + (zone.changes.isEmpty ? [someTime] : []) {
            let readings = try (0..<432).map { index in
                let address = "F0:00:00:00:00:0\(index % 2)"
                return try makeReading(
                    makeValue(.integer(1)), time: change + Int64(index - 216) * 1_200_000, address: address)
            }
            _ = try history.append(readings, durable: false)
            while history.needsUpkeep { try history.upkeep() }
        }
        var wanted: [String] = []
        try served.read { reader in
            try reader.summaries(in: windows) { summary in
                var bytes: [UInt8] = []
                SummaryLines.appendJSON(summary, to: &bytes)
                wanted.append(String(decoding: bytes, as: UTF8.self))
            }
        }
        for limit in TestLength.of([3, 1000], atNight: [1, 2, 3, 1000]) {
            var (target, found, pages) = (Optional("/readings?every=\(every)&limit=\(limit)"), [String](), 0)
            while let next = target, pages <= wanted.count {
                let page = Request(method: "GET", target: next, accept: "application/x-ndjson")
                guard case .readings(let request) = try Route(page) else { throw Problem(.notFound, next) }
                let source = try ReadingPages.open(request, history: served, offset: zone.offset)
                while let page = try source.next(served) {
                    found += String(decoding: page, as: UTF8.self).split(separator: "\n").map(String.init)
                }
                (target, pages) = (source.next, pages + 1)
            }
            #expect(target == nil && found == wanted)
        }
    }

    @Test func linesAreTheSameReadings() throws {
        try add(300)
        let lines = try text(get("/readings", accept: "application/x-ndjson"))
        let joined = "[" + lines.split(separator: "\n").joined(separator: ",\n") + "]\n"
        #expect(try text(get("/readings")) == joined)
    }

    @Test func timesSelectReadings() throws {
        try add(10)
        let selected = try all("/readings?since=2026-11-21T03:18:02.123Z&until=2026-11-21T03:18:05.123Z")
        #expect(selected.compactMap { $0["seq"] as? Int } == [3, 4, 5])
        #expect(try all("/readings?since=2026-11-22&until=2026-11-23").isEmpty)
    }

    @Test(arguments: ["/readings?since=1h&until=2h", "/readings?since=2026-01-02&until=2026-01-01&every=1h"])
    func aTimeThatEndsBeforeItBeginsIsRefused(target: String) throws {
        try add(2)
        let answer = try get(target)
        #expect(answer.status == 400)
        #expect(try text(answer).contains("the end (until) must be after the beginning (since)"))
    }

    /// A user of the pages who gives the end first means the same time.
    @Test(arguments: [
        "/device/even?from=1h&to=2h", "/device/even?from=2999-01-01", "/device/even?from=1h&to=1h",
        "/device/even/readings.csv?from=1h&to=2h", "/compare?device=even&from=1h&to=2h",
    ])
    func pagesTakeATimeInEitherOrder(target: String) throws {
        try add(2)
        #expect(try get(target).status == 200)
    }

    /// The beginning is absolute, and the end is relative to now.
    @Test(arguments: ["/readings?since=2020-01-01&until=1h", "/device/even?from=2020-01-01&to=1h"])
    func timesOfTwoKindsAreComparedNow(target: String) throws {
        try add(2)
        #expect(try get(target).status == 200)
    }

    @Test func filesHaveWhatAPageShows() throws {
        let now = WallClock.milliseconds()
        let readings = try (0..<300).map { number in
            try makeReading(makeValue(.integer(Int64(number))), device: "attic", time: now - 600_000 + Int64(number))
        }
        _ = try history.append(readings, durable: false)
        let csv = try get("/device/attic/readings.csv?range=1h")
        #expect(csv.headers.first?.value.contains("filename=\"attic-1h.csv\"") == true)
        let lines = try text(csv).split(separator: "\n")
        #expect(lines.count == 301 && lines[0].hasPrefix("time,seq,tick,device") && lines[300].contains(",299,"))
        #expect(try objects(text(get("/device/attic/readings.json?range=24h"))).count == 300)
        let hours = try text(get("/device/attic/readings.csv?range=1y")).split(separator: "\n")
        #expect((2...3).contains(hours.count) && hours[0].hasPrefix("time,device,measured,unit,count"))
        #expect(try get("/device/nobody/readings.csv").status == 404)
    }

    @Test func aPageOfAHouseComesFromMemoryUntilAReadingIsNew() throws {
        try add(2)
        let now = WallClock.milliseconds()
        let poller = GatewayStatus(pid: getpid(), started: now, seen: now, power: .init(mode: .normal, reason: ""))
        let device = DeviceStatus(address: BluetoothAddress(bits: 0xF000_0000_0001), name: "even", since: now)
        _ = try history.append([], nil, LedgerChanges(statuses: [device], poller: poller), durable: false)
        func page(_ target: String) throws -> String { try text(get(target)) }
        let first = try page("/")
        let edition = try #require(first.firstMatch(of: /data-edition="(\d+)"/)?.1)
        #expect(first.contains("<article"))
        let same = try page("/fragment/overview?after=\(edition)")
        #expect(same.contains("data-same") && !same.contains("<article") && same.hasPrefix("<main"))
        _ = try history.append([try makeReading(device: "even", time: now)], durable: false)
        let changed = try page("/fragment/overview?after=\(edition)")
        #expect(changed.contains("<article") && changed.contains("21.93"))
    }

    /// A device that blekeep has never heard has a status, and no reading.
    @Test func aDeviceWithoutReadingsHasAPage() throws {
        let now = WallClock.milliseconds()
        let poller = GatewayStatus(pid: getpid(), started: now, seen: now, power: .init(mode: .normal, reason: ""))
        let device = DeviceStatus(address: BluetoothAddress(bits: 0xF000_0000_0009), name: "Cellar", since: now)
        _ = try history.append([], nil, LedgerChanges(statuses: [device], poller: poller), durable: false)
        for name in ["f00000000009", "F0:00:00:00:00:09", "Cellar", "cellar"] {
            let answer = try get("/device/\(name)")
            #expect(answer.status == 200, "\(name)")
            #expect(try text(answer).contains("<h1 id=\"title\">Cellar</h1>"))
        }
        #expect(try get("/device/attic").status == 404)
    }

    /// A device that the running poller left has the status of its last tick.
    @Test(arguments: [
        (
            "- {address: \"F0:00:00:00:00:01\", alias: even, enabled: false}", "disabled",
            "blekeep set even enabled true"
        ),
        ("- {address: \"F0:00:00:00:00:02\", alias: odd}", "not in the configuration", "blekeep add F0:00:00:00:00:01"),
    ])
    func theDevicePageSaysThatADeviceIsNotPolled(configured: String, state: String, advice: String) throws {
        let now = WallClock.milliseconds()
        let poller = GatewayStatus(pid: getpid(), started: now, seen: now, power: .init(mode: .normal, reason: ""))
        var device = DeviceStatus(address: BluetoothAddress(bits: 0xF000_0000_0001), name: "even", since: now)
        device.condition = DeviceCondition(.good)
        (device.next, device.interval, device.link) = (now + 60_000, .seconds(60), .held)
        var changes = LedgerChanges(statuses: [device], poller: poller)
        changes.leftDevices = [device.id]
        let readings = [try makeReading(device: "even", time: now, address: "F0:00:00:00:00:01")]
        _ = try history.append(readings, nil, changes, durable: false)
        try folder.write("devices:\n  \(configured)\n", to: "config.yaml")
        let loader = ConfigurationLoader(file: folder.file("config.yaml"), environment: [:], names: .assigned)
        let served = ServedHistory(
            path: folder.file("history.sqlite"), configuration: try loader.load()?.configuration, loader: loader,
            on: try RunLoop(.virtual), log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let page = try text(served.answer(Route(Request(method: "GET", target: "/device/even", accept: ""))))
        #expect(page.contains("data-state=\"\(state)\"") && page.contains("</svg> \(state)</span>"))
        #expect(page.contains(advice))
        let facts = ["Next", "Every", "Interval", "Connection", "good"].filter { page.contains(">\($0)<") }
        #expect(facts.isEmpty)
    }

    @Test func anUnknownDeviceIsNotFound() throws {
        try add(1)
        let answer = try get("/readings?device=attic")
        #expect(answer.status == 404)
        #expect(try text(answer).contains("no device is called 'attic'"))
    }

    @Test func eventsBeginWithTheNextReadingUnlessTheClientHasOne() throws {
        try add(5)
        #expect(try text(get("/events")) == "5")
        func start(_ number: Int64) throws -> String {
            try text(served.answer(.events(EventsRequest(after: number))))
        }
        #expect(try start(2) == "2")
        // Of another history.
        #expect(try start(99) == "5")
        #expect(try served.events(after: 2).last == 5)
    }

    @Test func metricsAndDevicesComeFromTheLedger() throws {
        try add(2)
        let now = WallClock.milliseconds()
        var poller = GatewayStatus(
            pid: getpid(), started: now, seen: now, power: .init(mode: .normal, reason: "on mains"))
        poller.adapters = [.init(name: "hci0", isOn: true)]
        var device = DeviceStatus(address: BluetoothAddress(bits: 0xF000_0000_0001), name: "even", since: now)
        (device.condition, device.interval) = (DeviceCondition(.good), .seconds(30))
        let reading = try makeReading(device: "even", time: now)
        _ = try history.append(
            [reading], nil, LedgerChanges(statuses: [device], poller: poller), durable: false)
        let lines = try text(get("/metrics")).split(separator: "\n")
        #expect(lines.contains(#"blekeep_device_state{device="even",state="good"} 1"#))
        #expect(
            lines.contains { $0.hasPrefix("blekeep_temperature_celsius{device=\"even\"") && $0.hasSuffix(" 21.93") })
        let list = try objects(text(get("/devices")))
        #expect(list.map { $0["device"] as? String } == ["even"])
        #expect((list.first?["latest"] as? [[String: Any]])?.last?["seq"] as? Int == 3)
        // This process has the history's lock.
        #expect(try text(get("/healthz")) == "{\"ok\":true}\n")
    }

    @Test func aHistoryThatComesLaterIsServed() throws {
        history.close()
        for name in ["history.sqlite", "history.sqlite-wal", "history.sqlite-shm"] {
            try? FileManager.default.removeItem(atPath: folder.file(name))
        }
        let answer = try get("/readings")
        #expect(answer.status == 503)
        #expect(try text(answer).contains("doesn't exist yet"))
        #expect(try text(get("/events")) == "0")
        let new = try History(path: folder.file("history.sqlite"))
        _ = try new.append([try makeReading()], durable: false)
        #expect(try all("/readings").count == 1)
    }

    @Test func aHistoryOfANewerVersionIsNotServed() throws {
        history.close()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder.file("history.sqlite")))
        // SQLite's `user_version`, which counts the versions of the tables.
        try file.seek(toOffset: 60)
        try file.write(contentsOf: Data([0, 0, 1, 0]))
        try file.close()
        for target in ["/readings", "/devices", "/metrics"] {
            let answer = try get(target)
            #expect(answer.status == 503)
            #expect(try text(answer).contains("install that version again"))
        }
    }

    /// A server reads for as long as the poller runs, over any number of new configurations.
    @Test func aDeviceThatIsRenamedHasItsNewNameEverywhere() throws {
        let now = WallClock.milliseconds()
        func report(_ name: String, _ row: Int) throws {
            let poller = GatewayStatus(pid: getpid(), started: now, seen: now, power: .init(mode: .normal, reason: ""))
            let address = BluetoothAddress(bits: 0xF000_0000_0001)
            var device = DeviceStatus(address: address, name: name, since: now)
            (device.condition, device.interval) = (DeviceCondition(.good), .seconds(30))
            var activity = DeviceActivity(device: name, address: address)
            activity.good = 1
            let clocks = ClockReading(
                boot: "a", sinceBoot: .seconds(60 * row), awake: .seconds(60 * row), time: now, isSynchronized: true)
            _ = try history.append(
                [try makeReading(device: name, time: now)], Heartbeat(clocks: clocks, activities: [activity]),
                LedgerChanges(statuses: [device], poller: poller), durable: false)
        }
        let targets = ["/metrics", "/devices", "/readings", "/"]
        try report("attic", 0)
        for target in targets { #expect(try text(get(target)).contains("attic"), "\(target)") }
        try report("loft", 1)
        for target in targets {
            let text = try text(get(target))
            #expect(text.contains("loft") && !text.contains("attic"), "\(target)")
        }
    }

    /// All that the history has seems to come from the future.
    @Test func aClockThatWasSetBackEndsNoPage() throws {
        let ahead = WallClock.milliseconds() + 10 * 86_400_000
        for minute in 0..<3 {
            let time = ahead + Int64(minute) * 60_000
            let uptime = Duration.seconds(60 * minute)
            let clocks = ClockReading(
                boot: "a", sinceBoot: uptime, awake: uptime, time: time, isSynchronized: true)
            var activity = DeviceActivity(device: "attic", address: BluetoothAddress(bits: 0xF000_0000_0001))
            activity.good = 1
            _ = try history.append(
                [try makeReading(device: "attic", time: time)], Heartbeat(clocks: clocks, activities: [activity]),
                durable: false)
        }
        let device = "/device/F0:00:00:00:00:01"
        for target in ["/", "/report", "/report?since=7d", "/health", device, "\(device)?range=7d"] {
            #expect(try get(target).status == 200, "\(target)")
        }
        #expect(try text(get("/report?since=7d")).contains("attic"))
    }

    @Test func withoutAPollerMetricsAndDevicesAreStale() throws {
        let now = WallClock.milliseconds()
        var poller = GatewayStatus(
            pid: getpid(), started: now, seen: now, power: .init(mode: .normal, reason: "on mains"))
        poller.adapters = [.init(name: "hci0", isOn: true)]
        var device = DeviceStatus(address: BluetoothAddress(bits: 0xF000_0000_0001), name: "even", since: now)
        (device.condition, device.interval, device.lastValue) = (DeviceCondition(.good), .seconds(30), now)
        _ = try history.append([], nil, LedgerChanges(statuses: [device], poller: poller), durable: false)
        func lines() throws -> [Substring] { try text(get("/metrics")).split(separator: "\n") }
        let known = ["blekeep_device_state", "blekeep_device_connected", "blekeep_adapter_powered"]
        #expect(try lines().contains("blekeep_polling 1"))
        for name in known { #expect(try text(get("/metrics")).contains("\n\(name){"), "\(name)") }
        history.close()
        #expect(try lines().contains("blekeep_polling 0"))
        for name in known { #expect(try !text(get("/metrics")).contains("\n\(name){"), "\(name)") }
        #expect(try lines().contains { $0.hasPrefix("blekeep_device_last_value_timestamp_seconds{") })
        #expect(try objects(text(get("/devices"))).first?["stale"] as? Bool == true)
    }
}
