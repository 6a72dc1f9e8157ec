import Blekeep
import BlekeepSimulation
import BusBench
import FoundationEssentials
import Glibc
import RunLoop
import Testing

@testable import BlekeepCLI

/// The built program on a real dbus-daemon: readers that don't read, a daemon that is stopped, and signals.
@Suite struct ProgramTests {
    // The threads are the loop's, and the one that writes the history.

    /// GRDB starts threads when a connection is closed, and they keep waking up.
    @Test func startsNoThreadThoughASinkReadsTheHistory() async throws {
        let end = try await atHome { home, loop in
            let program = try home.poll("--interval", "5s", "--json")
            try await loop.waitUntil { home.readings > 0 }
            #expect(program.threads == 2)
            program.signal(SIGTERM)
            return try await program.end(on: loop)
        }
        #expect(end == .exited(0))
    }

    /// The thread that resolves the name ends, and libcurl starts none. MQTT reads the newest readings of earlier runs.
    @Test(arguments: [
        #"influx: {url: "http://localhost:PORT", database: x, batch_age: 1s}"#,
        #"mqtt: {url: "mqtt://localhost:PORT"}"#,
    ])
    func startsNoThreadThoughASinkWaitsForAServer(sink: String) async throws {
        let server = try SilentTCPServer()
        let end = try await atHome(sinks: ", \(sink.replacing("PORT", with: "\(server.port)"))") { home, loop in
            let program = try home.poll("--interval", "5s", "--json")
            try await loop.waitUntil { server.hasRequest }
            // The thread that opened the connection may still be on its way out.
            try await loop.waitUntil { program.threads == 2 }
            program.signal(SIGTERM)
            return try await program.end(on: loop)
        }
        #expect(end == .exited(0))
    }

    /// What lies in the place of libcurl isn't a library.
    @Test func aSinkSaysThatItsLibraryIsMissingAndWorksOnceItIsInstalled() async throws {
        let server = try SilentTCPServer()
        let sinks = #", influx: {url: "http://127.0.0.1:\#(server.port)", database: x, batch_age: 1s}"#
        try await atHome(sinks: sinks) { home, loop in
            func run(_ command: String) throws -> Program {
                try Program(
                    shell: home.path(
                        """
                        cd FOLDER && export LD_LIBRARY_PATH=FOLDER/libraries:$LD_LIBRARY_PATH
                        exec "$0" \(command) -c FOLDER/config.yaml > FOLDER/typed 2>&1
                        """))
            }
            let sentence = "influx: libcurl is missing; install the package libcurl4"
            try FileManager.default.createDirectory(
                atPath: home.path("FOLDER/libraries"), withIntermediateDirectories: true)
            let library = home.path("FOLDER/libraries/libcurl.so.4")
            try "".write(toFile: library, atomically: true, encoding: .utf8)
            #expect(try await run("config check").end(on: loop) == .exited(0))
            #expect(home.typedOutput.contains("good, 2 devices\nsinks: \(sentence)\n"))

            let bus = "--bus \(home.bench.address ?? "")"
            _ = try await run("doctor \(bus)").end(on: loop)
            #expect(
                home.typedOutput.contains(
                    "fail  influx: libcurl is missing\n      install the package libcurl4\n"))

            let program = try run("poll --interval 5s --json \(bus)")
            try await loop.waitUntil { home.lines > 0 && home.typedOutput.contains("libcurl is missing") }
            #expect(!server.hasRequest)
            try FileManager.default.removeItem(atPath: library)
            try await loop.waitUntil { server.hasRequest }
            program.signal(SIGTERM)
            #expect(try await program.end(on: loop) == .exited(0))
        }
    }

    // MARK: New configurations

    @Test func aNewConfigurationIsReadOnCommandAndOnSIGHUP() async throws {
        let end = try await atHome { home, loop in
            let program = try home.poll("--interval", "5s", "--json")
            try await loop.waitUntil { home.devices.contains("freezer") }
            try home.configure("living: 1, door: 5")
            #expect(try await home.reload().end(on: loop) == .exited(0))
            try await loop.waitUntil { home.devices.contains("door") }
            let freezer = home.devices.count { $0 == "freezer" }
            try home.configure("living: 9x")
            #expect(try await home.reload().end(on: loop) == .exited(78))
            try home.configure("living: 1", history: "other")
            #expect(try await home.reload().end(on: loop) == .exited(6))
            program.signal(SIGHUP)
            let living = home.devices.count { $0 == "living" }
            try await loop.waitUntil { home.devices.count { $0 == "living" } > living }
            try home.configure("parlour: 1")
            program.signal(SIGHUP)
            try await loop.waitUntil { home.devices.contains("parlour") }
            #expect(home.devices.count { $0 == "freezer" } == freezer)
            #expect(program.threads == 2)
            program.signal(SIGTERM)
            return try await program.end(on: loop)
        }
        #expect(end == .exited(0))
    }

    // MARK: Simulated devices

    @Test(arguments: [
        ("read 'Heart Strap' 2a38 --simulate house", "^Body Sensor Location  Chest$"),
        ("read F0:00:00:00:00:01 temperature --value --simulate house", "^2[0-9.]*$"),
        ("scan --timeout 3s --simulate beacons", "^F0:00:05:00:00:03\t-[0-9]*\tWindow\tWindow\t\tBTHome"),
        ("gatt Probe --json --simulate house", #""fields":{"value":{"value":[0-9.]*,"unit":"°C"}}"#),
        ("poll --once --simulate", "Basil *Moisture *[0-9]"),
        ("scan --simulate off", "turn it on.*try 'blekeep doctor', or 'blekeep poll --simulate'$"),
    ]) func oneCommandUsesSimulatedDevices(_ command: String, _ wanted: String) async throws {
        let end = try await atHome { home, loop in
            try await Program(
                shell: """
                    "$0" \(command) > \(home.configuration).out 2>&1
                    grep -q '\(wanted.replacing("'", with: "."))' \(home.configuration).out
                    """
            ).end(on: loop)
        }
        #expect(end == .exited(0))
    }

    /// They run at the same time: the one of the second gateway waits for the one of the third.
    @Test func aCommandRunsForEachGatewayAndTheFirstFailureCounts() async throws {
        let (end, text) = try await atHome { home, loop in
            let program = try home.type(
                """
                simulate --gateways 3 -- sh -c '
                    echo "$BLEKEEP_GATEWAY $DBUS_SYSTEM_BUS_ADDRESS"
                    case $BLEKEEP_GATEWAY in
                    gateway-1) exit 0;;
                    gateway-2) until [ -e FOLDER/third ]; do sleep 0.05; done; exit 7;;
                    gateway-3) touch FOLDER/third; exit 8;;
                    esac'
                """)
            return (try await program.end(on: loop), home.typedOutput)
        }
        #expect(end == .exited(7))
        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }.sorted { $0[0] < $1[0] }
        #expect(lines.map { $0[0] } == ["gateway-1", "gateway-2", "gateway-3"])
        #expect(Set(lines.map { $0[1] }).count == 3)
    }

    @Test func gatewaysHearOneHouse() async throws {
        let (end, text) = try await atHome { home, loop in
            let program = try home.type(
                """
                simulate --gateways 2 fresh -- sh -c '
                    "$0" scan --timeout 3s --bus $DBUS_SYSTEM_BUS_ADDRESS > FOLDER/$BLEKEEP_GATEWAY 2>&1
                    grep -o "Freezer\\|Front Door\\|doesn.t know" FOLDER/$BLEKEEP_GATEWAY | sed "s/^/$BLEKEEP_GATEWAY /"
                    ' "$0"
                """)
            return (try await program.end(on: loop), home.typedOutput)
        }
        #expect(end == .exited(0))
        #expect(
            text.split(separator: "\n").sorted() == ["gateway-1 Freezer", "gateway-2 Freezer", "gateway-2 Front Door"])
    }

    @Test func withoutACommandEachGatewayHasALineInOrder() async throws {
        let (end, text) = try await atHome { home, loop in
            let program = try home.type("simulate --gateways 2 empty")
            try await loop.waitUntil { home.typedOutput.split(separator: "\n").count == 2 || program.end != nil }
            program.signal(SIGINT)
            return (try await program.end(on: loop), home.typedOutput)
        }
        #expect(end == .exited(0))
        let addresses = text.split(separator: "\n")
        #expect(addresses.allSatisfy { $0.hasPrefix("DBUS_SYSTEM_BUS_ADDRESS=unix:path=/") })
        #expect(Set(addresses).count == 2)
    }

    // MARK: Commands to the running poller

    /// The device has one connection, which the poller holds.
    @Test func readGoesThroughTheRunningPoller() async throws {
        let (end, readings) = try await atHome { home, loop in
            let program = try home.poll("--interval", "1h", "--json")
            try await loop.waitUntil { home.devices.count { $0 == "living" } >= 4 }
            let before = home.readings
            let read = try Program(
                shell: """
                    "$0" read living temperature 180f/2a19 -c \(home.configuration) --bus \(home.bench.address ?? "")                         > \(home.configuration).out || exit
                    grep -q "^Temperature  2[0-9.]* °C" \(home.configuration).out                         && grep -q "^Battery Level  [0-9]* %" \(home.configuration).out
                    """)
            #expect(try await read.end(on: loop) == .exited(0))
            let readings = home.readings - before
            program.signal(SIGTERM)
            return (try await program.end(on: loop), readings)
        }
        #expect(end == .exited(0))
        #expect(readings >= 4)
    }

    // MARK: Readers that don't read

    @Test func readsOnAndEndsThoughNoProgramReadsItsOutput() async throws {
        let end = try await atHome { home, loop in
            let pipe = try FullPipe()
            let program = try home.poll("--interval", "5s", "--json", output: pipe.writing)
            try await loop.waitUntil { home.readings > 0 }
            let first = home.readings
            // Another tick.
            try await loop.waitUntil { home.readings > first }
            #expect(fcntl(pipe.writing, F_GETFL) & O_NONBLOCK == 0)
            program.signal(SIGTERM)
            return try await program.end(on: loop)
        }
        #expect(end == .exited(0))
    }

    @Test func endsThoughNoProgramReadsItsLog() async throws {
        let end = try await atHome { home, loop in
            let pipe = try FullPipe()
            let program = try home.poll("--log-level", "debug", error: pipe.writing)
            try await loop.waitUntil { home.readings > 0 }
            program.signal(SIGTERM)
            return try await program.end(on: loop)
        }
        #expect(end == .exited(0))
    }

    @Test func onceWaitsForItsReaderAndDropsNoLine() async throws {
        let (end, lines, readings) = try await atHome { home, loop in
            let pipe = try FullPipe()
            let program = try home.poll("--once", "--json", output: pipe.writing)
            pipe.closeWriting()
            try await loop.waitUntil { home.readings > 0 }
            #expect(program.end == nil)
            try await loop.waitUntil {
                pipe.read()
                return pipe.isAtEnd
            }
            return (try await program.end(on: loop), pipe.lines.count, home.readings)
        }
        #expect(end == .exited(0))
        #expect(lines == readings && lines > 0)
    }

    @Test func onceEndsBySigtermWhileItWaitsForItsReader() async throws {
        let end = try await atHome { home, loop in
            let pipe = try FullPipe()
            let program = try home.poll("--once", "--json", output: pipe.writing)
            try await loop.waitUntil { home.readings > 0 }
            program.signal(SIGTERM)
            return try await program.end(on: loop)
        }
        // As it may still be at work, or wait already.
        #expect(end == .exited(0) || end == .signaled(SIGTERM))
    }

    @Test(arguments: [["scan", "--watch"], ["scan", "--watch", "--json", "--log-level", "debug"]])
    func aCommandWithoutEndEndsBySigtermWhileNoProgramReads(_ arguments: [String]) async throws {
        let end = try await atHome { home, loop in
            let pipe = try FullPipe()
            let program = try Program(
                arguments + ["--bus", home.bench.address ?? ""], output: pipe.writing, error: pipe.writing)
            try await loop.waitUntil { program.hasSocket }
            program.signal(SIGTERM)
            return try await program.end(on: loop)
        }
        // It may not listen to signals yet.
        #expect(end == .exited(0) || end == .signaled(SIGTERM))
    }

    // MARK: Connecting

    enum Step: CaseIterable {
        case hello, tick, stop
    }

    @Test(arguments: Step.allCases)
    func endsThoughTheBusDaemonIsStopped(at step: Step) async throws {
        let end = try await atHome { home, loop in
            if step == .hello { home.bench.freezeBus() }
            let program = try home.poll()
            switch step {
            case .hello: try await loop.waitUntil { program.hasSocket }
            case .tick:
                try await loop.waitUntil { home.readings > 0 }
                home.bench.freezeBus()
            case .stop: try await loop.waitUntil { home.readings > 0 }
            }
            program.signal(SIGTERM)
            if step == .stop { home.bench.freezeBus() }
            return try await program.end(on: loop)
        }
        #expect(end == .exited(0) || end == .signaled(SIGTERM))
    }

    /// A server that accepts no connection, with or without room in its backlog.
    @Test(arguments: [true, false])
    func endsThoughNoProgramAnswersAtTheSocket(isFull: Bool) async throws {
        let end = try await Bench.run(.loopback) { bench in
            let server = try SilentServer(isFull: isFull)
            let home = try ProgramHome(bench)
            let program = try home.poll(at: server.address)
            try await bench.loop.waitUntil { program.hasSocket }
            program.signal(SIGTERM)
            return try await program.end(on: bench.loop)
        }
        #expect(end == .exited(0) || end == .signaled(SIGTERM))
    }

    // MARK: Signals

    @Test func aSecondSignalEndsAtOnce() async throws {
        let end = try await atHome { home, loop in
            let pipe = try FullPipe()
            let program = try home.poll("--json", output: pipe.writing)
            try await loop.waitUntil { home.readings > 0 }
            // After the first one it waits 1.5 s for its reader.
            while program.end == nil {
                program.signal(SIGTERM)
                try await loop.sleep(until: loop.now + .milliseconds(10))
            }
            return program.end
        }
        #expect(end == .signaled(SIGTERM))
    }

    /// As timeout(1) sends it.
    @Test func aSignalThatIsSentTwiceIsOne() async throws {
        let end = try await atHome { home, loop in
            let pipe = try FullPipe()
            let program = try home.poll("--json", output: pipe.writing)
            try await loop.waitUntil { home.readings > 0 }
            // It waits 1.5 s for its reader, so that it is still there for the second one.
            program.signal(SIGINT)
            try await loop.waitUntil { !program.hasPendingSignal }
            program.signal(SIGINT)
            return try await program.end(on: loop)
        }
        #expect(end == .exited(0))
    }

    @Test(arguments: [SIGUSR1, SIGUSR2])
    func continuesAfterSignalsThatMeanNoEnd(_ number: Int32) async throws {
        let (end, log) = try await atHome { home, loop in
            let pipe = try FullPipe()
            let program = try home.poll(error: pipe.writing)
            pipe.closeWriting()
            try await loop.waitUntil { home.readings > 0 }
            program.signal(number)
            try await loop.waitUntil {
                pipe.read()
                return pipe.text.contains("ignored signal") || program.end != nil
            }
            #expect(program.end == nil)
            program.signal(SIGTERM)
            return (try await program.end(on: loop), pipe.lines)
        }
        #expect(end == .exited(0))
        #expect(log.count { $0.contains("ignored signal") } == 1)
    }
}
