import BlekeepOutputs

/// The path and the parameters of a request, such as `/readings?device=attic&limit=10`.
struct RequestTarget: Equatable {
    let path: String
    /// In their order, decoded.
    let parameters: [(name: String, value: String)]

    /// The longest query in bytes, and the most parameters.
    static let maxQuery = 2048
    static let maxParameters = 24

    /// - Throws: `Problem` for a target that isn't a path, or has a malformed query.
    init(_ target: String) throws(Problem) {
        guard target.hasPrefix("/") else { throw Problem(.badRequest, "a request names a path, such as /readings") }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = PercentText.decode(parts[0], isQuery: false) else {
            throw Problem(.badRequest, "the path isn't percent-encoded UTF-8")
        }
        self.path = path
        guard parts.count == 2, !parts[1].isEmpty else {
            parameters = []
            return
        }
        guard parts[1].utf8.count <= Self.maxQuery else {
            throw Problem(.uriTooLong, "the query has more than \(Self.maxQuery) bytes; shorten it")
        }
        var parameters: [(name: String, value: String)] = []
        for pair in parts[1].split(separator: "&", omittingEmptySubsequences: true) {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentText.decode(halves[0], isQuery: true),
                let value = PercentText.decode(halves.count == 2 ? halves[1] : "", isQuery: true)
            else { throw Problem(.badRequest, "the query isn't percent-encoded UTF-8") }
            guard parameters.count < Self.maxParameters else {
                throw Problem(.badRequest, "the query has more than \(Self.maxParameters) parameters")
            }
            parameters.append((name, value))
        }
        self.parameters = parameters
    }

    static func == (left: RequestTarget, right: RequestTarget) -> Bool {
        left.path == right.path && left.parameters.elementsEqual(right.parameters, by: ==)
    }

    /// Returns each parameter's value.
    /// Throws `Problem` for a parameter that isn't known or comes twice, so that a misspelled one selects nothing wrong.
    func values(of known: [String]) throws(Problem) -> [String: String] {
        try lists(of: known, several: []).compactMapValues(\.first)
    }

    /// Returns all values of each parameter in the query.
    ///
    /// - Parameter isFragment: whether the script asks for what is newer than what the browser has.
    func lists(of parameters: [Parameter], isFragment: Bool) throws(Problem) -> [String: [String]] {
        let queried = parameters.filter { $0.place == .query }
        let single = (isFragment ? ["after"] : []) + queried.filter { !$0.isRepeated }.map(\.name)
        return try lists(of: single, several: queried.filter(\.isRepeated).map(\.name))
    }

    /// - Parameter several: the parameters that may come more than once.
    private func lists(of known: [String], several: [String]) throws(Problem) -> [String: [String]] {
        let known = known + several
        var values: [String: [String]] = [:]
        for (name, value) in parameters {
            guard known.contains(name) else {
                let list = known.isEmpty ? "none" : known.joined(separator: ", ")
                throw Problem(
                    .badRequest, "\(path) doesn't know the parameter '\(Problem.shown(name))'; it knows \(list)")
            }
            guard values[name] == nil || several.contains(name) else {
                throw Problem(.badRequest, "the parameter \(name) comes twice; give it once")
            }
            values[name, default: []].append(value)
        }
        return values
    }
}
