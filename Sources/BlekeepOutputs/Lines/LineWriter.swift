import BlekeepRecords

/// One format of lines: turns a reading into one line of text.
package protocol LineWriter: Sendable {
    /// The line before all others, without its line feed; `nil` for formats without one.
    var header: String? { get }

    /// Whether the format has no line for a reading.
    func hides(_ reading: Reading) -> Bool

    /// Adds one line, without its line feed.
    ///
    /// The line has no byte below 0x20 and no DEL, even if the peripheral sent some.
    func append(_ reading: LiveReading, to bytes: inout [UInt8])
}

extension LineWriter {
    package var header: String? { nil }

    package func hides(_ reading: Reading) -> Bool { false }

    /// Adds the line of a reading from the history, without its line feed.
    package func append(_ reading: StoredReading, to bytes: inout [UInt8]) { append(LiveReading(reading), to: &bytes) }

    /// One line, without its line feed.
    package func line(_ reading: StoredReading) -> String {
        var bytes: [UInt8] = []
        append(reading, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Reading {
    /// Whether the value is flags, which have no place beside other values.
    var isFlags: Bool {
        if case .value(let measurement, _) = outcome { measurement.isFlags } else { false }
    }
}
