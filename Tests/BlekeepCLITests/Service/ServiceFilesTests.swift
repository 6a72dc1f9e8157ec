import Blekeep
import Foundation
import Testing

@testable import BlekeepCLI
@testable import BlekeepLog

/// The files of `dbus` that a package installs name what the code names.
@Suite struct ServiceFilesTests {
    private func file(_ path: String) throws -> String {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return try String(contentsOf: root.appendingPathComponent("dbus/\(path)"), encoding: .utf8)
    }

    @Test func theCatalogExplainsEveryEvent() throws {
        let identifiers = try file("systemd/blekeep.catalog").matches(of: /-- ([0-9a-f]{32})\n/).map { "\($0.1)" }
        #expect(identifiers == NoticeEvent.allCases.compactMap(\.messageID))
    }

    @Test(arguments: ["blekeep", "blekeep-notices", "blekeep-serve"])
    func noUnitRepeatsWhatAUserMustMend(name: String) throws {
        let codes = [Failure.Code.usage, .badConfiguration].map { "\($0.rawValue)" }.joined(separator: " ")
        #expect(try file("systemd/\(name).service").contains("\nRestartPreventExitStatus=\(codes)\n"))
    }

    @Test func theServiceThatFillsGapsEndsAfterItsRun() throws {
        let unit = try file("systemd/blekeep-fill.service")
        let command = try #require(unit.firstMatch(of: /\nExecStart=\/usr\/bin\/blekeep (.*)\n/)?.1)
        _ = try #require(try BlekeepCLI.Blekeep.parse(command.split(separator: " ").map(String.init)) as? Fill)
        let limit = try #require(unit.firstMatch(of: /\nTimeoutStartSec=([0-9]+)min\n/).flatMap { Int($0.1) })
        #expect(Duration.seconds(60 * limit) > LogMode.budget * 2)
    }

    @Test func theDropInForTheWakeAlarmHasItsCapability() throws {
        #expect(try file("systemd/drop-ins/wake.conf").contains("\nAmbientCapabilities=CAP_WAKE_ALARM\n"))
    }
}
