import Subprocess

struct ProgramFailed: Error { let output: String }

/// Runs a program to its end.
func run(_ program: String, _ arguments: [String]) async throws {
    let result = try await Subprocess.run(
        .name(program), arguments: Arguments(arguments), output: .string(limit: 1 << 16),
        error: .string(limit: 1 << 16))
    guard result.terminationStatus.isSuccess else {
        throw ProgramFailed(output: result.standardOutput + result.standardError)
    }
}
