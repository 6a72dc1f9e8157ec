import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// The time that plots show, as a request has it.
enum PageTime: Sendable, Equatable {
    case last(PageRange)
    /// As users write times; checked. Without an end, it ends now; without a beginning, it has a day.
    case between(from: String?, to: String?)

    static let parameters: [Parameter] = [
        Parameter("range", "How far back.", schema: .schema(oneOf: PageRange.allCases.map(\.rawValue))),
        .time("from", "Where the time begins, instead of range.", mayBeEmpty: true),
        .time("to", "Where the time ends; now without it.", mayBeEmpty: true),
    ]

    /// - Parameter values: those of the parameters. Forms send empty ones.
    init(_ values: [String: String]) throws(Problem) {
        let values = values.filter { !$0.value.isEmpty || $0.key == "range" }
        let range = try PageRange(values["range"], of: "range")
        guard values["from"] != nil || values["to"] != nil else {
            self = .last(range)
            return
        }
        self = .between(from: values["from"], to: values["to"])
        _ = try span(now: 0) { _ in 0 }
    }

    /// Returns the time in milliseconds since 1970. A user who gives the end first means the same time.
    func span(now: Int64, offset: (Int64) -> Int = LocalTime.offset) throws(Problem) -> ClosedRange<Int64> {
        switch self {
        case .last(let range): return (now - range.milliseconds)...now
        case .between(let from, let to):
            do throws(HistoryQueryError) {
                let end = if let to { Self.bounded(try TimeText.parse(to, now: now, offset: offset)) } else { now }
                let start =
                    if let from { Self.bounded(try TimeText.parse(from, now: now, offset: offset)) } else {
                        end - PageRange.day.milliseconds
                    }
                return min(start, end)...max(start, end)
            } catch { throw Problem(.badRequest, error.message) }
        }
    }

    /// Returns the time if arithmetic with it has room: the years from 855 to 6429.
    private static func bounded(_ time: Int64) -> Int64 { max(-(1 << 45), min(1 << 47, time)) }

    /// Whether new readings belong to it.
    var isLive: Bool {
        switch self {
        case .last: true
        case .between(_, let to): to == nil
        }
    }

    /// The parameters of an address with this time.
    var pairs: [(String, String)] {
        switch self {
        case .last(let range): [("range", range.rawValue)]
        case .between(let from, let to):
            [("from", from), ("to", to)].compactMap { name, time in time.map { (name, $0) } }
        }
    }

    /// A time between two moments, in milliseconds since 1970.
    static func between(_ span: ClosedRange<Int64>) -> PageTime {
        func text(_ time: Int64) -> String {
            UTCTime(milliseconds: time - time % 1000).iso.replacing(".000Z", with: "Z")
        }
        return .between(from: text(span.lowerBound), to: text(span.upperBound))
    }

    /// Summaries of which period show a time of this length; `nil` for readings.
    static func period(_ length: Int64) -> Summary.Period? {
        length <= PageRange.day.milliseconds ? nil : length <= PageRange.week.milliseconds ? .fiveMinutes : .hour
    }
}

/// How a page shows the course of numbers.
struct PageView: Sendable, Equatable {
    var time = PageTime.last(.usual)
    /// Whether as tables instead of plots.
    var isTable = false

    static let parameters = PageTime.parameters + [.view]
    static let table = "table"

    init(time: PageTime = .last(.usual), isTable: Bool = false) { (self.time, self.isTable) = (time, isTable) }

    init(_ values: [String: String]) throws(Problem) {
        self.init(time: try PageTime(values), isTable: try PageRequest.isTable(values["view"]))
    }

    var pairs: [(String, String)] { time.pairs + (isTable ? [("view", Self.table)] : []) }
}

/// A request for the numbers of several devices in one plot.
struct CompareRequest: Sendable, Equatable {
    /// Aliases, addresses or IDs.
    var devices: [String] = []
    /// The fields of numbers; empty for all.
    var fields: [String] = []
    var view = PageView()

    /// Nobody tells more lines apart.
    static let maxDevices = 8
    static let maxFields = 8

    init(devices: [String] = [], fields: [String] = [], view: PageView = PageView()) {
        (self.devices, self.fields, self.view) = (devices, fields, view)
    }

    static let parameters =
        [
            Parameter(
                "device", "Aliases, addresses or IDs.", isRepeated: true,
                schema: .schema("array", more: ["maxItems": .integer(maxDevices), "items": Parameter.deviceName])),
            Parameter(
                "field", "The fields of numbers; none for all.", isRepeated: true,
                schema: .schema("array", more: ["maxItems": .integer(maxFields), "items": Parameter.text])),
        ] + PageView.parameters

    /// - Parameter lists: the values of each parameter.
    init(_ lists: [String: [String]]) throws(Problem) {
        view = try PageView(lists.compactMapValues(\.first))
        (devices, fields) = (lists["device"] ?? [], lists["field"] ?? [])
        guard devices.count <= Self.maxDevices else {
            throw Problem(.badRequest, "a plot has room for \(Self.maxDevices) devices; name fewer")
        }
        guard fields.count <= Self.maxFields else {
            throw Problem(.badRequest, "a plot has room for \(Self.maxFields) fields; name fewer")
        }
    }

    var pairs: [(String, String)] { devices.map { ("device", $0) } + fields.map { ("field", $0) } }
}

extension String {
    /// The address of a page with parameters.
    init(path: String, _ pairs: [(String, String)]) {
        let query = pairs.map { "\($0)=\(PercentText.text($1))" }.joined(separator: "&")
        self = query.isEmpty ? path : "\(path)?\(query)"
    }
}
