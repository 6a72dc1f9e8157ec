import BlekeepConfiguration
import BlekeepOutputs
import BlekeepReadings

/// The environment variables that replace options, and this gateway's name. An empty variable counts as unset.
enum EnvironmentVariable: String, CaseIterable {
    case adapter = "BLEKEEP_ADAPTER"
    case bus = "BLEKEEP_BUS"
    case config = "BLEKEEP_CONFIG"
    case gateway = "BLEKEEP_GATEWAY"
    case logLevel = "BLEKEEP_LOG_LEVEL"
    case timeout = "BLEKEEP_TIMEOUT"

    /// The variable that `notices` sets for its commands, which may be blekeep.
    private static let ofCommands = ["BLEKEEP_NOTICE"]

    private static let prefix = "BLEKEEP_"

    func value(in environment: [String: String]) -> String? {
        environment[rawValue].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the variable's value; `nil` when it is unset.
    ///
    /// - Parameters:
    ///   - wanted: what to write, as the end of a sentence.
    ///   - make: reads the value; returns `nil` for a malformed one.
    /// - Throws: a failure that names the variable, when its value is malformed.
    func value<Value>(
        in environment: [String: String], wanted: String, make: (String) -> Value?
    ) throws(Failure) -> Value? {
        guard let text = value(in: environment) else { return nil }
        if let value = make(text) { return value }
        throw Failure(.usage, "the variable \(rawValue) is '\(Untrusted(text))'; write \(wanted)")
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
