import BusBench
import Glibc
import Testing

@testable import BlekeepCLI

@Suite struct TerminalUserTests {
    /// `printf` writes no end of a line.
    @Test(arguments: [("secret\n", "secret"), ("secret", "secret"), ("\n", nil), ("", nil)] as [(String, String?)])
    func aPipesLastLineNeedsNoEnd(text: String, answer: String?) async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (input, output) = (ends[0], ends[1])
        defer { close(input) }
        #expect(write(output, text, text.utf8.count) == text.utf8.count)
        close(output)
        let said = try await Bench.run(.loopback) { bench in
            await TerminalUser(on: bench.loop, canAnswer: true, input: input).answer(to: "The password:")
        }
        #expect(said == answer)
    }
}
