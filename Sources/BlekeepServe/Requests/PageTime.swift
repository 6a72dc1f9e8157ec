import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// The time that plots show, as a request has it.
enum PageTime: Sendable, Equatable {
    case last(PageRange)
    /// As users write times; checked. Without an end, it ends now.
    case between(from: String, to: String?)

    static let parameters = ["range", "from", "to"]

    /// - Parameter values: those of the parameters. Forms send empty ones.
    init(_ values: [String: String]) throws(Problem) {
        let (from, to) = (values["from"] ?? "", values["to"] ?? "")
        guard !from.isEmpty || !to.isEmpty else {
            self = .last(try PageRange(values["range"], of: "range"))
            return
        }
        guard !from.isEmpty else { throw Problem(.badRequest, "to needs from, where the time begins") }
        self = .between(from: from, to: to.isEmpty ? nil : to)
        _ = try span(now: 0, offset: { _ in 0 }, isChecked: false)
    }

    /// Returns the time in milliseconds since 1970.
    func span(now: Int64, offset: (Int64) -> Int = LocalTime.offset) throws(Problem) -> ClosedRange<Int64> {
        try span(now: now, offset: offset, isChecked: true)
    }

    private func span(now: Int64, offset: (Int64) -> Int, isChecked: Bool) throws(Problem) -> ClosedRange<Int64> {
        switch self {
        case .last(let range): return (now - range.milliseconds)...now
        case .between(let from, let to):
            let start: Int64
            let end: Int64
            do throws(HistoryQueryError) {
                start = try TimeText.parse(from, now: now, offset: offset)
                end =
                    try to.map { text throws(HistoryQueryError) in
                        try TimeText.parse(text, now: now, offset: offset)
                    } ?? now
            } catch { throw Problem(.badRequest, error.message) }
            guard isChecked else { return 0...1 }
            guard start < end else { throw Problem(.badRequest, "from must be before to") }
            return start...end
        }
    }

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
        case .between(let from, let to): [("from", from)] + (to.map { [("to", $0)] } ?? [])
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
struct PlotView: Sendable, Equatable {
    var time = PageTime.last(.usual)
    /// Whether as tables instead of plots.
    var isTable = false

    static let parameters = PageTime.parameters + ["view"]
    static let table = "table"

    init(time: PageTime = .last(.usual), isTable: Bool = false) {
        self.time = time
        self.isTable = isTable
    }

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
    var view = PlotView()

    /// More lines can't be told apart.
    static let maxDevices = 8

    init(devices: [String] = [], fields: [String] = [], view: PlotView = PlotView()) {
        (self.devices, self.fields, self.view) = (devices, fields, view)
    }

    init(_ target: RequestTarget, common: [String]) throws(Problem) {
        let lists = try target.lists(of: common + PlotView.parameters, several: ["device", "field"])
        view = try PlotView(lists.compactMapValues(\.first))
        (devices, fields) = (lists["device"] ?? [], lists["field"] ?? [])
        guard devices.count <= Self.maxDevices else {
            throw Problem(.badRequest, "a plot has room for \(Self.maxDevices) devices; name fewer")
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
