import RunLoop
import Testing

@testable import BlekeepCLI

/// `blekeep serve`, which becomes the program beside it.
@Suite struct ServeCommandTests {
    @Test func runsTheServer() throws {
        let loop = try RunLoop()
        let end = try loop.run {
            let program = try Program([
                "serve", "-c", emptyConfiguration, "--listen", "127.0.0.1:0", "--timeout", "100ms",
            ])
            return try await program.end(on: loop)
        }
        #expect(end == .exited(124))
    }

    @Test(arguments: [
        (["--listen", "0.0.0.0:8080"], "other machines can reach 0.0.0.0:8080"),
        (["--listen", "localhost:8080"], "localhost:8080"), (["--host", "a/b"], "isn't the name of a machine"),
        (["--token", ""], "--token needs"),
    ])
    func refusesOptionsBeforeItStarts(options: [String], sentence: String) async throws {
        let outcome = try await run(["serve"] + options)
        #expect(outcome.code == 2 && outcome.failure?.message.contains(sentence) == true)
    }
}
