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

    var type: String { self == .csv ? "text/csv; charset=utf-8" : "application/json" }
}

extension RawRepresentable where RawValue == String, Self: CaseIterable {
    /// Returns what a client chose; `nil` for nothing.
    static func chosen(_ text: String?, of parameter: String) throws(Problem) -> Self? {
        guard let text else { return nil }
        if let choice = Self(rawValue: text) { return choice }
        let all = allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem(.badRequest, "\(parameter) is '\(Problem.shown(text))'; write one of \(all)")
    }
}

/// A time that ends now, of which a page gives a choice: a number of hours, days or years, such as `24h`.
protocol RangeChoice: RawRepresentable, CaseIterable, Sendable where RawValue == String {
    static var usual: Self { get }
}

extension RangeChoice {
    init(_ text: String?, of parameter: String) throws(Problem) {
        self = try Self.chosen(text, of: parameter) ?? .usual
    }

    private var count: Int64 { Int64(rawValue.dropLast()) ?? 0 }
    private var unit: (name: String, hours: Int64) {
        rawValue.hasSuffix("h") ? ("hour", 1) : rawValue.hasSuffix("d") ? ("day", 24) : ("year", 365 * 24)
    }

    var milliseconds: Int64 { count * unit.hours * 3_600_000 }
    var name: String { "\(count) \(unit.name)\(count == 1 ? "" : "s")" }
}

/// How far back the plots of a page go.
enum PageRange: String, RangeChoice {
    case hour = "1h"
    case day = "24h"
    case week = "7d"
    case month = "30d"
    case year = "1y"

    static let usual = Self.day
}

/// How far back the report's page goes.
enum ReportRange: String, RangeChoice {
    case night = "12h"
    case day = "24h"
    case week = "7d"

    static let usual = Self.night
}
