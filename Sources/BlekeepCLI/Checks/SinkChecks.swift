import BlekeepOutputs
import RunLoop

/// The checks of `doctor` that try the servers that readings go to.
struct SinkChecks {
    let checks: [any SinkCheck]
    let loop: RunLoop

    func run() async -> [Finding] {
        let done = Gate(loop)
        nonisolated(unsafe) var results: [Int: Result<String, any Error>] = [:]
        for (index, check) in checks.enumerated() {
            check.start { result in
                results[index] = result
                if results.count == checks.count { done.open() }
            }
        }
        if !checks.isEmpty { await done.wait() }
        defer { for check in checks { check.end() } }
        return checks.indices.flatMap { index in results[index].map { findings(checks[index], result: $0) } ?? [] }
    }

    private func findings(_ check: any SinkCheck, result: Result<String, any Error>) -> [Finding] {
        switch result {
        case .success(let text):
            return [.ok(check.name, text: text)]
                + check.warnings.map { warning in
                    let (text, advice) = parts(of: warning)
                    return .warn(check.name, text: text, advice: advice)
                }
        case .failure(let error):
            let (text, advice) = parts(of: "\(error)")
            return [.fail(check.name, text: text, advice: advice)]
        }
    }

    /// A sentence names what to do after a semicolon.
    private func parts(of sentence: String) -> (text: String, advice: String) {
        let parts = sentence.split(separator: "; ", maxSplits: 1).map(String.init)
        return (
            parts.first ?? "",
            parts.count == 2 ? parts[1] : "check the server, the network, and 'sinks:' in the configuration"
        )
    }
}
