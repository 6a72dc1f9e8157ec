import BlekeepOutputs
import Glibc
import RunLoop

/// The destination of a command's data.
protocol Output: AnyObject, Sendable {
    /// Whether no output waits for its reader.
    var isIdle: Bool { get }

    /// - Throws: `SinkClosed` when the reader is gone, or `SinkFailure`.
    func write(_ text: String) throws

    /// Waits while much output waits for its reader. For commands that print without end.
    func hasRoom() async throws

    /// Writes waiting output before a signal stops the process.
    func flushBriefly()
}

extension Output {
    var isIdle: Bool { true }

    func line(_ text: String) throws { try write(text + "\n") }

    func hasRoom() async throws {}

    func flushBriefly() {}
}

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

    /// Waits until the reader has everything, or until the time that a process has to end is up.
    static func finish() throws {
        do throws(OutputWriter.Failure) { try writer.finish() } catch { throw SinkFailure.error(error) }
    }
}
