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
            let poller = try home.poll("--interval", "5s", "--json")
            try await loop.waitUntil { Set(home.devices).isSuperset(of: ["living", "freezer"]) }
            try await expect(0, "set", "freezer", "enabled", "false", at: home, loop)
            let disabled = try text(home)
            #expect(disabled.contains(#"{address: "F0:00:00:00:00:02", enabled: false, alias: freezer}"#))
            for line in ["poll-now freezer", "pause F0:00:00:00:00:02", "resume Freezer"] {
                #expect(try await home.type(line).end(on: loop) == .exited(5))
                #expect(
                    home.typedOutput == "blekeep: freezer is disabled; 'blekeep set freezer enabled true' enables it\n")
            }
            #expect(try await home.type("why freezer").end(on: loop) == .exited(0))
            #expect(home.typedOutput.contains("freezer (F0:00:00:00:00:02): disabled\n"))
            let advice = "blekeep doesn't poll the device: 'blekeep set freezer enabled true' enables it.\n"
            #expect(home.typedOutput.hasSuffix(advice))
            try await expect(0, "set", "freezer", "enabled", "true", at: home, loop)
            try await expect(0, "set", "freezer", "alias", "icebox", at: home, loop)
            try await expect(0, "poll-now", "icebox", at: home, loop)
            try await expect(78, "set", "icebox", "alias", "living", at: home, loop)
            try await expect(0, "remove", "icebox", "living", at: home, loop)
            let removed = try text(home)
            #expect(!removed.contains("address"))
            try await expect(5, "poll-now", "living", at: home, loop)
            poller.signal(SIGTERM)
            let end = try await poller.end(on: loop)
            #expect(end == .exited(0))
        }
    }

    /// A stranger may give 20 commands at once; sixty devices are one.
    @Test func manyDevicesAreOneCommand() async throws {
        try await atHome { home, loop in
            try home.configure((1...60).map { "s\($0): F0:00:00:00:01:\($0 + 9)" }.joined(separator: ", "))
            let poller = try home.poll("--interval", "1h", "--json")
            // The service comes with the first line of the log.
            let end = loop.now + .seconds(60)
            while try await home.type("pause all").end(on: loop) != .exited(0), loop.now < end {}
            #expect(home.typedOutput == "paused 60 devices\n")
            #expect(try await home.type("resume s1 s2").end(on: loop) == .exited(0))
            #expect(home.typedOutput == "resumed s1\nresumed s2\n")
            for sentence in ["resumed 58 devices\n", "notice: no device is paused\n"] {
                #expect(try await home.type("resume").end(on: loop) == .exited(0))
                #expect(home.typedOutput == sentence)
            }
            #expect(try await home.type("pause all --for 1h").end(on: loop) == .exited(0))
            #expect(home.typedOutput == "paused 60 devices\n")
            poller.signal(SIGTERM)
            let ended = try await poller.end(on: loop)
            #expect(ended == .exited(0))
        }
    }

    @Test func oneFailedChangeDoesNotStopTheOthers() async throws {
        try await atHome { home, loop in
            let text = """
                devices:
                  - {address: "F0:00:00:00:00:01", alias: living}
                  - {address: "F0:00:00:00:00:02", alias: freezer}
                rules:
                  - {name: hot, when: temperature of living > 30 °C}

                """
            try text.write(toFile: home.configuration, atomically: true, encoding: .utf8)
            #expect(try await home.type("remove --json living freezer").end(on: loop) == .exited(1))
            let lines = home.typedOutput.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].hasPrefix(#"{"device":"freezer","address":"F0:00:00:00:00:02""#))
            #expect(lines.last?.contains("the rule hot is about living") == true)
            let left = try self.text(home)
            #expect(left.contains("living") && !left.contains("freezer"))
            #expect(try await home.type("remove living").end(on: loop) == .exited(78))
        }
    }

    /// The next start would refuse such a file.
    @Test func noChangeLeavesARuleWithoutItsDevice() async throws {
        try await atHome { home, loop in
            let text = """
                devices:
                  - {address: "F0:00:00:00:00:01", alias: living, tags: [warm]}
                  - {address: "F0:00:00:00:00:02", alias: freezer}
                rules:
                  - {name: hot, when: temperature of living > 30 °C}
                  - {name: hotter, when: "temperature of tag:warm > 40 °C"}

                """
            try text.write(toFile: home.configuration, atomically: true, encoding: .utf8)
            let place = "\(home.configuration):5:5"
            let refusals = [
                "remove living":
                    "the rule hot is about living: remove the rule first, at \(place); 'blekeep set living enabled false' keeps both",
                "unset living tags": "nothing was changed, because the changed configuration would be wrong:",
            ]
            for (line, why) in refusals {
                #expect(try await home.type(line).end(on: loop) == .exited(78))
                #expect(home.typedOutput.hasPrefix("blekeep: \(why)\n"), "\(home.typedOutput)")
                #expect(try self.text(home) == text)
            }
            #expect(try await home.type("set freezer alias frost").end(on: loop) == .exited(0))
            #expect(home.typedOutput == "set alias of freezer to frost in \(home.configuration)\n")
            #expect(try await home.type("set living enabled false").end(on: loop) == .exited(0))
        }
    }

    @Test func aPollerWithAnotherConfigurationTakesNoChange() async throws {
        try await atHome { home, loop in
            let other = home.configuration + ".other.yaml"
            try self.text(home).write(toFile: other, atomically: true, encoding: .utf8)
            let poller = try home.poll("--interval", "5s", "--json")
            try await loop.waitUntil { Set(home.devices).isSuperset(of: ["living", "freezer"]) }
            let own = try await home.type("set living interval 8m --json").end(on: loop)
            #expect(own == .exited(0) && home.typedOutput.contains(#""poller":"updated""#))
            let foreign = try await home.type("set living interval 9m --json -c \(other)").end(on: loop)
            #expect(foreign == .exited(0) && home.typedOutput.contains(#""poller":"other_configuration""#))
            poller.signal(SIGTERM)
            let ended = try await poller.end(on: loop)
            #expect(ended == .exited(0))
        }
    }

    /// BlueZ takes 2 s to end the connection of a command that was ended.
    @Test func aCommandThatFindsAnEndingConnectionConnectsAgain() async throws {
        try await atHome { home, loop in
            let notify = "notify 00:1B:DC:00:00:03 heart-rate-measurement"
            // On a busy machine, no value comes in that time.
            let ended = try await home.type("\(notify) --timeout 1s").end(on: loop)
            #expect(ended == .exited(0) || ended == .exited(124))
            let end = try await home.type("\(notify) --count 4").end(on: loop)
            #expect(end == .exited(0))
        }
    }

    @Test func disabledDevicesAreNotPolled() async throws {
        try await atHome { home, loop in
            try await expect(0, "set", "living", "enabled", "false", at: home, loop)
            try await expect(0, "poll", "--once", at: home, loop)
            #expect(Set(home.devices) == ["freezer"])
            try await expect(0, "set", "freezer", "enabled", "false", at: home, loop)
            try await expect(2, "poll", "--once", at: home, loop)
            try await expect(0, "poll", "living", "--once", at: home, loop)
            #expect(Set(home.devices) == ["freezer", "living"])
        }
    }
}
