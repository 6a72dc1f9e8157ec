import BusBench
import Glibc
import RunLoop
import Testing

/// The built program on a terminal, with keys pressed.
@Suite struct TerminalProgramTests {
    /// Runs `body` with the program on a terminal. The program has a simulation of its own.
    private func onTerminal(
        _ arguments: String..., columns: Int = 80, rows: Int = 24,
        _ body: @escaping @Sendable (PseudoTerminal) async throws -> Void
    ) async throws {
        try await Bench.run(.loopback) { bench in
            try await body(PseudoTerminal(arguments, columns: columns, rows: rows, on: bench.loop))
        }
    }

    /// Several times, because the key must come within a few milliseconds.
    @Test(arguments: 1...6) func controlCBeforeThePollsFirstPictureRestoresTheScreen(_: Int) async throws {
        try await onTerminal("poll", "--simulate") { terminal in
            terminal.reflex = ("\u{1B}[?1049h", .controlC)
            let end = try await terminal.end()
            #expect(end == .exited(0))
            terminal.expectRestored()
        }
    }

    @Test func pollFitsTheWindowAfterItsSizeChangesAndLeavesTheLastTable() async throws {
        try await onTerminal("poll", "--simulate") { terminal in
            try await terminal.wait(for: "Living Room")
            try await terminal.wait(for: "°C")
            terminal.resize(columns: 40, rows: 12)
            try await terminal.wait { !$0.contains("INTERVAL") && $0.contains("Living Room") }
            #expect(terminal.screen.lines.count <= 12)
            terminal.press(.controlC)
            let end = try await terminal.end()
            #expect(end == .exited(0))
            terminal.expectRestored()
            #expect(terminal.screen.contains("°C"))
        }
    }
}
