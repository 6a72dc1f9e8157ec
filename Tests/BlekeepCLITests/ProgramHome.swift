import BlekeepHistory
import BusBench
import FoundationEssentials
import RunLoop

/// A simulated house on a bus of its own, with a configuration and a history.
final class ProgramHome: @unchecked Sendable {
    let bench: Bench
    private let folder: String

    /// - Parameter sinks: further ones.
    init(_ bench: Bench, sinks: String = "") throws {
        self.bench = bench
        folder = "/tmp/blekeep-program-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try configure("living: 1, freezer: 2", sinks: sinks)
    }

    /// Writes the configuration.
    ///
    /// - Parameter devices: the alias of each, and its address or the last digit of an address of the house.
    func configure(_ devices: String, sinks: String = "", history: String = "history") throws {
        let lines = devices.split(separator: ", ").map { device in
            let parts = device.split(separator: ": ")
            let address = parts[1].count > 2 ? String(parts[1]) : "F0:00:00:00:00:0\(parts[1])"
            return "  - {address: \"\(address)\", alias: \(parts[0])}"
        }
        try """
        history: \(folder)/\(history).sqlite
        sinks: {file: {path: \(folder)/lines.ndjson}\(sinks)}
        devices:
        \(lines.joined(separator: "\n"))
        """.write(toFile: configuration, atomically: true, encoding: .utf8)
    }

    /// The path of the configuration.
    var configuration: String { "\(folder)/config.yaml" }

    /// How many lines the sink of the configuration has.
    var lines: Int {
        let text = (try? String(contentsOfFile: "\(folder)/lines.ndjson", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").count
    }

    func reload() throws -> Program { try Program(["reload", "--bus", bench.address ?? ""]) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func poll(
        _ arguments: String..., at address: String? = nil, output: Int32? = nil, error: Int32? = nil
    ) throws -> Program {
        let place = ["-c", configuration, "--bus", address ?? bench.address ?? ""]
        return try Program(["poll"] + place + arguments, output: output, error: error)
    }

    /// Runs a line in a shell, with the bus and the configuration in the environment. `FOLDER` stands for the home's folder.
    func type(_ line: String) throws -> Program {
        let line = path(line)
        try? FileManager.default.removeItem(atPath: "\(folder)/typed")
        return try Program(
            shell: """
                export BLEKEEP_CONFIG=\(configuration) DBUS_SYSTEM_BUS_ADDRESS='\(bench.address ?? "")' HOME=\(folder)
                exec "$0" \(line) > \(folder)/typed 2>&1
                """)
    }

    /// Returns a text with the home's folder in place of `FOLDER`.
    func path(_ text: String) -> String { text.replacing("FOLDER", with: folder) }

    /// The output and the log of the last typed line.
    var typedOutput: String { (try? String(contentsOfFile: "\(folder)/typed", encoding: .utf8)) ?? "" }

    /// How many readings the history has.
    var readings: Int { devices.count }

    /// The device of each reading.
    var devices: [String] {
        var devices: [String] = []
        try? HistoryReader(path: "\(folder)/history.sqlite").readings { devices.append($0.reading.device) }
        return devices
    }
}

/// Runs `body` with a simulated house on a dbus-daemon.
func atHome<Success: Sendable>(
    sinks: String = "", _ body: @escaping @Sendable (ProgramHome, RunLoop) async throws -> Success
) async throws -> Success {
    try await Bench.run(.daemon, .house) { bench, _ in
        defer { bench.thawBus() }
        return try await body(ProgramHome(bench, sinks: sinks), bench.loop)
    }
}
