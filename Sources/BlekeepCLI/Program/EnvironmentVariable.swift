import BlekeepReadings

/// The environment variables: the configuration file, and this gateway's name. An empty variable counts as unset.
enum EnvironmentVariable: String, CaseIterable {
    case config = "BLEKEEP_CONFIG"
    case gateway = "BLEKEEP_GATEWAY"

    /// The variable that `notices` sets for its commands, which may be blekeep.
    private static let ofCommands = ["BLEKEEP_NOTICE"]

    private static let prefix = "BLEKEEP_"

    func value(in environment: [String: String]) -> String? {
        environment[rawValue].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns a warning for each variable whose name begins like blekeep's, and that blekeep doesn't know.
    static func warnings(about environment: [String: String]) -> [String] {
        let known = allCases.map(\.rawValue)
        let expected = known + ofCommands
        let strange = environment.keys.filter { $0.uppercased().hasPrefix(prefix) && !expected.contains($0) }
        return strange.sorted().prefix(8).map { name in
            // Without the common prefix, which would make all names similar.
            let word = String(name.dropFirst(prefix.count))
            let meant = Spelling.closest(to: word, among: known.map { String($0.dropFirst(prefix.count)) })
                .map { "did you mean \(prefix)\($0)?" }
            return "blekeep doesn't know the variable \(name); "
                + (meant ?? "it knows \(known.joined(separator: ", "))")
        }
    }
}
