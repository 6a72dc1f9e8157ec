import BlekeepLog
import BlekeepSimulation
import BusBench
import DBus
import Logging
import RunLoop
import Testing

@testable import BlekeepCLI

@Suite struct TracedBusTests {
    /// The log of a call that succeeds and one that fails.
    private func lines(_ level: Logger.Level) async throws -> [String] {
        try await Bench.run(.virtual, .house) { bench, _ in
            let lines = Lines()
            let log = Logger(label: "test") { _ in
                StandardErrorLog(level: level, isJournal: false, write: lines.add)
            }
            let bus = TracedBus.around(try await bench.connect(), log: log)
            for member: MemberName in ["GetManagedObjects", "GetMangledObjects"] {
                _ = try? await bus.call(
                    MethodCall(
                        "org.bluez", at: "/", interface: "org.freedesktop.DBus.ObjectManager", member: member,
                        within: .seconds(5)))
            }
            return lines.all
        }
    }

    @Test func eachLevelSaysMore() async throws {
        #expect(try await lines(.notice) == [])
        let failed = try await lines(.debug)
        let failure =
            "debug: org.freedesktop.DBus.ObjectManager.GetMangledObjects of / failed after 0s: "
            + "org.freedesktop.DBus.Error.UnknownMethod"
        #expect(failed.count == 1 && failed[0].hasPrefix(failure), "\(failed)")
        let all = try await lines(.trace)
        #expect(all.count == 2 && all[0].contains("GetManagedObjects of /: replied in"), "\(all)")
    }
}
