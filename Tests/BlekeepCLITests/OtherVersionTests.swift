import Foundation
import RunLoop
import Testing

@testable import BlekeepCLI

/// Every command that opens the history, with one that a newer version wrote.
@Suite struct OtherVersionTests {
    private static let commands = [
        "poll --once", "poll", "status", "values", "why freezer", "history", "history --every 1h", "history --follow",
        "plot living temperature", "history --csv --file FOLDER/all.csv", "backup FOLDER/copy.sqlite", "report",
        "fill living",
    ]

    @Test func everyCommandRefusesIt() async throws {
        try await atHome { home, loop in
            let tick = try await home.poll("--once").end(on: loop)
            #expect(tick == .exited(0))
            try Self.setVersion(of: home.path("FOLDER/history.sqlite"))
            let before = try Data(contentsOf: URL(fileURLWithPath: home.path("FOLDER/history.sqlite")))
            for command in Self.commands {
                let end = try await home.type(command).end(on: loop)
                let text = home.typedOutput
                #expect(end == .exited(78), "\(command): \(text)")
                #expect(text.contains("a newer version of blekeep"), "\(command): \(text)")
                #expect(text.contains("install that version again"), "\(command): \(text)")
            }
            _ = try await home.type("doctor").end(on: loop)
            #expect(home.typedOutput.contains("a newer version of blekeep"), "\(home.typedOutput)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: home.path("FOLDER/history.sqlite"))) == before)
        }
    }

    /// Writes SQLite's `user_version`, which counts the versions of the tables.
    private static func setVersion(of path: String) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: 60)
        try file.write(contentsOf: Data([0, 0, 1, 0]))
        try file.close()
    }
}
