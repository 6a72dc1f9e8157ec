import Foundation
import Testing

/// `blekeep-killing`, which plays the roles of those that are killed.
enum Program {
    /// The path of the program, beside the tests.
    static var path: String {
        get throws {
            let folder =
                Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }?.deletingLastPathComponent()
                ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            let path = folder.appendingPathComponent("blekeep-killing").path
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
