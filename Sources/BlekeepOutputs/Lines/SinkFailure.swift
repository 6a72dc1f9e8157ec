import Glibc
import RunLoop

/// Nobody reads any more: the pipe or socket behind a sink has been closed. The end of the work, not a fault.
package struct SinkClosed: Error, Sendable, Hashable, CustomStringConvertible {
    package init() {}

    package var description: String { "the reader of the output has gone" }
}

/// A failure of an output that can't take its lines.
package struct SinkFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system's error number.
    package let code: Int32

    package init(code: Int32) {
        self.code = code
    }

    package var description: String {
        switch code {
        case ENOSPC: "the output cannot be written: the disk is full; make room"
        default: "the output cannot be written: \(SystemError.words(for: code))"
        }
    }
}

extension SinkFailure {
    /// What a sink throws for a failure of the output behind it.
    package static func error(_ failure: OutputWriter.Failure) -> any Error {
        switch failure.code {
        case EPIPE: SinkClosed()
        case ECANCELED: CancellationError()
        case let code: SinkFailure(code: code)
        }
    }
}
