/// What a request asks for.
enum Route: Sendable, Equatable {
    case metrics
    case readings(ReadingsRequest)
    case devices
    case health
    case events(EventsRequest)
    case description

    static let paths = Path.allCases.map(\.rawValue)

    private enum Path: String, CaseIterable {
        case devices = "/devices"
        case events = "/events"
        case health = "/healthz"
        case metrics = "/metrics"
        case description = "/openapi.json"
        case readings = "/readings"
    }

    /// - Throws: `Problem` for another path, method or parameter.
    init(_ request: Request) throws(Problem) {
        let target = try RequestTarget(request.target)
        guard let path = Path(rawValue: target.path) else {
            let paths = Self.paths.joined(separator: ", ")
            throw Problem(.notFound, "there is no '\(Problem.shown(target.path))'; there are \(paths)")
        }
        guard request.method == "GET" || request.method == "HEAD" else {
            throw Problem(
                .methodNotAllowed, "\(target.path) can only be read, with GET or HEAD",
                headers: [Header("Allow", "GET, HEAD")])
        }
        guard !request.hasBody else { throw Problem(.contentTooLarge, "a request to this server has no body") }
        switch path {
        case .readings: self = .readings(try ReadingsRequest(target, accept: request.accept))
        case .events: self = .events(try EventsRequest(target, lastEvent: request.lastEvent))
        case .devices: self = .devices
        case .health: self = .health
        case .metrics: self = .metrics
        case .description: self = .description
        }
        // The others have checked theirs.
        if path != .readings, path != .events { _ = try target.values(of: []) }
    }
}

/// The parts of a request that matter.
struct Request: Sendable, Equatable {
    var method: String
    var target: String
    var hosts: [String] = []
    var authorizations: [String] = []
    var accept = ""
    /// The values of all `Last-Event-ID` headers.
    var lastEvent: [String] = []
    var hasBody = false
    /// Whether it is of HTTP/1.1 or later.
    var isCurrent = true
}
