import BlekeepRecords

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
