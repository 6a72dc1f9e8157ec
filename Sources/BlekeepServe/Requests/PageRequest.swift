import BlekeepHistory

/// A request for a page, for the part of it that changes, or for what it shows as a file.
struct PageRequest: Sendable, Equatable {
    enum Page: Sendable, Equatable {
        case house(GlanceView)
        /// The address or alias of a device.
        case device(String, PlotView)
        case compare(CompareRequest)
        case night(NightRange)
        case health
        case fleet
        case file(String, PageTime, FileFormat)
    }

    let page: Page
    /// What the browser has, if it asks for newer parts only: the edition of its content.
    var after: Int64?

    init(_ page: Page, after: Int64? = nil) {
        self.page = page
        self.after = after
    }

    init(_ path: PagePath, target: RequestTarget) throws(Problem) {
        let common = path.isFragment ? ["after"] : []
        let values: [String: String]
        switch path.page {
        case .house:
            values = try target.values(of: common + GlanceView.parameters)
            page = .house(try GlanceView(values))
        case .compare:
            page = .compare(try CompareRequest(target, common: common))
            values = ["after": target.parameters.first { $0.name == "after" }?.value ?? "0"]
        case .health, .fleet:
            values = try target.values(of: common)
            page = path.page == .health ? .health : .fleet
        case .night:
            values = try target.values(of: common + ["since"])
            page = .night(try NightRange(values["since"], of: "since"))
        case .device(let device):
            values = try target.values(of: common + PlotView.parameters)
            page = .device(device, try PlotView(values))
        case .file(let device, let format):
            values = try target.values(of: PageTime.parameters)
            page = .file(device, try PageTime(values), format)
        }
        if path.isFragment { after = try Self.after(values["after"]) }
    }

    /// Whether a page shows tables.
    static func isTable(_ text: String?) throws(Problem) -> Bool {
        guard let text, !text.isEmpty else { return false }
        guard text == PlotView.table else {
            throw Problem(.badRequest, "view is '\(Problem.shown(text))'; write table, or leave it out")
        }
        return true
    }

    private static func after(_ text: String?) throws(Problem) -> Int64 {
        guard let text else { return 0 }
        guard let number = ReadingsRequest.number(text) else {
            throw Problem(.badRequest, "after is '\(Problem.shown(text))'; take it from the page")
        }
        return number
    }
}

/// The path of a page, such as `/device/F0:00:00:00:00:01`, or `/fragment/report` for the part of a page that changes.
struct PagePath: Equatable {
    enum Page: Equatable {
        case house, compare, night, health, fleet
        case device(String)
        case file(String, FileFormat)
    }

    let page: Page
    let isFragment: Bool

    /// For a list of all paths.
    static let all =
        ["/", "/device/{device}"] + FileFormat.allCases.map { "/device/{device}/readings.\($0.rawValue)" } + [
            "/compare", "/fleet", "/health", "/report",
        ]

    private static let fragment = "/fragment"
    private static let device = "/device/"
    /// The overview has no name.
    static let house = "/overview"

    /// - Returns: `nil` for another path.
    init?(_ path: String) {
        isFragment = path.hasPrefix(Self.fragment + "/")
        let name = isFragment ? String(path.dropFirst(Self.fragment.count)) : path == "/" ? Self.house : path
        switch name {
        case Self.house where isFragment || path == "/": page = .house
        case "/compare": page = .compare
        case "/report": page = .night
        case "/health": page = .health
        case "/fleet": page = .fleet
        default:
            guard name.hasPrefix(Self.device) else { return nil }
            let parts = name.dropFirst(Self.device.count).split(separator: "/", omittingEmptySubsequences: false)
            guard let device = parts.first, !device.isEmpty else { return nil }
            if parts.count == 1 {
                page = .device(String(device))
            } else if parts.count == 2, !isFragment, let format = FileFormat(name: String(parts[1])) {
                page = .file(String(device), format)
            } else {
                return nil
            }
        }
    }

    /// Returns the path with which the script asks for the newest content.
    static func fragment(of path: String) -> String { fragment + path }
}

/// The format of a file with readings.
enum FileFormat: String, Sendable, CaseIterable {
    case csv, json

    /// - Parameter name: the last part of a path, such as `readings.csv`.
    init?(name: String) {
        guard let format = Self.allCases.first(where: { name == "readings.\($0.rawValue)" }) else { return nil }
        self = format
    }

    var type: String {
        switch self {
        case .csv: "text/csv; charset=utf-8"
        case .json: "application/json"
        }
    }
}

/// A time that ends now, of which a page gives a choice.
protocol RangeChoice: RawRepresentable, CaseIterable, Sendable where RawValue == String {
    static var usual: Self { get }
    var name: String { get }
}

extension RangeChoice {
    init(_ text: String?, of parameter: String) throws(Problem) {
        guard let text else {
            self = .usual
            return
        }
        guard let choice = Self(rawValue: text) else {
            let all = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.badRequest, "\(parameter) is '\(Problem.shown(text))'; write one of \(all)")
        }
        self = choice
    }
}

/// How far back the plots of a page go.
enum PageRange: String, RangeChoice {
    case hour = "1h"
    case day = "24h"
    case week = "7d"
    case month = "30d"
    case year = "1y"

    static let usual = Self.day

    var milliseconds: Int64 {
        switch self {
        case .hour: 3_600_000
        case .day: 86_400_000
        case .week: 7 * 86_400_000
        case .month: 30 * 86_400_000
        case .year: 365 * 86_400_000
        }
    }

    var name: String {
        switch self {
        case .hour: "1 hour"
        case .day: "24 hours"
        case .week: "7 days"
        case .month: "30 days"
        case .year: "1 year"
        }
    }
}

/// How far back the report's page goes.
enum NightRange: String, RangeChoice {
    case night = "12h"
    case day = "24h"
    case week = "7d"

    static let usual = Self.night

    var length: Duration {
        switch self {
        case .night: .seconds(12 * 3600)
        case .day: .seconds(86_400)
        case .week: .seconds(7 * 86_400)
        }
    }

    var name: String {
        switch self {
        case .night: "12 hours"
        case .day: "24 hours"
        case .week: "7 days"
        }
    }
}
