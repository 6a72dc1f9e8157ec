import BlekeepOutputs
import Glibc
import RunLoop

/// Where a command's data goes.
protocol Output: AnyObject, Sendable {
    /// Whether nothing waits for a reader.
    var isIdle: Bool { get }

    /// - Throws: `SinkClosed` when nobody reads any more, or `SinkFailure`.
    func write(_ text: String) throws

    /// Waits for the reader, if much waits for it: for commands that print without end.
    func hasRoom() async throws

    /// Writes what waits, before the process is stopped.
    func flushBriefly()
}

extension Output {
    var isIdle: Bool { true }

    func line(_ text: String) throws { try write(text + "\n") }

    func hasRoom() async throws {}

    func flushBriefly() {}
}

/// Standard output.
final class StandardOutput: Output {
    static let writer = OutputWriter(STDOUT_FILENO)

    var isIdle: Bool { Self.writer.isIdle }

    func write(_ text: String) throws { try write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) throws {
        do throws(OutputWriter.Failure) { try Self.writer.write(bytes) } catch {
            throw SinkFailure.error(error)
        }
    }

    func hasRoom() async throws {
        do throws(OutputWriter.Failure) { try await Self.writer.hasRoom() } catch { throw SinkFailure.error(error) }
    }

    func flushBriefly() { Self.writer.flushBriefly() }

    /// Waits until the reader has everything; no longer than a process may that was asked to end.
    static func finish() throws {
        do throws(OutputWriter.Failure) { try writer.finish() } catch { throw SinkFailure.error(error) }
    }
}
