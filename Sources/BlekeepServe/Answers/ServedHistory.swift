import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords
import Logging
import RunLoop

/// The history as requests read it. Only the history's thread uses it.
final class ServedHistory: @unchecked Sendable {
    let path: String
    private var reader: KeptReader
    private let loader: ConfigurationLoader
    let loop: RunLoop
    private let log: Logger
    private var configuration: Configuration
    private var loaded: Uptime
    private var isConfigured = true
    private var totals = WorkTotals()
    /// The overview, for all browsers.
    var overview = LiveOverview(started: WallClock.milliseconds())
    var overviewTable = LiveOverview(started: WallClock.milliseconds(), isTable: true)

    /// What the broker knows of the fleet.
    let fleet: ServedFleet

    /// How long the devices of the configuration count as current.
    private static let freshness: Duration = .seconds(10)

    init(path: String, configuration: Configuration?, loader: ConfigurationLoader, on loop: RunLoop, log: Logger) {
        self.path = path
        reader = KeptReader(path: path)
        self.loader = loader
        self.loop = loop
        self.log = log
        fleet = ServedFleet(environment: loader.environment, on: loop)
        self.configuration = configuration ?? Configuration()
        loaded = loop.now
    }

    /// Reads the history, in short transactions only. Throws `HistoryError`, and what `body` throws.
    func read<Result: Sendable>(_ body: (HistoryReader) throws -> Result) throws -> Result { try reader.read(body) }

    /// Returns the device with an alias, an address or an ID.
    func resolve(_ device: String) throws -> DeviceID {
        let devices = configuredDevices()
        return try read { try HistoryDevice.resolve(device, among: devices, in: $0, listedBy: "/devices lists all") }
    }

    /// Returns the readings after a number as events. Throws `HistoryError`.
    func events(after number: Int64) throws -> EventPage {
        let news: (readings: [StoredReading], newest: Int64)
        do { news = try read { try $0.news(after: number, limit: EventPage.maxReadings) } } catch HistoryError.missing {
            news = ([], 0)
        }
        return EventPage(news.readings, newest: news.newest, tags: tags)
    }

    // MARK: Answers

    /// Calls `ready` when an answer to a request makes sense: at once, but for what a broker is still asked.
    func prepare(_ route: Route, ready: @escaping () -> Void) {
        switch route {
        case .fleetMetrics: fleet.prepare(currentConfiguration(), ready: ready)
        case .page(let request) where request.page == .fleet: fleet.prepare(currentConfiguration(), ready: ready)
        default: ready()
        }
    }

    func answer(_ route: Route) -> Answer {
        do {
            switch route {
            case .metrics: return try metrics()
            case .fleetMetrics: return try fleetMetrics()
            case .readings(let request): return try readings(request)
            case .devices: return try deviceList()
            case .health: return try health()
            case .events(let request):
                return Answer(type: "text/event-stream", body: .events(after: try start(of: request)))
            case .description: return .json(OpenAPI.text(version: BlekeepVersion.text))
            case .page(let request): return page(request)
            case .asset(let asset): return .asset(asset)
            }
        } catch { return problem(error).answer }
    }

    /// The problem of an error while reading.
    func problem(_ error: any Error) -> Problem {
        switch error {
        case let problem as Problem: problem
        case let error as HistoryQueryError:
            Problem(error.code == .unknownDevice ? .notFound : .badRequest, error.message)
        case let error as StatusError: Problem(.unavailable, error.description)
        case let error as HistoryError: Problem(.unavailable, error.description)
        default: Problem(.internalError, "the request failed: \(error)")
        }
    }

    private func readings(_ request: ReadingsRequest) throws -> Answer {
        let pages = try ReadingPages.open(request, history: self)
        let type = request.format == .lines ? "application/x-ndjson" : "application/json"
        let link = pages.next.map { [Header("Link", "<\($0)>; rel=\"next\"")] } ?? []
        return Answer(type: type, headers: link, body: .pages(pages))
    }

    private func start(of request: EventsRequest) throws -> Int64 {
        let newest: Int64
        do { newest = try read { try $0.lastSequence() } } catch HistoryError.missing { newest = 0 }
        // A higher number is of another history.
        return min(request.after ?? newest, newest)
    }

    func report() throws -> StatusReport {
        let configuration = currentConfiguration()
        var report = try read { reader in
            var report = try StatusReport.read(
                from: reader, configured: configuration.poll.devices, now: WallClock.milliseconds(),
                clocks: ClockReading.now())
            // Users see what the devices measure now for which a rule fires.
            var firing = HistoryQuery()
            firing.devices = report.rules.filter(\.isFiring).map(\.device)
            if !firing.devices.isEmpty {
                report.newest = NewestValues(try reader.latest(firing).map(\.reading), statuses: report.devices)
            }
            return report
        }
        report.gateway = configuration.gateway
        return report
    }

    private func health() throws -> Answer {
        let report = try report()
        let trouble = report.trouble
        return .json(Self.healthTable.json(trouble).text, status: trouble == nil ? 200 : 503)
    }

    static let healthTable = JSONTable<StatusTrouble?>([
        .always("ok", schema: .schema("boolean")) { .boolean($0 == nil) },
        .maybe("trouble", schema: .schema(oneOf: StatusTrouble.allCases.map(\.rawValue))) { .text($0?.rawValue) },
    ])

    private func deviceList() throws -> Answer {
        var report = try report()
        let latest = try read { try $0.latest() }
        report.newest = NewestValues(latest.map(\.reading), statuses: report.devices)
        let newest = Dictionary(grouping: latest) { $0.reading.id }
        var list = DeviceList(report, tags: tags)
        for device in report.devices { list.add(device, newest: newest[device.id] ?? []) }
        return Answer(type: "application/json", body: .bytes(list.bytes))
    }

    private func metrics() throws -> Answer {
        let report = try report()
        let (newest, work) = try read { (try $0.latest(), try $0.work(from: totals.row)) }
        totals.add(work.activities, work.air, newest: work.newest)
        let bytes = HistoryMetrics.bytes(
            report, newest: newest.map(\.reading), configured: configuredDevices(),
            gateway: currentConfiguration().gateway, totals: totals, percentage: work.percentage, at: loop.now)
        return .metrics(bytes)
    }

    private func fleetMetrics() throws -> Answer {
        switch fleet.state(currentConfiguration()) {
        case .none: throw Problem(.notFound, ServedFleet.missing)
        case .unknown: .metrics(FleetMetrics.page(nil, isConnected: false).bytes)
        case .known(let view, let failure): .metrics(FleetMetrics.page(view, isConnected: failure == nil).bytes)
        }
    }

    // MARK: Configuration

    /// The tags of the configured devices, and the gateway.
    var tags: DeviceTags {
        let configuration = currentConfiguration()
        return DeviceTags(configuration.poll.devices, gateway: configuration.gateway)
    }

    /// Returns the devices of the configuration, as `blekeep status` reads it.
    func configuredDevices() -> [DeviceConfiguration] { currentConfiguration().poll.devices }

    func currentConfiguration() -> Configuration {
        guard loop.now - loaded >= Self.freshness else { return configuration }
        loaded = loop.now
        do throws(ConfigurationErrors) {
            configuration = try loader.load()?.configuration ?? Configuration()
            isConfigured = true
        } catch {
            if isConfigured {
                log.warning("the configuration has mistakes; 'blekeep config check' lists them; keeping the last one")
            }
            isConfigured = false
        }
        return configuration
    }
}

/// The work for each device since the first call, from the rows of heartbeats. Unlike a sum over all rows, it doesn't
/// shrink when old rows are removed. Pure.
struct WorkTotals: Sendable, Equatable {
    /// The newest row, whose work may still grow.
    private(set) var row: Int64?
    private var counted: [DeviceID: DeviceActivity] = [:]
    private var totals: [DeviceID: DeviceActivity] = [:]
    private(set) var air = AirUse()
    private var countedAir = AirUse()

    var activities: [DeviceActivity] { Array(totals.values) }

    /// - Parameters:
    ///   - activities: of the rows from `row` on, or of the newest row.
    ///   - uses: what listening took and brought in the same rows.
    ///   - newest: the newest row; `nil` without any.
    mutating func add(_ activities: [RowActivity], _ uses: [Int64: AirUse] = [:], newest: Int64?) {
        let isFirst = row.map { newest ?? .min < $0 } ?? true
        // A device that was renamed has two entries in a row.
        var rows: [Int64: [DeviceID: DeviceActivity]] = [:]
        for entry in activities {
            let (device, new) = (entry.activity.id, entry.activity)
            rows[entry.row, default: [:]][device] = rows[entry.row]?[device].map { $0 + new } ?? new
        }
        for (number, devices) in rows {
            for (device, work) in devices {
                var new = work
                if isFirst {
                    new = DeviceActivity(id: device, device: new.device, address: new.address)
                } else if number == row, let old = counted[device] {
                    new = new - old
                }
                totals[device] = totals[device].map { $0 + new } ?? new
            }
        }
        if !isFirst { air = uses.reduce(air) { $0 + ($1.key == row ? $1.value - countedAir : $1.value) } }
        row = newest
        countedAir = newest.flatMap { uses[$0] } ?? AirUse()
        counted = newest.flatMap { rows[$0] } ?? [:]
    }
}
