/// What a request asks for.
enum Route: Sendable, Equatable {
    case metrics
    case fleetMetrics
    case readings(ReadingsRequest)
    case devices
    case health
    case events(EventsRequest)
    case description
    case page(PageRequest)
    case asset(Asset)

    /// - Throws: `Problem` for another path, method or parameter.
    init(_ request: Request) throws(Problem) {
        let target = try RequestTarget(request.target)
        let (path, asset) = (EndpointPath(target.path), Asset(rawValue: target.path))
        guard path != nil || asset != nil else {
            let paths = Endpoint.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.notFound, "there is no '\(Problem.shown(target.path))'; there are \(paths)")
        }
        guard request.method == "GET" || request.method == "HEAD" else {
            throw Problem(
                .methodNotAllowed, "\(target.path) can only be read, with GET or HEAD",
                headers: [Header("Allow", "GET, HEAD")])
        }
        guard !request.hasBody else { throw Problem(.contentTooLarge, "a request to this server has no body") }
        if let path {
            self = try Self.route(path, target: target, request: request)
        } else {
            _ = try target.values(of: ["v"])
            self = asset.map { .asset($0) } ?? .description
        }
    }

    private static func route(_ path: EndpointPath, target: RequestTarget, request: Request) throws(Problem) -> Route {
        let lists = try target.lists(of: path.endpoint.parameters, isFragment: path.isFragment)
        let values = lists.compactMapValues(\.first)
        let page: PageRequest.Page
        switch path.endpoint {
        case .readings: return .readings(try ReadingsRequest(values, accept: request.accept))
        case .events: return .events(try EventsRequest(lastEvent: request.lastEvent))
        case .devices: return .devices
        case .state: return .health
        case .metrics: return .metrics
        case .fleetMetrics: return .fleetMetrics
        case .description: return .description
        case .overview: page = .overview(try OverviewView(values))
        case .compare: page = .compare(try CompareRequest(lists))
        case .report: page = .report(try ReportRange(values["since"], of: "since"))
        case .health: page = .health
        case .fleet: page = .fleet
        case .device: page = .device(path.device, try PageView(values))
        case .csv: page = .file(path.device, try PageTime(values), .csv)
        case .json: page = .file(path.device, try PageTime(values), .json)
        }
        return .page(PageRequest(page, after: path.isFragment ? try PageRequest.after(values["after"]) : nil))
    }
}

/// The parts of a request that matter.
struct Request: Sendable, Equatable {
    var method: String
    var target: String
    var hosts: [String] = []
    var authorizations: [String] = []
    var origins: [String] = []
    var accept = ""
    var encodings = ""
    /// The values of all `Last-Event-ID` headers.
    var lastEvent: [String] = []
    var hasBody = false
    /// Whether it is of HTTP/1.1 or later.
    var isCurrent = true
}
