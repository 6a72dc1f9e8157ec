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
        for check in checks { check.end() }
        return checks.indices.compactMap { index in results[index].map { finding(checks[index].name, result: $0) } }
    }

    /// An error's sentence names what to do after a semicolon.
    private func finding(_ name: String, result: Result<String, any Error>) -> Finding {
        switch result {
        case .success(let text): return .ok(name, text: text)
        case .failure(let error):
            let parts = "\(error)".split(separator: "; ", maxSplits: 1).map(String.init)
            let advice = parts.count == 2 ? parts[1] : nil
            return .fail(
                name, text: parts[0],
                advice: advice ?? "check the server, the network, and 'sinks:' in the configuration")
        }
    }
}
