import BusBench
import Foundation

/// A server of another project that a test starts.
///
/// A small shell starts it, and kills it as soon as its standard input ends: also when the tests are killed.
package final class ForeignServer {
    private let shell: pid_t
    private let leash: Int32
    private var isKilled = false

    /// Returns when the server answers.
    ///
    /// - Parameters:
    ///   - script: starts the server in the background, then has `read -r _` and what kills it.
    ///   - argument: `$1` of the script.
    ///   - failure: what to say when it doesn't answer within 10 s.
    package init(
        _ script: String, argument: String = "", failure: @autoclosure () -> String, answers: () throws -> Bool
    ) throws {
        let (input, output) = (try ChildProcess.Pipe(), try ChildProcess.Pipe())
        shell = try ChildProcess.spawn(["/bin/sh", "-c", script, "server", argument], input.read, output.write)
        for end in [input.read, output.read, output.write] { close(end) }
        leash = input.write
        for _ in 0..<500 {
            if try answers() { return }
            usleep(20_000)
        }
        throw PrivateBusError(failure())
    }

    deinit { kill() }

    package func kill() {
        guard !isKilled else { return }
        close(leash)
        waitpid(shell, nil, 0)
        isKilled = true
    }
}
