import BlekeepSimulation
import BusBench
import FoundationEssentials
import Glibc
import RunLoop
import Testing

/// The built program, started with some of its standard descriptors closed.
@Suite struct ClosedDescriptorTests {
    /// Otherwise the next file that is opened gets the number, and the log is written into it.
    @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
    func writesIntoNoOtherFile(closing: String) async throws {
        try await Bench.run(.loopback) { bench in
            let folder = "/tmp/blekeep-closed-\(UInt64.random(in: 0 ... .max))"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let configuration = "\(folder)/config.yaml"
            try Data("history: \(folder)/history.sqlite\n".utf8).write(to: URL(fileURLWithPath: configuration))
            let options = "--bus unix:path=\(folder)/bus --once --log-level debug"
            let shell = try Program(
                shell: "exec \"$0\" poll -c \(configuration) F0:00:00:00:00:01 \(options) \(closing)")
            // There is no bus.
            #expect(try await shell.end(on: bench.loop) == .exited(3))
            let lock = try String(contentsOfFile: "\(folder)/history.sqlite.lock", encoding: .utf8)
            #expect(lock.split(separator: "\n").count == 2 && lock.hasSuffix("\nhistory\n"), "\(lock)")
        }
    }
}
