import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords
import RunLoop

extension ServedHistory {
    func page(_ request: PageRequest) -> Answer {
        do { return try answer(request) } catch {
            let problem = problem(error)
            if case .file = request.page { return problem.answer }
            return problem.page
        }
    }

    private func answer(_ request: PageRequest) throws -> Answer {
        switch request.page {
        case .overview(let view): try overviewPage(view, request: request)
        case .device(let device, let view): try devicePage(device, view: view, request: request)
        case .compare(let wanted): try comparePage(wanted, request: request)
        case .report(let range): try reportPage(range, request: request)
        case .health: healthPage(request)
        case .fleet: fleetPage(request)
        case .file(let device, let time, let format): try file(device, time: time, format: format)
        }
    }

    private func overviewPage(_ view: OverviewView, request: PageRequest) throws -> Answer {
        let clock = PageClock(now: WallClock.milliseconds())
        let sequence = try? read { try $0.lastSequence() }
        let live: ReferenceWritableKeyPath<ServedHistory, LiveOverview> = view.isTable ? \.overviewTable : \.overview
        if !self[keyPath: live].isCurrent(at: loop.now, sequence: sequence) {
            let model = try overviewModel(clock, withTrends: !view.isTable)
            self[keyPath: live].update(model, at: loop.now, sequence: sequence)
        }
        let content = self[keyPath: live].content(view, after: request.after)
        return page(request, at: .overview, clock: clock, content: content)
    }

    private func devicePage(_ device: String, view: PageView, request: PageRequest) throws -> Answer {
        let clock = PageClock(now: WallClock.milliseconds())
        let model = try deviceModel(device, view: view, clock: clock, withPlot: (request.after ?? 0) == 0)
        let title = Untrusted(model.name).description
        return page(request, at: .device, title: title, clock: clock, content: DevicePage(model: model).content)
    }

    private static let maxAttempts = 20
    private static let plotColumns = 400

    private func deviceModel(_ device: String, view: PageView, clock: PageClock, withPlot: Bool) throws -> DeviceModel {
        let span = try view.time.span(now: clock.now)
        let known = try resolve(device)
        let devices = configuredDevices()
        let configured = devices.first { $0.id == known }
        let (report, limits) = (try? report(), currentConfiguration().batteryLimits)
        return try read { reader in
            let query = HistoryQuery(device: known)
            let latest = try reader.latest(query).map(\.reading)
            let newest = latest.max { $0.time < $1.time }
            let status = try reader.status(of: known)
            guard let address = configured?.address ?? status?.address ?? newest?.address else {
                throw Problem(.notFound, "there is nothing of the device '\(Problem.shown(device))' any more")
            }
            var model = DeviceModel(
                id: known, address: address,
                name: configured?.name ?? status?.name ?? newest?.device ?? address.description,
                view: view, span: span, clock: clock, status: status)
            model.report = report
            model.exclusion = report.map { $0.exclusion(of: known, configured: devices) } ?? configured?.exclusion
            model.attempts = try reader.attempts(of: known, limit: Self.maxAttempts)
            model.newest =
                NewestValues(latest, limits: limits, statuses: [status].compactMap(\.self)).devices[known]
            model.points = PolledPoint.all(configured?.characteristics ?? [], latest: latest, heard: status?.lastValue)
            guard withPlot else { return model }
            model.plot = try reader.plotted(Self.selection(known, view, span))
            (model.marks, model.rules) = try Self.marks(of: [known], in: span, reader, until: report, now: clock.now)
            return model
        }
    }

    /// What the plots of some devices mark, and the rules about the devices.
    ///
    /// - Parameter name: returns the name of a device, in a plot of several.
    private static func marks(
        of devices: [DeviceID], in span: ClosedRange<Int64>, _ reader: HistoryReader, until report: StatusReport?,
        now: Int64, name: ((DeviceID) -> String)? = nil
    ) throws -> (marks: [PlotMark], rules: [RuleStatus]) {
        let limit = PlotMark.maxMarks
        let rules = try reader.rules().filter { devices.contains($0.device) }
        let marks =
            PlotMark.gaps(try reader.gaps(in: span), until: report)
            + PlotMark.failures(try reader.failures(of: devices, in: span, limit: limit), name: name)
            + PlotMark.notices(try reader.notices(of: devices, in: span, limit: limit), name: name)
            + PlotMark.firings(
                try reader.firings(of: devices, in: span, limit: limit), rules: rules, now: now, name: name)
            + PlotMark.logged(try reader.loggedTimes(Self.query(devices, in: span)))
        return (marks, rules)
    }

    private static func query(_ devices: [DeviceID], in span: ClosedRange<Int64>) -> HistoryQuery {
        var query = HistoryQuery()
        (query.devices, query.since, query.until) = (devices, span.lowerBound, span.upperBound)
        return query
    }

    /// A time that ends now may begin later, with the first reading.
    private static func selection(
        _ device: DeviceID, _ view: PageView, _ span: ClosedRange<Int64>, fields: [String] = []
    ) -> PlotSelection {
        let isFitted = if case .last = view.time { true } else { false }
        return PlotSelection(device: device, time: span, columns: plotColumns, isFitted: isFitted) {
            fields.isEmpty || fields.contains($0.field ?? "")
        }
    }

    private func comparePage(_ wanted: CompareRequest, request: PageRequest) throws -> Answer {
        let clock = PageClock(now: WallClock.milliseconds())
        let span = try wanted.view.time.span(now: clock.now)
        let report = try? report()
        // The page also gives a choice of devices that have no reading yet.
        let chosen = try wanted.devices.map { device in
            try report?.devices.first { $0.id.description == device }?.id ?? resolve(device)
        }
        let choices = (report?.devices ?? []).sorted { NaturalOrder.precedes($0.name, $1.name) }
        let names = Dictionary(choices.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
        let withPlot = (request.after ?? 0) == 0 && !chosen.isEmpty
        let found = try read { reader in
            var query = HistoryQuery()
            query.devices = chosen
            let newest = chosen.isEmpty ? [] : try reader.latest(query).map(\.reading)
            let selections = chosen.map { Self.selection($0, wanted.view, span, fields: wanted.fields) }
            return (
                newest: newest, plot: withPlot ? try reader.plotted(selections) : nil,
                shown: withPlot
                    ? try Self.marks(of: chosen, in: span, reader, until: report, now: clock.now) {
                        names[$0] ?? $0.description
                    } : (marks: [], rules: [])
            )
        }
        let values = NewestValues(found.newest).devices.values.flatMap(\.fields)
        let page = ComparePage(
            request: wanted, span: span, choices: choices.map { .init(id: $0.id, name: $0.name) },
            fields: Set(values).sorted(), chosen: Set(chosen), plot: found.plot,
            marks: found.shown.marks, rules: found.shown.rules, clock: clock, isStale: report?.isPolling != true)
        return self.page(request, at: .compare, clock: clock, content: page.content)
    }

    private func reportPage(_ range: ReportRange, request: PageRequest) throws -> Answer {
        let clock = PageClock(now: WallClock.milliseconds())
        let report: Report?
        do {
            report = try read { try $0.report(since: .milliseconds(range.milliseconds)) }
        } catch HistoryError.missing { report = nil }
        let status = try? self.report()
        var page = ReportPage(report: report, range: range, clock: clock, isStale: status?.isPolling != true)
        page.batteries = currentConfiguration().poll.batteries
        if let report, report.from < report.to {
            let (limit, span) = (ReportPage.maxRows, report.from...max(report.from, clock.now))
            page.notices = try read { try $0.notices(in: span, limit: limit) }
            page.names = Dictionary(status?.devices.map { ($0.id, $0.name) } ?? [], uniquingKeysWith: { $1 })
        }
        if request.after ?? 0 != 0 {
            page.readings = nil
        } else if let report, report.from < report.to {
            page.readings = try read {
                try $0.trends(
                    until: report.to, length: report.to - report.from, columns: 1, series: try $0.seriesCount()
                ).devices
            }
        }
        return self.page(request, at: .report, clock: clock, content: page.content)
    }

    private func healthPage(_ request: PageRequest) -> Answer {
        let clock = PageClock(now: WallClock.milliseconds())
        var model = HealthModel(clock: clock, file: HealthModel.File(path: path, bound: bound))
        do { model.report = try report() } catch { model.reason = problem(error).sentence }
        model.file.size = HistorySize.bytes(of: path)
        model.file.free = FileSystemSpace(of: path).map { Int64(clamping: $0.free) }
        model.file.newest = try? read { try $0.lastSequence() }
        model.file.oldest = try? read { try $0.page(HistoryQuery(), after: 0, limit: 1).first?.reading.time }
        if request.after ?? 0 == 0 {
            let day = clock.now - PageRange.day.milliseconds...clock.now
            model.backlogs = try? read { try $0.backlogs(in: day, columns: HealthPage.columns) }
        }
        return page(request, at: .health, clock: clock, content: HealthPage(model: model).content)
    }

    private func fleetPage(_ request: PageRequest) -> Answer {
        let clock = PageClock(now: WallClock.milliseconds())
        let content = FleetPage(state: fleet.state(currentConfiguration()), clock: clock).content
        return page(request, at: .fleet, clock: clock, content: content)
    }

    private func page(
        _ request: PageRequest, at place: Endpoint, title: String? = nil, clock: PageClock, content: PageContent
    ) -> Answer {
        let hasFleet = ServedFleet.place(currentConfiguration().sinks) != nil
        let frame = PageFrame(
            title: title ?? place.title, place: place, clock: clock, content: content, hasFleet: hasFleet,
            gateway: currentConfiguration().gateway)
        return .page(frame, isWhole: request.after == nil)
    }

    /// The most bytes that the history may have.
    private var bound: Int64 {
        let limits = HistoryLimits(currentConfiguration().history)
        return limits.size.addingReportingOverflow(limits.rollups).partialValue
    }

    /// What a device's page shows, as a file: readings, or the summaries from which the page draws long times.
    private func file(_ device: String, time: PageTime, format: FileFormat) throws -> Answer {
        let model = try deviceModel(
            device, view: PageView(time: time), clock: PageClock(now: WallClock.milliseconds()), withPlot: false)
        var request = ReadingsRequest()
        request.device = model.id.description
        request.since = UTCTime(milliseconds: model.span.lowerBound).iso
        if !time.isLive { request.until = UTCTime(milliseconds: model.span.upperBound).iso }
        request.every = PageTime.period(model.span.upperBound - model.span.lowerBound).map {
            .milliseconds($0.milliseconds)
        }
        request.limit = .max
        request.format = format == .csv ? .csv : .array
        let name = FileName("\(model.name)-\(time.pairs.map(\.1).joined(separator: "-")).\(format.rawValue)")
        return Answer(
            type: format.type, headers: [Header("Content-Disposition", name.disposition)],
            body: .pages(try ReadingPages.open(request, history: self)))
    }

    private func overviewModel(_ clock: PageClock, withTrends: Bool) throws -> OverviewModel {
        let report: StatusReport
        do { report = try self.report() } catch let error as StatusError {
            return OverviewModel(state: .empty(error.description), clock: clock)
        } catch let error as HistoryError { return OverviewModel(state: .empty(error.description), clock: clock) }
        let latest = try read { try $0.latest() }.map(\.reading)
        var model = OverviewModel(
            state: .status(report), clock: clock,
            newest: NewestValues(
                latest, limits: currentConfiguration().batteryLimits, statuses: report.devices))
        model.tags = tags
        guard withTrends else { return model }
        model.trends = try overview.trends(at: loop.now, clock: { loop.now }) {
            try read {
                try $0.trends(
                    until: clock.now, length: PageRange.day.milliseconds, columns: SparklineFigure.columns,
                    series: latest.count)
            }
        }
        return model
    }
}

extension Answer {
    /// A whole page, or the part of it that changes.
    static func page(_ frame: PageFrame, isWhole: Bool, status: Int = 200) -> Answer {
        Answer(
            status: status, type: "text/html; charset=utf-8", headers: PageSecurity.headers,
            body: .bytes((isWhole ? frame.page : frame.main).bytes))
    }

    static func asset(_ asset: Asset) -> Answer {
        // The worker has no version in its address: the browser asks for it again.
        Answer(
            type: asset.type,
            headers: PageSecurity.headers + [
                Header("Cache-Control", asset == .worker ? "no-cache" : "max-age=31536000, immutable")
            ],
            body: .bytes(asset.bytes))
    }
}

/// What a browser may do with a page: nothing but show it, with the files and readings of this server.
enum PageSecurity {
    static let headers = [
        Header(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
                + "manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"),
        Header("Referrer-Policy", "no-referrer"),
        Header("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}

/// The name of a file for a browser to save, made of text that a device may have chosen.
struct FileName {
    /// The value of the header `Content-Disposition`.
    let disposition: String

    private static let longest = 100

    init(_ text: String) {
        let kept = text.unicodeScalars.map { Self.isHarmless($0) ? $0 : "-" }
        // Dots at the beginning would hide the file.
        var name = String(String.UnicodeScalarView(kept.suffix(Self.longest)).drop { $0 == "." || $0 == "-" })
        if name.isEmpty { name = "readings" }
        let ascii = String(String.UnicodeScalarView(name.unicodeScalars.map { $0.isASCII ? $0 : "-" }))
        disposition = "attachment; filename=\"\(ascii)\"; filename*=UTF-8''\(PercentText.text(name))"
    }

    /// Letters, digits and a few marks, which mean nothing to a file system, a shell or a header.
    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || "-_.".unicodeScalars.contains(scalar)
    }
}
