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

    static let paths = PagePath.all + Path.allCases.map(\.rawValue)

    private enum Path: String, CaseIterable {
        case devices = "/devices"
        case events = "/events"
        case health = "/healthz"
        case metrics = "/metrics"
        case fleetMetrics = "/fleet/metrics"
        case description = "/openapi.json"
        case readings = "/readings"
    }

    /// - Throws: `Problem` for another path, method or parameter.
    init(_ request: Request) throws(Problem) {
        let target = try RequestTarget(request.target)
        let (path, asset, page) = (Path(rawValue: target.path), Asset(rawValue: target.path), PagePath(target.path))
        guard path != nil || asset != nil || page != nil else {
            let paths = Self.paths.joined(separator: ", ")
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
        } else if let page {
            self = .page(try PageRequest(page, target: target))
        } else {
            _ = try target.values(of: ["v"])
            self = asset.map { .asset($0) } ?? .description
        }
    }

    private static func route(_ path: Path, target: RequestTarget, request: Request) throws(Problem) -> Route {
        switch path {
        case .readings: return .readings(try ReadingsRequest(target, accept: request.accept))
        case .events: return .events(try EventsRequest(target, lastEvent: request.lastEvent))
        case .devices, .health, .metrics, .fleetMetrics, .description: _ = try target.values(of: [])
        }
        return switch path {
        case .devices: .devices
        case .health: .health
        case .metrics: .metrics
        case .fleetMetrics: .fleetMetrics
        default: .description
        }
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
