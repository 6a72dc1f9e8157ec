import BlekeepOutputs

/// What the server answers, by path. The parser, the navigation and the description in OpenAPI's format read it here.
enum Endpoint: String, CaseIterable, Sendable {
    case overview = "/"
    case device = "/device/{device}"
    case csv = "/device/{device}/readings.csv"
    case json = "/device/{device}/readings.json"
    case compare = "/compare"
    case fleet = "/fleet"
    case health = "/health"
    case report = "/report"
    case devices = "/devices"
    case events = "/events"
    case state = "/healthz"
    case metrics = "/metrics"
    case fleetMetrics = "/fleet/metrics"
    case description = "/openapi.json"
    case readings = "/readings"

    /// The pages that the navigation leads to, in its order.
    static let navigation: [Endpoint] = [.overview, .compare, .report, .health, .fleet]

    /// The name of a page in the navigation.
    var title: String {
        switch self {
        case .overview: "Overview"
        case .compare: "Compare"
        case .report: "Report"
        case .health: "Health"
        case .fleet: "Fleet"
        default: ""
        }
    }

    /// Whether it is a page, of which the script gets the part that changes.
    var isPage: Bool { self == .device || Self.navigation.contains(self) }

    var parameters: [Parameter] {
        switch self {
        case .overview: OverviewView.parameters
        case .device: [.pathDevice] + PageView.parameters
        case .csv, .json: [.pathDevice] + PageTime.parameters
        case .compare: CompareRequest.parameters
        case .report: [Parameter("since", schema: .schema(oneOf: ReportRange.allCases.map(\.rawValue)))]
        case .readings: ReadingsRequest.parameters
        case .events: [EventsRequest.parameter]
        case .fleet, .health, .devices, .state, .metrics, .fleetMetrics, .description: []
        }
    }

    /// The path with which the script asks for the newest content of a page.
    var fragment: String { EndpointPath.fragment + (self == .overview ? EndpointPath.overview : rawValue) }
}

struct Parameter: Sendable {
    enum Place: String { case query, path, header }

    let name: String
    var place = Place.query
    var meaning: String?
    var isRepeated = false
    let schema: JSON

    init(_ name: String, in place: Place = .query, _ meaning: String? = nil, isRepeated: Bool = false, schema: JSON) {
        (self.name, self.place, self.meaning, self.isRepeated) = (name, place, meaning, isRepeated)
        self.schema = schema
    }

    /// The history has no text with a zero.
    private static let noZero: JSON = .text(#"^[^\u0000]*$"#)
    static let text: JSON = .schema("string", more: ["pattern": noZero])
    static let deviceName: JSON = .schema("string", more: ["minLength": 1, "maxLength": 200, "pattern": noZero])
    static let number: JSON = .schema("integer", more: ["format": "int64", "minimum": 0, "maximum": .integer(.max)])

    static let pathDevice = Parameter("device", in: .path, "Its alias, address or ID.", schema: deviceName)
    static let view = Parameter("view", schema: .schema(oneOf: ["", PageView.table]))

    /// The times that a client may write, as a regular expression.
    static let timePattern =
        #"^(today|yesterday|[0-9]{1,4}(s|m|h|d)?|[1-9]y|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])"#
        + #"(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?Z?)?)$"#

    static func time(_ name: String, _ meaning: String, mayBeEmpty: Bool) -> Parameter {
        let pattern = mayBeEmpty ? "^$|" + timePattern : timePattern
        return Parameter(name, meaning, schema: .schema("string", more: ["pattern": .text(pattern)]))
    }
}

/// The path of a request, such as `/device/F0:00:00:00:00:01`, or `/fragment/report` for the part of a page that changes.
struct EndpointPath: Equatable {
    let endpoint: Endpoint
    /// The device in the path; empty without one.
    let device: String
    let isFragment: Bool

    /// Before the path of a page.
    static let fragment = "/fragment"
    /// The overview has no name.
    fileprivate static let overview = "/overview"

    /// - Returns: `nil` for another path.
    init?(_ path: String) {
        isFragment = path.hasPrefix(Self.fragment + "/")
        var name = isFragment ? String(path.dropFirst(Self.fragment.count)) : path
        if isFragment {
            guard name != Endpoint.overview.rawValue else { return nil }
            if name == Self.overview { name = Endpoint.overview.rawValue }
        }
        func parts(_ text: String) -> [Substring] { text.split(separator: "/", omittingEmptySubsequences: false) }
        let words = parts(name)
        for endpoint in Endpoint.allCases where endpoint.isPage || !isFragment {
            let pattern = parts(endpoint.rawValue)
            let place = pattern.firstIndex(of: "{device}")
            let isMatch = pattern.indices.allSatisfy { index in
                words.indices.contains(index)
                    && (index == place ? !words[index].isEmpty : words[index] == pattern[index])
            }
            guard isMatch, words.count == pattern.count else { continue }
            self.endpoint = endpoint
            device = place.map { String(words[$0]) } ?? ""
            return
        }
        return nil
    }
}
