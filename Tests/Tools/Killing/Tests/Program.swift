import Foundation
import Testing

/// `blekeep-killing`, which plays the roles of those that are killed.
enum Program {
    /// The path of the program, beside the tests.
    static var path: String {
        get throws {
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let path = tests.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/blekeep-killing"
            try #require(FileManager.default.isExecutableFile(atPath: path))
            return path
        }
    }
}

/// Runs `body`, which waits for other processes, on a separate thread.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
