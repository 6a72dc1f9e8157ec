import BlekeepConfiguration

/// What may be said in the environment instead of on the command line. An empty one says nothing.
enum EnvironmentVariable: String, CaseIterable {
    case adapter = "BLEKEEP_ADAPTER"
    case bus = "BLEKEEP_BUS"
    case config = "BLEKEEP_CONFIG"
    case logLevel = "BLEKEEP_LOG_LEVEL"
    case timeout = "BLEKEEP_TIMEOUT"

    private static let prefix = "BLEKEEP_"

    func value(in environment: [String: String]) -> String? {
        environment[rawValue].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A sentence for each variable that is meant for blekeep, and that blekeep does not know.
    static func warnings(about environment: [String: String]) -> [String] {
        let known = allCases.map(\.rawValue)
        let strange = environment.keys.filter { $0.uppercased().hasPrefix(prefix) && !known.contains($0) }
        return strange.sorted().prefix(8).map { name in
            // What all have in common tells nothing.
            let word = String(name.dropFirst(prefix.count))
            let meant = Spelling.closest(to: word, among: known.map { String($0.dropFirst(prefix.count)) })
                .map { "did you mean \(prefix)\($0)?" }
            return "the variable \(name) means nothing to blekeep; "
                + (meant ?? "it knows \(known.joined(separator: ", "))")
        }
    }
}
