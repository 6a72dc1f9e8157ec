import BlekeepOutputs
import BlekeepRecords
import RunLoop

/// A database that takes readings: a batch is a call of `blekeep.put_1`.
///
/// A reading's key is its number together with the history that gave it. When the database has another reading with that
/// key, an older history was restored: from that number on, the history is another one.
final class PostgresServer: BatchServer, @unchecked Sendable {
    let name = "postgres"
    var onEnd: ((any Error) -> Void)?
    private let settings: PostgresConfiguration
    private let password: () throws -> String?
    private let histories: any HistoryIdentity
    private let loop: RunLoop
    private let client: PostgresClient
    private var known: [HistoryPart] = []
    /// How many readings the database has of them; `nil` before the first connection.
    private var received: Int64?
    /// Whether this gateway has used a database before.
    private var hadServer = false
    var onDecision: ((DeviceCommand) -> Void)?
    private let reports: PostgresReports
    /// What the history keeps of the devices that this gateway owns.
    private var kept: [DeviceID]
    /// `nil` for a gateway that has only its own configuration.
    private let configurer: FleetConfigurer?
    /// The failures of what the database is asked for beside readings, by question.
    private var failures: (tick: String?, configuration: String?, report: String?)
    var failure: String? { failures.tick ?? failures.configuration ?? failures.report }

    /// - Parameters:
    ///   - devices: all of the configuration.
    ///   - version: blekeep's version.
    ///   - applyFleet: takes the fleet's configuration; `nil` for a gateway that has only its own.
    ///   - password: reads the password. It is called after each failure, because the file may change.
    init(
        _ settings: PostgresConfiguration, of histories: any HistoryIdentity, devices: [DeviceConfiguration],
        version: String, on loop: RunLoop, applyFleet: ApplyFleetConfiguration? = nil,
        password: @escaping () throws -> String?
    ) {
        self.settings = settings
        self.histories = histories
        self.loop = loop
        self.password = password
        client = PostgresClient(settings, on: loop)
        let owned = (try? histories.owned()) ?? []
        kept = owned
        reports = PostgresReports(settings, devices: devices, owned: owned, version: version, on: loop)
        configurer =
            settings.givesConfiguration
            ? applyFleet.map { FleetConfigurer(settings, apply: $0, on: loop) } : nil
        configurer?.onDue = { [unowned self] in self.askForConfiguration() }
        reports.onDue = { [unowned self] in self.send($0) }
        reports.ticker.onTick = { [unowned self] in self.send($0) }
        reports.ticker.onDecision = { [unowned self] in self.onDecision?($0) }
        client.onEnd = { [unowned self] in self.onEnd?($0) }
    }

    var place: String { settings.name }
    var role: String { "\(settings.gateway) in \(settings.database) on \(settings.name)" }
    var batchAge: Duration { settings.batchAge }
    var backlogRate: Int { settings.backlogRate }

    func connect(_ done: @escaping (Result<[Range<Int64>], any Error>) -> Void) {
        do {
            let password = try password()
            known = try histories.parts()
            client.connect(password: password) { [unowned self] result in
                if case .failure(let error) = result { return done(.failure(error)) }
                endEarlierConnections()
                lookAtServer(then: done)
            }
        } catch { loop.soon { done(.failure(error)) } }
    }

    /// What this gateway lost may still be at work there, and keep others waiting.
    private func endEarlierConnections() {
        client.run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE usename = session_user AND application_name = $1 AND pid <> pg_backend_pid()
            """, with: [program]
        ) { _ in }
        client.run("SELECT set_config('application_name', $1, false)", with: [program]) { _ in }
    }

    /// Another machine with the same role is another program.
    private var program: String { "blekeep poll \(settings.installation?.prefix(16) ?? "")" }

    /// After a standby was promoted, the old primary may come back and take readings, too. It is refused: they would be lost.
    private func lookAtServer(then done: @escaping (Result<[Range<Int64>], any Error>) -> Void) {
        client.run("SELECT system, timeline FROM blekeep.server_1()") { [unowned self] result in
            do {
                if case .failure(let error) = result, error.state.isEmpty { throw error }
                // Some services hide it.
                if let row = (try? result.get())?.first, let system = row[0],
                    let timeline = row[1].flatMap({ Int64($0) })
                {
                    let server = DatabaseServer(system: system, timeline: timeline)
                    let last = try histories.server()
                    if let last, server.isOlder(than: last) {
                        throw ServerError(
                            "\(place): what takes readings there is an old primary, on timeline \(timeline & 0xFFFF_FFFF): its standby was promoted, and this gateway used that one on timeline \(last.timeline & 0xFFFF_FFFF); stop the old one, or make a standby of it; if it is the right one, run 'blekeep fleet init --primary' for it"
                        )
                    }
                    hadServer = last != nil
                    if server != last { try histories.keep(server) }
                }
                compare(then: done)
            } catch { done(.failure(error)) }
        }
    }

    /// Asks for the numbers that the database has: a standby that lagged, or a database that was restored, may lack some.
    private func compare(then done: @escaping (Result<[Range<Int64>], any Error>) -> Void) {
        client.run("SELECT blekeep.received_1($1, $2::uuid[])", with: [settings.gateway, ids]) {
            [unowned self] result in
            switch result {
            case .success(let rows):
                let now = ReceivedNumbers(rows.map { $0[0] ?? "" }, of: known, hadSome: hadServer)
                let isLess = received.map { now.count < $0 } ?? true
                received = now.count
                reports.begin()
                configurer?.begin()
                done(.success(isLess ? now.lacking : []))
            case .failure(let error): done(.failure(error))
            }
        }
    }

    /// The parts of the history, as an array of SQL.
    private var ids: String { "{\(known.map(\.id).joined(separator: ","))}" }

    func line(_ reading: LiveReading) -> [UInt8] {
        let part = known.lastIndex { $0.first <= reading.number } ?? 0
        return PostgresLine.bytes(of: reading, part: part)
    }

    func send(
        _ lines: ArraySlice<BatchQueue.Line>,
        then done: @escaping (Result<(BatchVerdict, bytes: Int), any Error>) -> Void
    ) {
        var body = [UInt8(ascii: "[")]
        body += lines.map(\.bytes).joined(separator: [UInt8(ascii: ",")])
        body.append(UInt8(ascii: "]"))
        let parameters = [settings.gateway, ids, String(decoding: body, as: UTF8.self)]
        client.run("SELECT blekeep.put_1($1, $2::uuid[], $3::json)", with: parameters) { [unowned self] result in
            switch result {
            case .success(let rows):
                received = rows.first?[0].flatMap { Int64($0) }.map { (received ?? 0) &+ $0 }
                done(.success((.done, body.count)))
            case .failure(let error) where error.state == PostgresSchema.conflict:
                done(.failure(beginAnew(error)))
            case .failure(let error) where error.isContent:
                done(.success((.refused(error.description), body.count)))
            case .failure(let error): done(.failure(error))
            }
        }
    }

    /// Another reading has the number of one of this history, or another role sent the history so far.
    /// Returns why the batch comes again.
    private func beginAnew(_ error: PostgresError) -> any Error {
        guard let number = error.detail.split(separator: " ").last.flatMap({ Int64($0) }) else { return error }
        do { try histories.begin(at: number) } catch { return error }
        return ServerError(
            "\(place) has other readings from \(number) on: an older history was restored, or another role sent it so far; sending again"
        )
    }

    // MARK: Which gateway reads a device

    func note(_ device: DeviceID, rssi: Int) { reports.ticker.heard(device, rssi: rssi) }

    /// Says which devices this gateway hears, and asks which are its own.
    private func send(_ tick: OwnershipTick) {
        let parameters = [settings.gateway, settings.installation ?? ""] + PostgresTick.parameters(of: tick)
        client.run("SELECT blekeep.tick_1($1, $2, $3::json, $4::text[], $5::json)", with: parameters) {
            [unowned self] result in
            switch result {
            case .success(let rows):
                failures.tick = nil
                reports.ticker.answered(OwnershipAnswer(rows.first?[0] ?? ""))
                keepOwned()
            case .failure(let error) where error.state.isEmpty: onEnd?(error)
            case .failure(let error):
                failures.tick = error.description
                if error.state == PostgresSchema.nameTaken { reports.ticker.refused() }
            }
        }
    }

    /// Keeps what this gateway owns for a start without the database. If that fails, the next answer comes soon.
    private func keepOwned() {
        let owned = reports.ticker.owned
        if owned != kept, (try? histories.keep(owned: owned)) != nil { kept = owned }
    }

    // MARK: The fleet's configuration

    private func askForConfiguration() {
        guard let configurer else { return }
        let parameters = configurer.parameters
        client.run(
            "SELECT * FROM blekeep.configure_1($1, $2::integer, $3, $4::integer, $5, $6)",
            with: parameters
        ) { [unowned self] result in
            switch result {
            case .success(let rows):
                failures.configuration = nil
                configurer.answered(rows.first)
            case .failure(let error) where error.state.isEmpty: onEnd?(error)
            case .failure(let error): failures.configuration = error.description
            }
        }
    }

    // MARK: Reports

    func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) { reports.apply(changes, heartbeat) }

    /// A report that the database refuses is left out. When the connection ends meanwhile, the sink must know.
    private func send(_ report: [String?]) {
        client.run("SELECT blekeep.report_1($1, $2, $3::json, $4::json)", with: report) { [unowned self] result in
            switch result {
            case .success: failures.report = nil
            case .failure(let error) where error.state.isEmpty: onEnd?(error)
            case .failure(let error): failures.report = error.description
            }
        }
    }

    func close() {
        reports.pause()
        configurer?.pause()
        client.close()
    }

    func end(isHandedOver: Bool) {
        // The others need not wait until the lease ends, and those who look see it at once.
        if !isHandedOver {
            client.say("SELECT blekeep.leave_1($1, $2)", with: [settings.gateway, settings.installation ?? ""])
        }
        close()
        reports.end()
    }
}

/// Takes the fleet's configuration: its version and its text. The last argument is called later, once, with why the gateway
/// refuses it, or with `nil` when the gateway runs it. Returns `false` when it is too early for another one: nothing is called
/// then, and what the gateway is to have by then comes with a later answer.
package typealias ApplyFleetConfiguration = (FleetVersion, String, @escaping @Sendable (String?) -> Void) -> Bool

/// Asks the fleet's database each 10 s for the configuration that this gateway is to have.
final class FleetConfigurer: @unchecked Sendable {
    private let settings: PostgresConfiguration
    private let apply: ApplyFleetConfiguration
    private let loop: RunLoop
    private var random: SplitMix64
    private var isConnected = false
    private var isApplying = false
    private var refused: (version: FleetVersion, problem: String, at: Uptime)?
    private lazy var timer = ClosureTimer { [weak self] in self?.cameDue() }
    /// Called when it is time to ask.
    var onDue: (() -> Void)?

    private static let interval: Duration = .seconds(10)
    /// What this gateway refused may fit later, when its own files have changed.
    private static let retry: Duration = .seconds(300)

    init(_ settings: PostgresConfiguration, apply: @escaping ApplyFleetConfiguration, on loop: RunLoop) {
        self.settings = settings
        self.apply = apply
        self.loop = loop
        random = SplitMix64(seed: settings.gateway.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    }

    func begin() {
        isConnected = true
        loop.arm(timer, at: loop.now)
    }

    func pause() {
        isConnected = false
        loop.disarm(timer)
    }

    private func cameDue() {
        // Gateways that start at one time don't ask at one time.
        loop.arm(timer, at: loop.now + Self.interval + .milliseconds(Int.random(in: -1000...1000, using: &random)))
        if !isApplying { onDue?() }
    }

    /// The arguments of `blekeep.configure_1`.
    var parameters: [String?] {
        let isFinal = refused.map { loop.now < $0.at + Self.retry } ?? false
        return [
            settings.gateway, settings.running.map { "\($0.number)" }, settings.running?.digest,
            refused.map { "\($0.version.number)" }, isFinal ? refused?.version.digest : nil, refused?.problem,
        ]
    }

    /// - Parameter row: the version to have; `nil` when the gateway has it.
    func answered(_ row: PostgresRow?) {
        guard let row, row.count == 3, let number = row[0].flatMap({ Int($0) }), let digest = row[1], let yaml = row[2],
            !isApplying
        else { return }
        let version = FleetVersion(number: number, digest: digest)
        // A database that doesn't heed what this gateway refused may give it each time.
        if let refused, refused.version == version, loop.now < refused.at + Self.retry { return }
        isApplying = apply(version, yaml) { [weak self] problem in
            guard let self else { return }
            isApplying = false
            refused = problem.map { (version, String($0.prefix(2000)), self.loop.now) }
            if isConnected { loop.arm(timer, at: loop.now) }
        }
    }
}

/// What a gateway tells the database each 10 s, as arguments of `blekeep.tick_1`.
enum PostgresTick {
    static func parameters(of tick: OwnershipTick) -> [String?] {
        let devices = tick.devices.map { device in
            JSON.object([
                "id": .text(device.id.description), "rssi": .integer(device.isHeard ? device.rssi : nil),
                "heard": .integer(device.isHeard ? device.heardAge : nil), "bonded": .boolean(device.isBonded),
                "age": .integer(device.valueAge), "patience": .integer(device.patience),
            ])
        }
        let gives = tick.gives.sorted { $0.key < $1.key }.map { id, heir -> (key: String, value: JSON?) in
            (id.description, heir.map { .text($0) } ?? .null)
        }
        return [
            JSON.array(devices).text, "{\(tick.claims.map(\.description).joined(separator: ","))}",
            JSON.object(gives).text,
        ]
    }
}

/// The numbers of readings that a database has of a history. Pure.
struct ReceivedNumbers: Hashable {
    /// How many they are.
    private(set) var count: Int64 = 0
    /// The numbers that the database lacks after the first that it has.
    private(set) var lacking: [Range<Int64>] = []

    /// - Parameters:
    ///   - texts: a multirange for each part, such as `{[1,50),[60,70)}`.
    ///   - hadSome: whether a database without any number lacks all, because it was created again. Otherwise, it begins with
    ///     what comes.
    init(_ texts: [String], of parts: [HistoryPart], hadSome: Bool) {
        var hasBegun = hadSome && texts.allSatisfy { Self.ranges($0).isEmpty }
        for (place, (part, text)) in zip(parts, texts).enumerated() {
            let had = Self.ranges(text)
            guard let first = hasBegun ? part.first : had.first?.lowerBound else { continue }
            hasBegun = true
            let end = place + 1 < parts.count ? parts[place + 1].first : .max
            var next = max(first, part.first)
            for range in had {
                if next < min(range.lowerBound, end) { lacking.append(next..<min(range.lowerBound, end)) }
                next = max(next, range.upperBound)
                count &+= range.upperBound - range.lowerBound
            }
            if next < end { lacking.append(next..<end) }
        }
    }

    private static func ranges(_ text: String) -> [Range<Int64>] {
        text.split(separator: "[").compactMap { part in
            let bounds = part.prefix { $0 != ")" }.split(separator: ",").map { Int64($0) }
            guard bounds.count == 2, let lower = bounds[0], let upper = bounds[1], 0 <= lower, lower < upper
            else { return nil }
            return lower..<upper
        }
    }
}

/// What this gateway says of itself and its devices: each half minute, and sooner when it is something else.
private final class PostgresReports {
    private let settings: PostgresConfiguration
    private var state: GatewayState?
    private lazy var reporter = makeReporter()
    private let version: String
    private let loop: RunLoop
    let ticker: OwnershipTicker
    private lazy var timer = ClosureTimer { [weak self] in self?.cameDue() }
    private var isConnected = false
    private var last = Uptime.start
    /// Called with the arguments of a report.
    var onDue: (([String?]) -> Void)?

    /// The time between two reports of the same.
    static let interval: Duration = .seconds(30)
    private static let shortest: Duration = .seconds(10)

    init(
        _ settings: PostgresConfiguration, devices: [DeviceConfiguration], owned: [DeviceID], version: String,
        on loop: RunLoop
    ) {
        self.settings = settings
        self.version = version
        self.loop = loop
        let claims = FleetClaims(
            fleet: settings.database, gateway: settings.gateway, devices, owned: owned, at: loop.now)
        ticker = OwnershipTicker(claims, decides: settings.decides, on: loop)
    }

    private func makeReporter() -> GatewayReporter {
        GatewayReporter(version: version, on: loop) { [weak self] state in
            self?.state = state
            self?.isNews()
        }
    }

    func apply(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) {
        reporter.apply(changes, heartbeat: heartbeat, sink: "postgres")
        if ticker.apply(changes, time: WallClock.milliseconds()) { isNews() }
    }

    func begin() {
        isConnected = true
        loop.arm(timer, at: loop.now)
        ticker.begin()
    }

    private func isNews() {
        if isConnected { loop.arm(timer, at: min(last + Self.shortest, timer.deadline)) }
    }

    private func cameDue() {
        loop.arm(timer, at: loop.now + Self.interval)
        guard isConnected, let state = state?.payload(at: WallClock.milliseconds()) else { return }
        last = loop.now
        onDue?([
            settings.gateway, settings.installation ?? "", String(decoding: state, as: UTF8.self),
            String(decoding: ticker.payload, as: UTF8.self),
        ])
    }

    func pause() {
        isConnected = false
        loop.disarm(timer)
        ticker.pause()
    }

    func end() {
        pause()
        ticker.end()
        reporter.end()
    }
}

extension LiveReading {
    /// What the database knows the reading by.
    fileprivate var number: Int64 { sequence ?? arrival ?? 0 }
}

/// A reading as an object for `blekeep.put_1`.
enum PostgresLine {
    static func bytes(of live: LiveReading, part: Int) -> [UInt8] {
        let reading = live.reading
        var pairs: [(key: String, value: JSON?)] = [
            ("h", .integer(part)), ("seq", .integer(Int(live.number))),
            ("time", .text(UTCTime(milliseconds: reading.time).iso)), ("device", text(reading.id.description)),
            ("address", text(reading.address.description)), ("service", text(reading.service?.description ?? "")),
            ("characteristic", text(reading.characteristic?.description ?? "")), ("recipe", text(reading.recipe ?? "")),
            ("instance", .integer(reading.instance)), ("alias", text(reading.device)), ("name", text(reading.name)),
            ("clock_set", .boolean(reading.isClockSet)),
        ]
        switch reading.outcome {
        case .value(let measurement, _):
            pairs += [("field", text(measurement.field)), ("unit", text(measurement.unit ?? ""))]
            pairs += Self.pairs(of: measurement)
        case .failure(let failure, _):
            pairs += [("field", ""), ("unit", "")]
            pairs += [("error", text(failure.code.rawValue)), ("text", text(failure.message))]
        }
        return JSON.object(pairs).bytes
    }

    private static func pairs(of measurement: Measurement) -> [(key: String, value: JSON?)] {
        switch measurement.value {
        case .integer, .number: [("value", .measured(measurement.value))]
        case .boolean(let isTrue): [("value", isTrue ? 1 : 0), ("text", isTrue ? "true" : "false")]
        case .text(let own): [("text", text(own, hasLines: true))]
        case .list: [("text", text(JSON.measured(measurement.value).text))]
        case nil: [("text", text(measurement.state ?? ""))]
        }
    }

    /// The database refuses control characters, which harm terminals, and texts without an end. Only texts have lines.
    private static func text(_ text: String, hasLines: Bool = false) -> JSON {
        let isPlain = !text.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 }
        if isPlain, text.utf8.count <= maxLength { return .text(text) }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(maxLength) {
            let isControl = scalar.properties.generalCategory == .control
            let isLine = hasLines && (scalar == "\n" || scalar == "\t")
            scalars.append(isControl && !isLine ? "\u{FFFD}" : scalar)
        }
        return .text(String(scalars))
    }

    private static let maxLength = 10_000
}

extension BatchSink {
    package convenience init(
        _ postgres: PostgresConfiguration, of histories: any HistoryIdentity, devices: [DeviceConfiguration],
        version: String, on loop: RunLoop, applyFleet: ApplyFleetConfiguration? = nil,
        password: @escaping () throws -> String?
    ) {
        self.init(
            PostgresServer(
                postgres, of: histories, devices: devices, version: version, on: loop, applyFleet: applyFleet,
                password: password),
            on: loop)
    }
}

/// Connects to a database with the gateway's settings, and calls its function without readings.
package final class PostgresCheck: SinkCheck {
    package let name = "postgres"
    private let settings: PostgresConfiguration
    private let password: () throws -> String?
    private let loop: RunLoop
    private let client: PostgresClient

    package init(_ settings: PostgresConfiguration, on loop: RunLoop, password: @escaping () throws -> String?) {
        self.settings = settings
        self.password = password
        self.loop = loop
        client = PostgresClient(settings, on: loop)
    }

    package func start(_ done: @escaping (Result<String, any Error>) -> Void) {
        let secret: String?
        do { secret = try password() } catch { return loop.soon { done(.failure(error)) } }
        client.connect(password: secret) { [unowned self] result in
            if case .failure(let error) = result { return done(.failure(error)) }
            client.run("SELECT blekeep.put_1($1, '{}', '[]')", with: [settings.gateway]) { [settings] result in
                done(result.map { _ in "\(settings.name) takes readings" }.mapError { $0 })
            }
        }
    }

    package func end() { client.close() }
}

/// What gateways say in a database, for commands and pages. It asks again each few seconds.
package final class PostgresFleet: FleetSource, @unchecked Sendable {
    package private(set) var view: FleetView
    package private(set) var failure: (any Error)?
    package var onChange: (() -> Void)?
    package let settings: PostgresConfiguration
    private let devices: [DeviceConfiguration]
    private let password: () throws -> String?
    private let loop: RunLoop
    private let client: PostgresClient
    private lazy var timer = ClosureTimer { [weak self] in self?.ask { _ in } }
    /// Called with what becomes of a user's wish, which may wait for a question.
    private var wish: ((Result<Void, any Error>) -> Void)?

    /// The time between two questions.
    private static let interval: Duration = .seconds(5)

    /// - Parameter devices: all of this machine's configuration.
    package init(
        _ settings: PostgresConfiguration, devices: [DeviceConfiguration], on loop: RunLoop,
        password: @escaping () throws -> String?
    ) {
        self.settings = settings
        self.devices = devices
        self.loop = loop
        self.password = password
        client = PostgresClient(settings, on: loop)
        view = FleetView(ofDatabase: settings.database, gateway: settings.gateway, devices: devices)
    }

    package func start(_ done: @escaping (Result<String, any Error>) -> Void) {
        let secret: String?
        do { secret = try password() } catch {
            failure = error
            return loop.soon { done(.failure(error)) }
        }
        client.onEnd = { [unowned self] in self.fail($0) }
        client.connect(password: secret) { [unowned self] result in
            switch result {
            case .success: ask(done)
            case .failure(let error):
                failure = error
                done(.failure(error))
            }
        }
    }

    private func ask(_ done: @escaping (Result<String, any Error>) -> Void) {
        client.run("SELECT name, installation, state, devices, silence_ms, is_online FROM blekeep.gateways_1()") {
            [unowned self] result in
            switch result {
            case .success(let rows): askForVersions(behind: rows, done)
            case .failure(let error):
                fail(error)
                done(.failure(error))
            }
        }
    }

    private func askForVersions(
        behind gateways: PostgresClient.Rows, _ done: @escaping (Result<String, any Error>) -> Void
    ) {
        client.run("SELECT blekeep.versions_1()") { [unowned self] result in
            switch result {
            case .success(let rows):
                apply(gateways, rows.first?[0].flatMap { FleetVersions($0) })
                loop.arm(timer, at: loop.now + Self.interval)
                done(.success("\(settings.name) knows \(gateways.count) gateways"))
                onChange?()
            case .failure(let error):
                fail(error)
                done(.failure(error))
            }
        }
    }

    private func apply(_ rows: PostgresClient.Rows, _ versions: FleetVersions?) {
        let now = WallClock.milliseconds()
        var view = FleetView(ofDatabase: settings.database, gateway: settings.gateway, devices: devices)
        view.versions = versions
        for row in rows where row.count == 6 {
            guard let name = row[0], let silence = row[4].flatMap({ Int64($0) }) else { continue }
            view.received(
                of: name,
                [
                    "status": row[5] == "t" ? "online" : "offline", "installation": row[1] ?? "", "state": row[2] ?? "",
                    "devices": row[3] ?? "",
                ], sent: now &- max(0, silence))
        }
        self.view = view
    }

    private func fail(_ error: PostgresError) {
        failure = error
        loop.disarm(timer)
        grant(.failure(error))
        onChange?()
    }

    // MARK: What a user wants

    package func move(_ device: DeviceID, to gateway: String, _ done: @escaping (Result<Void, any Error>) -> Void) {
        call("SELECT blekeep.move_1($1, $2)", with: [device.description, gateway], done)
    }

    /// Gives a gateway's name to this machine, unless another one is online with it.
    package func adopt(_ gateway: String, installation: String, _ done: @escaping (Result<Void, any Error>) -> Void) {
        call("SELECT blekeep.adopt_1($1, $2)", with: [gateway, installation], done)
    }

    private func call(_ sql: String, with parameters: [String?], _ done: @escaping (Result<Void, any Error>) -> Void) {
        wish = done
        client.run(sql, with: parameters) { [unowned self] in self.grant($0.map { _ in }.mapError { $0 }) }
    }

    private func grant(_ result: Result<Void, any Error>) {
        let done = wish
        wish = nil
        done?(result)
    }

    package func end() {
        onChange = nil
        loop.disarm(timer)
        client.close()
    }
}
