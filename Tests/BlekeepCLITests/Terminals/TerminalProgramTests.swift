import BlekeepSimulation
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

    @Test(
        arguments: [
            (["off"], "the adapter hci0 is off, as simulated: the house with its adapter turned off"),
            (["empty", "F0:00:00:00:00:01"], "this machine has no Bluetooth adapter, as simulated: no adapter at all"),
        ])
    func scenariosWithoutAnAdapterSayWhyNothingIsRead(_ scenario: [String], _ reason: String) async throws {
        try await Bench.run(.loopback) { bench in
            let terminal = try PseudoTerminal(["poll", "--simulate"] + scenario, on: bench.loop)
            try await terminal.wait(for: reason)
            terminal.press(.q)
            let end = try await terminal.end()
            #expect(end == .exited(0))
            #expect(terminal.screen.contains(reason))
        }
    }

    @Test(arguments: [[], ["--json"]])
    func pollEndsWhenItsWindowIsClosed(_ options: [String]) async throws {
        try await Bench.run(.loopback) { bench in
            let terminal = try PseudoTerminal(["poll", "--simulate"] + options, on: bench.loop)
            try await terminal.wait(for: "Living Room")
            terminal.hangUp()
            let end = try await terminal.program.end(on: bench.loop)
            #expect(end == .exited(0))
        }
    }

    @Test func theScenarioWithoutDevicesSaysSo() async throws {
        try await onTerminal("poll", "--simulate", "empty", columns: 120) { terminal in
            let end = try await terminal.end()
            #expect(end == .exited(2))
            #expect(terminal.screen.contains("this scenario has no devices"))
        }
    }

    @Test func theOnlyAdapterTakesNoRoomOnATerminal() async throws {
        try await onTerminal("devices", "--simulate", "house") { terminal in
            let end = try await terminal.end()
            #expect(end == .exited(0))
            #expect(terminal.screen.contains("Living Room") && terminal.screen.contains("Environmental Sensing"))
            #expect(!terminal.screen.contains("ADAPTER") && !terminal.screen.contains("hci0"))
        }
        // A program that reads the output finds all columns.
        #expect(try await run(["devices"]).lines.first?.contains("ADAPTER") == true)
    }

    // MARK: Keys

    /// Runs `body` with a command on a terminal of 8 rows, and twenty devices nearby.
    ///
    /// - Parameter isPolling: whether a poller reads the devices, so that the history has them.
    private func amongMany(
        _ arguments: [String], isPolling: Bool,
        _ body: @escaping @Sendable (PseudoTerminal) async throws -> Void
    ) async throws {
        try await Bench.run(.daemon, .many) { bench, world in
            let home = try ProgramHome(bench)
            let devices = world.scenario.peripherals.enumerated().map { "s\($0 + 1): \($1.address)" }
            try home.configure(devices.joined(separator: ", "))
            let poller = isPolling ? try home.poll("--interval", "5s") : nil
            if isPolling { try await bench.loop.waitUntil { Set(home.devices).count > 10 } }
            // The others read the history.
            let place = ["-c", home.configuration] + (isPolling ? [] : ["--bus", bench.address ?? ""])
            try await body(PseudoTerminal(arguments + place, rows: 8, on: bench.loop))
            poller?.signal(SIGTERM)
            let end = try await poller?.end(on: bench.loop)
            #expect(end == nil || end == .exited(0))
        }
    }

    /// Whoever has no device yet is led to the next command.
    @Test(arguments: [
        (["scan", "--timeout", "2s"], 0, "next: blekeep add ADDRESS"),
        (["poll"], 2, "the configuration names no devices; 'blekeep scan' finds some"),
    ])
    func withoutDevicesItNamesTheNextCommand(_ arguments: [String], code: CInt, sentence: String) async throws {
        try await Bench.run(.daemon, .house) { bench, _ in
            let home = try ProgramHome(bench)
            try home.configure("")
            let place = ["-c", home.configuration, "--bus", bench.address ?? ""]
            let terminal = try PseudoTerminal(arguments + place, columns: 120, rows: 30, on: bench.loop)
            let end = try await terminal.end()
            #expect(end == .exited(code))
            #expect(terminal.screen.contains(sentence), "\(terminal.screen)")
        }
    }

    @Test(arguments: [["scan", "--watch"], ["status", "--watch"], ["values", "--watch"]])
    func arrowsScrollALiveScreenAndQLeavesIt(_ arguments: [String]) async throws {
        try await amongMany(arguments, isPolling: arguments[0] != "scan") { terminal in
            try await terminal.wait(for: "more devices (arrows scroll)")
            #expect(terminal.isRaw)
            terminal.press(.down)
            try await terminal.wait(for: "… 1 device above")
            terminal.press(.end)
            // More devices may come after this.
            try await terminal.wait { $0.contains(" devices above") }
            terminal.press(.home)
            try await terminal.wait(for: "more devices (arrows scroll)")
            terminal.resize(columns: 120, rows: 40)
            try await terminal.wait { !$0.contains("more") && $0.lines.count > 8 }
            terminal.press(.q)
            let end = try await terminal.end()
            #expect(end == .exited(0))
            terminal.expectRestored()
            // More than had room in the window.
            #expect(terminal.screen.lines.count > 8)
        }
    }

    @Test func qLeavesPollAsControlCDoes() async throws {
        try await onTerminal("poll", "--simulate", "many", rows: 10) { terminal in
            try await terminal.wait(for: "°C")
            terminal.press(.pageDown)
            try await terminal.wait(for: " above")
            terminal.press(.q)
            let end = try await terminal.end()
            #expect(end == .exited(0))
            terminal.expectRestored()
            #expect(terminal.screen.contains("Sensor"))
        }
    }

    @Test(arguments: [SIGTERM, SIGINT]) func aSignalGivesTheKeysBack(_ number: Int32) async throws {
        try await onTerminal("poll", "--simulate") { terminal in
            try await terminal.wait(for: "°C")
            #expect(terminal.isRaw)
            terminal.program.signal(number)
            let end = try await terminal.end()
            #expect(end == .exited(0))
            terminal.expectRestored()
        }
    }

    @Test func controlZGivesTheTerminalBackUntilTheProgramContinues() async throws {
        try await onTerminal("poll", "--simulate") { terminal in
            try await terminal.wait(for: "°C")
            terminal.press(.controlZ)
            try await terminal.wait { !$0.isAlternate }
            try await terminal.loop.waitUntil { terminal.program.isStopped }
            terminal.expectRestored()
            terminal.program.signal(SIGCONT)
            try await terminal.wait { $0.isAlternate && $0.contains("°C") }
            #expect(terminal.isRaw)
            terminal.press(.q)
            let end = try await terminal.end()
            #expect(end == .exited(0))
            terminal.expectRestored()
        }
    }

    // MARK: Pairing

    /// Runs `body` with 'pair' on a terminal, in the scenario `passkey`.
    private func pairing(
        _ device: String, _ body: @escaping @Sendable (PseudoTerminal) async throws -> Void
    ) async throws {
        try await Bench.run(.daemon, .passkey) { bench, world in
            let address = try #require(world.scenario.peripherals.first { $0.name == device }?.address)
            let arguments = ["pair", "\(address)", "-c", emptyConfiguration, "--bus", bench.address ?? ""]
            try await body(PseudoTerminal(arguments + ["--timeout", "25s"], on: bench.loop))
        }
    }

    @Test func pairAsksForThePasskey() async throws {
        try await pairing("Passkey") { terminal in
            try await terminal.wait(for: "Type the six digits that the device shows")
            terminal.type("123456\n")
            let end = try await terminal.end()
            #expect(end == .exited(0))
            #expect(terminal.screen.contains("is paired"))
        }
    }

    @Test(
        arguments: [
            ("Passkey", "Type the six digits", "12x", "isn't that: try again"),
            ("Passkey", "Type the six digits", "654321", "read the one that it shows now, and try again"),
            ("Compare", "Does the device show 000077?", "no", "the user refused"),
        ])
    func pairSaysWhyAnAnswerFailed(device: String, question: String, answer: String, reason: String) async throws {
        try await pairing(device) { terminal in
            try await terminal.wait(for: question)
            terminal.type(answer + "\n")
            let end = try await terminal.end()
            #expect(end == .exited(7))
            let text = terminal.screen.lines.joined()
            #expect(text.contains(reason))
            #expect(!text.contains("pairing mode"))
        }
    }

    @Test func pairEndsAfterItsTimeThoughTheDeviceIsOutOfRange() async throws {
        let end = try await atHome { home, loop in
            let begin = loop.now
            let place = ["--bus", home.bench.address ?? "", "-c", home.configuration]
            let end = try await Program(["pair", "F0:00:00:00:00:77", "--timeout", "1s"] + place).end(on: loop)
            #expect(loop.now - begin < .seconds(10))
            return end
        }
        #expect(end == .exited(124))
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
