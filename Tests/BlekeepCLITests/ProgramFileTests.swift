import Blekeep
import BusBench
import Glibc
import RunLoop
import Testing

@testable import BlekeepCLI

/// The built program with histories and configurations.
@Suite struct ProgramFileTests {
    @Test func valuesOfAnUnknownDeviceListsTheDevicesOfTheHistory() async throws {
        let end = try await atHome { home, loop in
            #expect(try await home.poll("--once").end(on: loop) == .exited(0))
            return try await Program(
                shell: """
                    "$0" values nobody -c \(home.configuration) > \(home.configuration).out 2>&1; code=$?
                    grep -q "has no device 'nobody'; it has freezer (F0:00:00:00:00:02), living" \(home.configuration).out \
                        && exit $code
                    """
            ).end(on: loop)
        }
        #expect(end == .exited(5))
    }

    /// The file in the environment may be the service's.
    @Test func simulatedReadingsGoOnlyToTheSinksOfAFileThatIsNamed() async throws {
        let script = "timeout -s INT 20 \"$0\" poll --simulate --once"
        let counts = try await atHome { home, loop async throws -> [Int] in
            #expect(
                try await Program(shell: "BLEKEEP_CONFIG=\(home.configuration) \(script)").end(on: loop) == .exited(0))
            let before = home.lines
            #expect(try await Program(shell: "\(script) -c \(home.configuration)").end(on: loop) == .exited(0))
            return [before, home.lines]
        }
        #expect(counts[0] == 0)
        #expect(counts[1] > 0)
    }

    /// With the filters, and while one poller ends and another one starts.
    @Test(arguments: [["--json"], ["--csv"], []])
    func historyFollowsThePollers(_ format: [String]) async throws {
        let (end, lines) = try await atHome { home, loop in
            #expect(try await home.poll("--once").end(on: loop) == .exited(0))
            let pipe = try FullPipe()
            let arguments = ["history", "freezer", "temperature", "--follow", "-c", home.configuration] + format
            let program = try Program(arguments, output: pipe.writing)
            pipe.closeWriting()
            func readings() -> Int {
                pipe.read()
                return pipe.lines.count { $0.contains("freezer") }
            }
            try await loop.waitUntil { readings() > 0 }
            for _ in 1...2 {
                let before = readings()
                let poller = try home.poll("--interval", "5s")
                try await loop.waitUntil { readings() > before }
                poller.signal(SIGTERM)
                let end = try await poller.end(on: loop)
                #expect(end == .exited(0))
            }
            program.signal(SIGINT)
            let end = try await program.end(on: loop)
            pipe.read()
            return (end, pipe.lines)
        }
        #expect(end == .exited(0))
        // Lines for users have no sequence numbers.
        if !format.isEmpty { #expect(Set(lines).count == lines.count) }
        #expect(lines.filter { $0.hasPrefix("time,") }.count == (format == ["--csv"] ? 1 : 0))
        #expect(lines.allSatisfy { $0.contains("emperature") || $0.hasPrefix("time,") })
    }

    @Test func historyStopsFollowingAfterItsTime() async throws {
        let end = try await atHome { home, loop in
            #expect(try await home.poll("--once").end(on: loop) == .exited(0))
            let arguments = ["history", "-f", "--timeout", "1s", "-c", home.configuration]
            return try await Program(arguments).end(on: loop)
        }
        #expect(end == .exited(0))
    }
}
