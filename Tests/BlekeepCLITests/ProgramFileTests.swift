import Blekeep
import BusBench
import Glibc
import RunLoop
import Testing

@testable import BlekeepCLI

/// The built program with histories and configurations.
@Suite struct ProgramFileTests {
    @Test func valuesOfAMisspelledDeviceNamesSimilarOnes() async throws {
        let end = try await atHome { home, loop in
            #expect(try await home.poll("--once").end(on: loop) == .exited(0))
            return try await Program(
                shell: """
                    "$0" values freezr -c \(home.configuration) > \(home.configuration).out 2>&1; code=$?
                    grep -q "no device is called 'freezr' ('blekeep status' lists all); did you mean 'freezer'?" \(home.configuration).out \
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

    /// The first device has the address and the alias of the file, and the second recipe has no device there.
    @Test func recipesOfAFileThatIsNamedHaveSimulatedDevices() async throws {
        let recipes = ["box", "tank"].map { name in
            """
              - name: \(name)
                title: My \(name)
                recognize: [{name: "My-\(name)-??"}]
                steps:
                  - write: fff0/fff1
                    bytes: a501
                    await: fff0/fff2
                    frame: {length: 3, check: {kind: crc8}}
                    fields: [{name: level, type: uint16, unit: mm}]
                tests:
                  - {answers: [010203], error: CRC-8 is wrong}
                  - {answers: [01021b], expect: {level: 513}}
            """
        }
        let file = """
            recipes:
            \(recipes.joined(separator: "\n"))
            devices:
              - {address: "C4:7C:8D:00:00:01", alias: orchard, recipe: box, write: true, interval: 1h}
            """
        let end = try await withConfiguration(file) { path in
            try await atHome { home, loop in
                try await Program(
                    shell: """
                        poll="timeout -s INT 20 $0 poll --simulate asked -c \(path) --once --csv"
                        $poll orchard tank-of-nobody 2> \(path).error && exit 11
                        grep -q "'tank-of-nobody' isn't simulated; simulated are .*, orchard, My-tank-11. With" \
                            \(path).error || exit 12
                        $poll orchard My-tank-11 > \(path).out || exit 13
                        grep -q ",orchard,C4:7C:8D:00:00:01,.*,level,513,mm" \(path).out || exit 14
                        grep -q ",My-tank-11,F0:00:07:.*,level,513,mm" \(path).out || exit 15
                        "$0" scan --simulate asked -c \(path) --timeout 3s > \(path).out || exit 16
                        grep -q "^C4:7C:8D:00:00:01.*My box" \(path).out || exit 17
                        "$0" simulate -c \(path) asked -- "$0" poll -c \(path) --once > \(path).out || exit 18
                        grep -q "orchard *Level *513 mm" \(path).out || exit 19
                        """
                ).end(on: loop)
            }
        }
        #expect(end == .exited(0))
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
