import ArgumentParser
import BusBench
import FoundationEssentials
import Glibc
import RunLoop
import Testing

@testable import BlekeepCLI

/// Every command of the built program, as a user would type it, with a simulated house.
@Suite struct EveryCommandTests {
    /// The names that lead to each command.
    private static func paths(
        below command: any ParsableCommand.Type = BlekeepCLI.Blekeep.self, _ path: [String] = []
    ) -> [[String]] {
        let configuration = command.configuration
        let inner = configuration.subcommands + configuration.groupedSubcommands.flatMap(\.subcommands)
        guard !inner.isEmpty else { return [path] }
        return inner.flatMap { paths(below: $0, path + [$0._commandName]) }
    }

    @Test func everyCommandHasALine() {
        for path in Self.paths() {
            let name = path.joined(separator: " ")
            #expect(
                TypedLine.all.contains { "\($0) ".hasPrefix("\(name) ") },
                "no line in TypedLine.all begins with \(name)")
        }
    }

    @Test func everyLinePrintsWhatItMust() async throws {
        try await atHome { home, loop in
            let tick = try await home.poll("--once").end(on: loop)
            #expect(tick == .exited(0))
            for line in TypedLine.all where line.time == .before { try await check(line, home, loop) }
            let readings = home.readings
            let poller = try home.poll("--interval", "5s")
            try await loop.waitUntil { home.readings > readings }
            for line in TypedLine.all where line.time == .polling { try await check(line, home, loop) }
            poller.signal(SIGTERM)
            let end = try await poller.end(on: loop)
            #expect(end == .exited(0))
        }
    }

    private func check(_ line: TypedLine, _ home: ProgramHome, _ loop: RunLoop) async throws {
        let program = try home.type(line.description)
        let expected = home.path(line.expected)
        do {
            if line.isEndless {
                try await loop.waitUntil { home.typedOutput.contains(expected) || program.end != nil }
                program.signal(SIGINT)
            }
            let end = try await program.end(on: loop)
            let text = home.typedOutput
            if let code = line.code, !line.isEndless || end != .exited(130) {
                #expect(end == .exited(code), "\(line): \(text)")
            }
            #expect(text.contains(expected), "\(line): \(text)")
        } catch {
            Issue.record(error, "\(line): \(home.typedOutput)")
        }
    }
}
