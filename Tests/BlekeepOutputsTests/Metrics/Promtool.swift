import BusBench
import Foundation
import SampleReadings

/// The program `promtool` of Debian's package prometheus.
enum Promtool {
    static let path = "/usr/bin/promtool"

    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// Runs `promtool check metrics`.
    ///
    /// - Returns: its complaints; empty for none.
    static func check(_ page: [UInt8]) throws -> String {
        guard isInstalled else { throw PrivateBusError("promtool is missing; is the package prometheus installed?") }
        let folder = try TemporaryFolder()
        let file = folder.file("page")
        try Data(page).write(to: URL(fileURLWithPath: file))
        let (input, output) = (try ChildProcess.Pipe(), try ChildProcess.Pipe())
        let process = try ChildProcess.spawn(
            ["/bin/sh", "-c", "exec \(path) check metrics < \(file) > \(file).out 2>&1"], input.read, output.write)
        for end in [input.read, input.write, output.read, output.write] { close(end) }
        var status: Int32 = 0
        waitpid(process, &status, 0)
        let text = try String(contentsOfFile: file + ".out", encoding: .utf8)
        return status == 0 ? text : "status \(status): \(text)"
    }
}
