import BlekeepRecords

/// Lines for a terminal: `03:18:00  greenhouse  Temperature  21.93 °C`.
///
/// Text from a peripheral shows control, bidi and zero-width characters as escapes, and is cut after 64 scalars. A
/// failed read shows its message, and a special value its state. Flags, which say which fields follow, have no line. A `?` follows a time from before the machine's clock
/// was set.
package struct HumanLineWriter: LineWriter {
    private let deviceWidth: Int
    private let labelWidth: Int
    private let offset: @Sendable (Int64) -> Int
    private let now: (@Sendable () -> Int64)?

    /// - Parameters:
    ///   - deviceWidth: the columns for the device; a longer one pushes the rest of its line to the right.
    ///   - labelWidth: the columns for what was measured.
    ///   - offset: returns the seconds that local time is ahead of UTC at a time in milliseconds since 1970;
    ///     `LocalTime.offset` for the machine's own zone.
    ///   - now: returns the time in milliseconds since 1970. A line of another day begins with its date. `nil` for no dates.
    package init(
        deviceWidth: Int = 12, labelWidth: Int = 20, offset: @escaping @Sendable (Int64) -> Int = { _ in 0 },
        now: (@Sendable () -> Int64)? = nil
    ) {
        self.deviceWidth = deviceWidth
        self.labelWidth = labelWidth
        self.offset = offset
        self.now = now
    }

    package func hides(_ reading: Reading) -> Bool { reading.isFlags }

    package func append(_ live: LiveReading, to bytes: inout [UInt8]) {
        let reading = live.reading
        let local = UTCTime(milliseconds: reading.time, offset: offset)
        bytes.append(text: now.map { local.clock(now: UTCTime(milliseconds: $0(), offset: offset)) } ?? local.clock)
        bytes.append(text: reading.isClockSet ? "  " : "? ")
        column(Untrusted(reading.device).description, width: deviceWidth, to: &bytes)
        column(MeasuredName.text(reading), width: labelWidth, to: &bytes)
        bytes.append(text: result(of: reading))
        if reading.isLogged {
            bytes.append(text: "  (logged)")
        } else if live.sequence == nil {
            bytes.append(text: "  (not stored yet)")
        }
    }

    private func result(of reading: Reading) -> String {
        switch reading.outcome {
        case .failure(let failure, _):
            return "failed: \(Untrusted(Advice.message(failure, of: reading.address), limit: 256))"
        case .value(let measurement, _):
            let state = measurement.state.map { Untrusted($0).description }
            guard measurement.value != nil else { return state ?? "no value" }
            let shown = DisplayUnit.human(measurement, of: reading.characteristic)
            let unit = Untrusted(shown.unit).description
            return "\(Untrusted(shown.value))\(unit.isEmpty ? "" : " \(unit)")\(state.map { " (\($0))" } ?? "")"
        }
    }

    private func column(_ text: String, width: Int, to bytes: inout [UInt8]) {
        bytes.append(text: text)
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 + max(0, width - text.count)))
    }
}
