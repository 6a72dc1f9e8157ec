import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// A request for stored readings or their summaries.
struct ReadingsRequest: Sendable, Equatable {
    /// The alias, the address or the ID of a device; `nil` for all.
    var device: String?
    /// As users write them; checked.
    var since: String?
    var until: String?
    /// The length of the windows of `blekeep history --every`; `nil` for readings.
    var every: Duration?
    /// Where to go on: a sequence number, or the start of a window in milliseconds since 1970.
    var after: Int64?
    var limit = Self.usualLimit
    var format = RowFormat.array

    static let usualLimit = 1000
    static let maxLimit = 10_000
    static let parameters: [Parameter] = [
        Parameter("device", "Only this device: its alias, address or ID.", schema: Parameter.deviceName),
        .time("since", "Only readings since this time: an age or a time.", mayBeEmpty: false),
        .time("until", "Only readings before this time, which must be after since.", mayBeEmpty: false),
        Parameter(
            "every", "Summaries instead of readings: 5m or a multiple, such as 10m, 1h or 1d.",
            schema: .schema(
                "string",
                more: ["pattern": "^((5|[1-9][0-9]?[05])m|[1-9][0-9]?h|([1-9][0-9]?|[12][0-9][0-9])d)$"])),
        Parameter("after", "Where to go on, from the link to the next page.", schema: Parameter.number),
        Parameter(
            "limit", "The maximum number of readings. Summaries of one time stay together.",
            schema: .schema(
                "integer", more: ["minimum": 1, "maximum": .integer(maxLimit), "default": .integer(usualLimit)])),
    ]

    init() {}

    /// - Parameter values: those of the parameters.
    init(_ values: [String: String], accept: String) throws(Problem) {
        device = values["device"]
        since = values["since"]
        until = values["until"]
        if let text = values["every"] {
            guard let length = try? DurationText.parse(text), SummaryWindows(length, offset: LocalTime.offset) != nil
            else { throw Problem(.badRequest, "every is '\(Problem.shown(text))'; write \(SummaryWindows.rule)") }
            every = length
        }
        if let text = values["after"] {
            guard let number = Self.number(text) else {
                throw Problem(.badRequest, "after is '\(Problem.shown(text))'; take it from the link to the next page")
            }
            after = number
        }
        if let text = values["limit"] {
            guard let number = Self.number(text), let limit = Int(exactly: number), (1...Self.maxLimit).contains(limit)
            else {
                throw Problem(
                    .badRequest, "limit is '\(Problem.shown(text))'; write a number from 1 to \(Self.maxLimit)")
            }
            self.limit = limit
        }
        if Self.wantsLines(accept) { format = .lines }
        do throws(HistoryQueryError) {
            for time in [since, until] {
                if let time { _ = try TimeText.parse(time, now: 0) { _ in 0 } }
            }
        } catch { throw Problem(.badRequest, error.message) }
    }

    /// Returns the selection without the device.
    ///
    /// - Parameter offset: the seconds that the local clock is ahead of UTC at a time.
    func query(now: Int64, offset: (Int64) -> Int = LocalTime.offset) throws(Problem) -> HistoryQuery {
        var query = HistoryQuery()
        do throws(HistoryQueryError) {
            try query.select(since: since, until: until, now: now, offset: offset)
        } catch { throw Problem(.badRequest, error.message) }
        return query
    }

    /// The path and query of the next page.
    ///
    /// - Parameter query: the selection, whose times don't depend on when the next page is read.
    func next(after number: Int64, _ query: HistoryQuery) -> String {
        var pairs: [(String, String)] = []
        if let device { pairs.append(("device", device)) }
        if let since = query.since { pairs.append(("since", UTCTime(milliseconds: since).iso)) }
        if let until = query.until { pairs.append(("until", UTCTime(milliseconds: until &+ 1).iso)) }
        if let every { pairs.append(("every", DurationText.text(every))) }
        pairs += [("limit", "\(limit)"), ("after", "\(number)")]
        return "/readings?" + pairs.map { "\($0)=\(PercentText.text($1))" }.joined(separator: "&")
    }

    /// Decimal digits only.
    static func number(_ text: String) -> Int64? {
        guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int64(text)
    }

    private static func wantsLines(_ accept: String) -> Bool {
        accept.split(separator: ",").contains { part in
            let type = part.split(separator: ";").first?.filter { $0 != " " }.lowercased()
            return type == "application/x-ndjson" || type == "application/ndjson"
        }
    }
}
