import Glibc
import RunLoop

/// The reader of a sink's pipe or socket has closed it. That ends the work, and isn't a failure.
package struct SinkClosed: Error, Sendable, Hashable, CustomStringConvertible {
    package init() {}

    package var description: String { "the reader of the output has gone" }
}

/// A failure of an output that can't take its lines.
package struct SinkFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system's error number.
    package let code: Int32

    package var description: String {
        switch code {
        case ENOSPC: "can't write the output: the disk is full; make room"
        default: "can't write the output: \(SystemError.words(for: code))"
        }
    }
}

extension SinkFailure {
    package static func error(_ failure: OutputWriter.Failure) -> any Error {
        switch failure.code {
        case EPIPE: SinkClosed()
        case ECANCELED: CancellationError()
        case let code: SinkFailure(code: code)
        }
    }
}
