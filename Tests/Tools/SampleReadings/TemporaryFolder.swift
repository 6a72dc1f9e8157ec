import Foundation

/// A folder that is gone when the test is.
package final class TemporaryFolder {
    package let path: String

    package init() throws {
        var template = Array("/tmp/blekeep-test-XXXXXX".utf8CString)
        guard let created = mkdtemp(&template) else { throw SampleError.noFolder(errno: errno) }
        path = String(cString: created)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func write(_ text: String, to name: String) throws {
        try text.write(toFile: file(name), atomically: true, encoding: .utf8)
    }

    package func file(_ name: String) -> String { "\(path)/\(name)" }
}
