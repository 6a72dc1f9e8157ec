import BlekeepHistory

/// A request for a page, for the part of it that changes, or for what it shows as a file.
struct PageRequest: Sendable, Equatable {
    enum Page: Sendable, Equatable {
        case overview(OverviewView)
        /// The address or alias of a device.
        case device(String, PageView)
        case compare(CompareRequest)
        case report(ReportRange)
        case health
        case fleet
        case file(String, PageTime, FileFormat)
    }

    let page: Page
    /// What the browser has, if it asks for newer parts only: the edition of its content.
    var after: Int64?

    init(_ page: Page, after: Int64? = nil) { (self.page, self.after) = (page, after) }

    static func isTable(_ text: String?) throws(Problem) -> Bool {
        guard let text, !text.isEmpty else { return false }
        guard text == PageView.table else {
            throw Problem(.badRequest, "view is '\(Problem.shown(text))'; write table, or leave it out")
        }
        return true
    }

    /// Returns the edition that a browser has.
    static func after(_ text: String?) throws(Problem) -> Int64 {
        guard let text else { return 0 }
        guard let number = ReadingsRequest.number(text) else {
            throw Problem(.badRequest, "after is '\(Problem.shown(text))'; take it from the page")
        }
        return number
    }
}

/// The format of a file with readings.
enum FileFormat: String, Sendable {
    case csv, json

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
enum ReportRange: String, RangeChoice {
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
