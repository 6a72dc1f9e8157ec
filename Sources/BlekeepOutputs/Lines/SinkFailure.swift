import Glibc

/// Nobody reads any more: the pipe or socket behind a sink has been closed. The end of the work, not a fault.
public struct SinkClosed: Error, Sendable, Hashable, CustomStringConvertible {
    public init() {}

    public var description: String { "the reader of the output has gone" }
}

/// A sink could not take its lines. The same readings may be published again: no line will be left cut in two.
public struct SinkFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system's error number; `ETIMEDOUT` when the reader took nothing for too long.
    public let code: Int32

    public init(code: Int32) {
        self.code = code
    }

    public var description: String {
        switch code {
        case ENOSPC: "the output cannot be written: the disk is full; make room"
        case ETIMEDOUT: "the output cannot be written: its reader takes nothing"
        default: "the output cannot be written: \(SystemError.words(for: code))"
        }
    }
}
