import BusBench
import Foundation
import SampleReadings

/// A real influxd 1 on the loopback interface, and its client influx.
final class InfluxServer {
    let port: Int
    private let folder: TemporaryFolder
    private let needsPassword: Bool
    private var server: ForeignServer?

    /// Whether Debian's packages influxdb and influxdb-client are installed.
    static var isInstalled: Bool {
        ["influxd", "influx"].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
    }

    /// - Parameter needsPassword: whether there is a user `root` with the password `right`.
    init(needsPassword: Bool = false) throws {
        self.needsPassword = needsPassword
        folder = try TemporaryFolder()
        port = try Broker.freePort()
        try """
        bind-address = "127.0.0.1:0"
        reporting-disabled = true
        [meta]
          dir = "\(folder.path)/meta"
        [data]
          dir = "\(folder.path)/data"
          wal-dir = "\(folder.path)/wal"
        [http]
          bind-address = "127.0.0.1:\(port)"
          auth-enabled = \(needsPassword)
          log-enabled = false
        """.write(toFile: folder.file("conf"), atomically: true, encoding: .utf8)
        try start()
    }

    /// Returns when it answers.
    func start() throws {
        // Without a user, it takes this one statement from anybody.
        let first = needsPassword ? "CREATE USER root WITH PASSWORD 'right' WITH ALL PRIVILEGES" : "SHOW DIAGNOSTICS"
        server = try ForeignServer(
            "influxd -config \"$1\" >/dev/null 2>&1 </dev/null & read -r _; kill -9 $!", argument: folder.file("conf"),
            failure: "influxd did not start"
        ) { try execute(first).status == 0 }
    }

    /// As `kill -9` does.
    func kill() { server = nil }

    /// Runs a statement in the client influx.
    ///
    /// - Parameter arguments: further words of its command line.
    @discardableResult
    func execute(_ statement: String, _ arguments: String = "") throws -> (status: Int32, lines: [String]) {
        let (input, output) = (try ChildProcess.Pipe(), try ChildProcess.Pipe())
        let script = "exec influx -host 127.0.0.1 -port \(port) -format csv \(arguments) -execute \"$1\""
        let process = try ChildProcess.spawn(["/bin/sh", "-c", script, "influx", statement], input.read, output.write)
        for end in [input.read, input.write, output.write] { close(end) }
        defer { close(output.read) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(output.read, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        var status: Int32 = 0
        waitpid(process, &status, 0)
        return (status, String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init))
    }

    /// The number of points with a field.
    func count(_ field: String, in database: String) throws -> Int {
        let lines = try execute("SELECT COUNT(\(field)) FROM ble", "-database \(database)").lines
        return lines.last?.split(separator: ",").last.flatMap { Int($0) } ?? 0
    }
}
