import Blekeep

/// One format of lines: turns a reading into one line of text.
package protocol LineWriter: Sendable {
    /// What stands once before all lines, without a line feed; `nil` for formats that need none.
    var header: String? { get }

    /// Adds one line, without its line feed.
    ///
    /// No octet that it adds is below 0x20 or DEL, whatever the peripheral sent.
    func append(_ reading: LiveReading, to bytes: inout [UInt8])
}

extension LineWriter {
    package var header: String? { nil }

    /// Adds the line of a reading from the history, without its line feed.
    package func append(_ reading: StoredReading, to bytes: inout [UInt8]) { append(LiveReading(reading), to: &bytes) }

    /// One line, without its line feed.
    package func line(_ reading: StoredReading) -> String {
        var bytes: [UInt8] = []
        append(reading, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
