import Blekeep
import BusBench
import FoundationEssentials
import Glibc
import RunLoop
import Testing

@testable import BlekeepCLI

/// Commands that change devices, beside a running poller.
@Suite struct DeviceCommandTests {
    private func atHome(_ body: @escaping @Sendable (ProgramHome, RunLoop) async throws -> Void) async throws {
        try await Bench.run(.daemon, .house) { bench, _ in try await body(ProgramHome(bench), bench.loop) }
    }

    /// Runs a command with the configuration of the home, and checks its exit code.
    private func expect(_ code: Int32, _ arguments: String..., at home: ProgramHome, _ loop: RunLoop) async throws {
        let place = ["-c", home.configuration, "--bus", home.bench.address ?? ""]
        let end = try await Program(arguments + place).end(on: loop)
        #expect(end == .exited(code), "\(arguments)")
    }

    private func text(_ home: ProgramHome) throws -> String {
        try String(contentsOfFile: home.configuration, encoding: .utf8)
    }

    @Test func theRunningPollerTakesEachChangeAtOnce() async throws {
        try await atHome { home, loop in
            let poller = try home.poll("--interval", "5s", "--output", "json")
            try await loop.waitUntil { Set(home.devices).isSuperset(of: ["living", "freezer"]) }
            try await expect(0, "disable", "freezer", at: home, loop)
            let disabled = try text(home)
            #expect(disabled.contains(#"{address: "F0:00:00:00:00:02", enabled: false, alias: freezer}"#))
            try await expect(5, "poll-now", "freezer", at: home, loop)
            try await expect(0, "enable", "freezer", at: home, loop)
            try await expect(0, "rename", "freezer", "icebox", at: home, loop)
            try await expect(0, "poll-now", "icebox", at: home, loop)
            try await expect(78, "rename", "icebox", "living", at: home, loop)
            try await expect(0, "remove", "icebox", "living", at: home, loop)
            let removed = try text(home)
            #expect(!removed.contains("address"))
            try await expect(5, "poll-now", "living", at: home, loop)
            poller.signal(SIGTERM)
            let end = try await poller.end(on: loop)
            #expect(end == .exited(0))
        }
    }

    @Test func disabledDevicesAreNotPolled() async throws {
        try await atHome { home, loop in
            try await expect(0, "disable", "living", at: home, loop)
            try await expect(0, "poll", "--once", at: home, loop)
            #expect(Set(home.devices) == ["freezer"])
            try await expect(0, "disable", "freezer", at: home, loop)
            try await expect(2, "poll", "--once", at: home, loop)
            try await expect(0, "poll", "living", "--once", at: home, loop)
            #expect(Set(home.devices) == ["freezer", "living"])
        }
    }
}
