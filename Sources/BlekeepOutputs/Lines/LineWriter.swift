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

/// Only the values, in the units of their layouts: `21.93`. Text shows control characters as escapes.
///
/// A special value is its word, and a failed read an empty line. Flags have no line, as for users.
package struct ValueLineWriter: LineWriter {
    package init() {}

    package func hides(_ reading: Reading) -> Bool { reading.isFlags }

    package func append(_ live: LiveReading, to bytes: inout [UInt8]) {
        guard case .value(let measurement, _) = live.reading.outcome else { return }
        switch measurement.value {
        case .text(let text)?: bytes.append(text: Untrusted(text, limit: 512).description)
        case let value?: JSONText.append(measured: value, to: &bytes)
        case nil: bytes.append(text: Untrusted(measurement.state ?? "").description)
        }
    }
}

/// The formats that readings can be written in, by the names that the command line uses.
package enum LineFormat: String, Sendable, CaseIterable {
    /// Text for a terminal: `HumanLineWriter`.
    case human
    /// One object a line: `JSONLineWriter`.
    case json
    /// RFC 4180: `CSVLineWriter`.
    case csv
    /// Influx line protocol: `InfluxLineWriter`.
    case influx
    /// Only the values: `ValueLineWriter`.
    case value
}
