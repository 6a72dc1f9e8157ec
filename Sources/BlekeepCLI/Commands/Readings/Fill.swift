import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import DBus
import Logging
import RunLoop

/// Filling is a program of its own, which a timer starts, and no part of the poller: nothing that a download does may stop the
/// poller's loop, BlueZ shares a connection among programs, and the history takes each record once, whoever asks for it. So the
/// limits of what the configuration asks for are those of one run: a few minutes an hour, one device at a time.
struct Fill: ContextCommand, BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "fill", abstract: "Fill gaps of the history from a device's own memory.",
        discussion: """
            Some sensors keep what they measured for days, such as a RuuviTag with firmware 3.28 or later. This command looks \
            for times without values, connects to the device once, asks it for these times, and stores what it had. \
            A value that blekeep has comes no second time. The newest value stays the newest one. \
            'history', 'plot' and the summaries show the others with the rest, and sinks get them later.

            While it is connected, a sensor that only advertises is silent, and so for some seconds are its neighbors.

            Examples:
              blekeep fill attic
              blekeep fill attic --since 2d
              blekeep fill tag:cellar --json
              blekeep fill --due                               for a timer that runs each hour
            """)

    @Argument(
        help: ArgumentHelp("The device: its alias or address, or tag:NAME for several.", valueName: "dev"),
        completion: .device)
    var device: String?

    @Flag(help: "Fill what the key 'log' of the devices says, for 4 minutes at most.")
    var due = false

    @Option(
        help: ArgumentHelp(
            "Only gaps since this time; otherwise as long as the device keeps a value.", valueName: "time"))
    var since: String?

    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    func validate() throws {
        if due == (device != nil) { throw ValidationError("name a device, or give --due for those with 'log'") }
        if due, since != nil {
            throw ValidationError("--due fills what 'log' of each device says; leave --since out, or name a device")
        }
    }

    func run(in context: CommandContext) async throws {
        var query = HistoryQuery()
        try query.take(since: since, until: nil, now: context.wallTime())
        let path = try StoredHistory.path(context)
        guard let device else { return try await fillDue(history: path, in: context) }
        let devices = try await context.nearbyDevices(device)
        if context.clocks().isSynchronized == false {
            context.log.warning(
                "this machine's clock isn't set by a time server; the times of what is filled are as right as it is")
        }
        // Of several, those without a memory are no failures.
        var (failures, others): ([Failure], [Failure]) = ([], [])
        for device in devices {
            do {
                let filling = try Filling(device, history: path, since: query.since, in: context)
                try await filling.run(in: context)
            } catch let failure as Failure {
                guard devices.count > 1, context.ending == nil else { throw failure }
                guard failure.code != .usage else {
                    others.append(failure)
                    continue
                }
                context.log.error("\(Untrusted(device.name)): \(failure.message)")
                failures.append(failure)
            }
        }
        if let other = others.first, others.count == devices.count { throw other }
        guard let first = failures.first else { return }
        throw Failure(failures.count + others.count < devices.count ? .someFailed : first.code, "")
    }

    /// Fills what the configuration says. What can't be filled now comes with a later run, and is no failure.
    private func fillDue(history path: String, in context: CommandContext) async throws {
        let poll = try context.validConfiguration()?.poll ?? PollConfiguration()
        let devices = poll.devices.filter { $0.log != .off && $0.isPolled }
        guard !devices.isEmpty else { return context.log.notice("no device has the key 'log'") }
        guard context.clocks().isSynchronized != false else {
            return context.log.notice("the clock isn't set yet, so nothing is filled")
        }
        guard await Self.powerMode(poll.power.choice, in: context) != .critical else {
            return context.log.notice("the battery is almost empty, so nothing is filled")
        }
        let end = context.loop.now + LogMode.budget
        for device in LogMode.order(devices, at: context.wallTime()) where context.loop.now < end {
            do {
                try await Filling(device, history: path, isDue: true, in: context).run(until: end, in: context)
            } catch let failure as Failure {
                if context.ending != nil { throw failure }
                context.log.warning("\(Untrusted(device.name)): \(failure.message)")
            }
        }
    }

    /// The power mode by what the machine says now: the poller may have ended long ago.
    private static func powerMode(_ choice: PowerChoice, in context: CommandContext) async -> PowerMode {
        guard let bus = try? await context.bus() else { return .normal }
        let monitor = PowerMonitor(
            choice, on: context.loop, supply: context.isSimulated ? { SupplyFacts(state: .unknown) } : nil
        ) { _ in }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { await monitor.run(on: bus) }
            await monitor.answered(within: .seconds(5))
            defer {
                monitor.end()
                bus.close()
            }
            return monitor.status.mode
        }
    }
}

/// Fills the gaps of one device.
private struct Filling: Sendable {
    private let device: DeviceConfiguration
    private let recipe: Recipe
    private let log: Recipe.Log
    /// The newest value that the log's values go on from.
    private let newest: Reading
    /// The fields that it fills.
    private let fields: [String]
    /// The earliest time that is filled: milliseconds since 1970.
    private let begin: Int64
    private let path: String
    private let limits: HistoryLimits
    /// Whether only what the key `log` says is worth a connection; then the time between ticks.
    private let interval: Duration?
    /// Whether blekeep heard the device before `begin`.
    private let isKnown: Bool

    /// After a cut, blekeep asks again for the rest.
    private static let maxSessions = 6

    init(
        _ device: DeviceConfiguration, history path: String, since: Int64? = nil, isDue: Bool = false,
        in context: CommandContext
    ) throws {
        self.device = device
        let usual = context.optionalConfiguration?.poll.interval ?? PollConfiguration().interval
        interval = isDue ? device.interval ?? usual : nil
        self.path = path
        limits = HistoryLimits(context.optionalConfiguration?.history ?? HistoryConfiguration())
        let now = context.wallTime()
        (recipe, log, newest, begin, isKnown) = try StoredHistory.read(at: path) { reader in
            let latest = try reader.latest(HistoryQuery(device: device.id)).map(\.reading)
            let formats = Set(
                BroadcastFormat.allCases.filter { format in
                    latest.contains { $0.isAdvertised && $0.name == format.name }
                })
            let own = context.optionalConfiguration?.poll.recipes ?? []
            let found = RecipeCatalogue.log(
                recipe: device.recipe, formats: device.format.map { formats.union([$0]) } ?? formats, own: own)
            guard let recipe = found, let log = recipe.log else {
                throw Self.noLog(device, formats, hasValues: !latest.isEmpty)
            }
            let newest = latest.last { reading in
                guard case .value(let measurement, _) = reading.outcome, reading.address == device.address,
                    log.fills.map({ $0.name == reading.name && reading.isAdvertised })
                        ?? (reading.recipe == recipe.name)
                else { return false }
                return log.fields.contains { $0.name == measurement.field && $0.unit == measurement.unit }
            }
            guard let newest else {
                throw Failure(
                    .notFound,
                    "the history has no value of \(Untrusted(device.name)) that its memory could go on from: let 'blekeep poll' "
                        + "hear it first")
            }
            let kept = try reader.oldestKept() ?? .min
            let begin = max(since ?? .min, now - log.holds.wholeMilliseconds, kept)
            let before = try reader.page(HistoryQuery(device: device.id, until: begin), after: 0, limit: 1)
            return (recipe, log, newest, begin, !before.isEmpty)
        }
        fields = log.fields.map(\.name).filter { device.fields.isEmpty || device.fields.contains($0) }
    }

    private static func noLog(
        _ device: DeviceConfiguration, _ formats: Set<BroadcastFormat>, hasValues: Bool
    ) -> Failure {
        let name = Untrusted(device.name)
        guard hasValues || device.recipe != nil || device.format != nil else {
            return Failure(.notFound, "the history has no value of \(name): let 'blekeep poll' hear it first")
        }
        let what = (device.recipe.map { ["the recipe \($0)"] } ?? []) + formats.map(\.name).sorted()
        let known = RecipeCatalogue.logs.map(\.title).joined(separator: ", ")
        return Failure(
            .usage,
            "blekeep knows no memory that \(name)\(what.isEmpty ? "" : " (\(what.joined(separator: ", ")))") could be asked for; it "
                + "knows that of \(known)")
    }

    private static func otherModel(_ device: DeviceConfiguration, _ own: String?) -> Failure {
        let name = own.map { "calls itself \(Untrusted($0))" } ?? "doesn't say its name"
        return Failure(
            .usage, "\(Untrusted(device.name)) \(name), and blekeep knows only how to ask other models with its format")
    }

    // MARK: Downloads

    /// - Parameter end: when the last download ends; what isn't there then is left to the next run.
    func run(until end: Uptime = .never, in context: CommandContext) async throws {
        var total = LoggedReadings.Outcome()
        var (first, failure): (Int64?, ReadingFailure?)
        var sessions = 0
        while sessions < Self.maxSessions, context.loop.now < end, let hole = try hole(until: context.wallTime()) {
            first = first ?? hole.lowerBound
            sessions += 1
            let outcome: LoggedReadings.Outcome
            (outcome, failure) = try await session(hole, until: end, in: context)
            total += outcome
            // A device that can't be asked, or gives nothing more, is left alone.
            if outcome.stored == 0 { break }
        }
        try show(total, since: first, failure: failure, in: context)
        guard let failure, interval == nil else { return }
        throw Failure(total.stored > 0 ? .someFailed : .allFailed, "\(Untrusted(device.name)): \(failure.message)")
    }

    /// The oldest time without values.
    private func hole(until now: Int64) throws -> ClosedRange<Int64>? {
        try StoredHistory.read(at: path) { reader in
            guard begin < now else { return nil }
            let coverages = try reader.logCoverages(
                of: device.id, device.address, newest.source, fields: fields, since: begin, every: log.every)
            let holes = coverages.compactMap { coverage in
                guard let interval else { return coverage.holes(in: begin...now).first }
                return device.log.worthwhile(coverage, in: begin...now, interval: interval, isKnown: isKnown).first
            }
            return holes.min { $0.lowerBound < $1.lowerBound }
        }
    }

    private func session(
        _ hole: ClosedRange<Int64>, until end: Uptime, in context: CommandContext
    ) async throws -> (LoggedReadings.Outcome, ReadingFailure?) {
        let name = Untrusted(device.name)
        let since = LogCoverage.since(hole, overlap: log.overlap, every: log.every) / 1000
        let expected = (context.wallTime() / 1000 - since) / max(1, log.every.components.seconds)
        let result = try await context.withLink(device) { link in
            let own = await context.ownName(of: device.address)
            guard log.fits(name: own) else { throw Self.otherModel(device, own) }
            return await link.download(by: recipe, since: since, of: device, until: end, wallTime: context.wallTime) {
                count in
                guard count % 16 == 0 else { return }
                ProgressLine.show("asking \(name): \(count) of about \(expected) records", on: context.terminal)
            }
        }
        guard let (download, failure) = result else { return (LoggedReadings.Outcome(), nil) }
        context.log.debug("\(name) sent \(download.count) records; left out: \(download.counts)")
        return (try LoggedStore.append(logged(download), limits: limits, path: path), failure)
    }

    /// The values as the live ones are stored: only the configured fields, and corrected.
    private func logged(_ download: LogDownload) -> LoggedReadings {
        let request = download.since * 1000...max(download.since, download.now) * 1000
        let readings = download.records.flatMap { record in
            FieldCalibration.chosen(
                device.fields, calibration: device.calibration, derived: device.derived, from: record.measurements
            ).map { measurement in
                var reading = newest
                (reading.time, reading.tick, reading.isLogged) = (record.time * 1000, 0, true)
                (reading.device, reading.outcome) = (device.name, .value(measurement, raw: []))
                return reading
            }
        }
        return LoggedReadings(
            id: device.id, address: device.address, readings: readings, every: log.every, request: request,
            answered: LogCoverage.answered(
                request, isComplete: download.state == .complete, incomplete: download.incomplete.map { $0 * 1000 },
                every: log.every))
    }

    // MARK: Output

    private func show(
        _ total: LoggedReadings.Outcome, since: Int64?, failure: ReadingFailure?, in context: CommandContext
    ) throws {
        if context.options.json {
            let object: JSON = .object(
                JSON.pairs(
                    of: device.name, address: device.address.description, state: failure == nil ? "filled" : "cut") + [
                        ("since", .text(since.map { UTCTime(milliseconds: $0).iso })),
                        ("stored", .integer(total.stored)),
                        ("live", .integer(total.live)), ("known", .integer(total.known)),
                        ("differing", .integer(total.differing)), ("crowded", .integer(total.crowded)),
                        ("reset", .boolean(total.isReset)), ("error", .text(failure?.message)),
                    ])
            return try context.output.line(object.text)
        }
        let name = Untrusted(device.name)
        func local(_ time: Int64) -> String { UTCTime(milliseconds: time, offset: LocalTime.offset).dateAndMinute }
        guard let since else {
            if interval != nil { return }
            return try context.output.line("\(name): nothing is missing since \(local(begin))")
        }
        var line = "\(name): filled \(total.stored) values since \(local(since))"
        if total.differing > 0 { line += "; \(total.differing) have another value than an earlier download said" }
        if total.crowded > 0 { line += "; \(total.crowded) came too soon after another one" }
        if total.isReset { line += "; its memory was cleared since the last download" }
        if let failure, interval != nil { line += "; the rest comes with a later run: \(failure.message)" }
        try context.output.line(line)
    }
}
