import BlekeepRecords

/// Influx line protocol: measurement `ble`, one point a reading.
///
/// Tags: `device`, `address`, `tags` (the device's, sorted, with commas), `gateway`, `service`, `characteristic`, `recipe`, `field`, `unit`. Fields: `value` for numbers, `text` for
/// text and lists, `flag` for booleans; `state`, `name`, `raw` (hex), `tick`, `seq`, `error_code`, `error_message`.
/// A reading that the history can't take yet has no `seq`. The time is in nanoseconds.
///
/// A server refuses a point if a field has another type than in the first point. So `value` is always a float, also for
/// whole numbers, and other values have separate fields. `name` isn't a tag, because a peripheral could change it with
/// every read and create a new series each time.
package struct InfluxLineWriter: LineWriter {
    private let separatesReadings: Bool
    private let tags: DeviceTags

    /// - Parameter separatesReadings: whether readings of one millisecond get different nanoseconds. A server keeps only
    ///   one of two points with the same series and time.
    package init(separatesReadings: Bool = false, tags: DeviceTags = DeviceTags()) {
        self.separatesReadings = separatesReadings
        self.tags = tags
    }

    package func append(_ live: LiveReading, to bytes: inout [UInt8]) {
        let reading = live.reading
        bytes.append(text: "ble")
        tag("device", value: reading.device, to: &bytes)
        tag("address", value: reading.address.description, to: &bytes)
        tag("tags", value: tags[reading.id].sorted().joined(separator: ","), to: &bytes)
        tag("gateway", value: tags.gateway ?? "", to: &bytes)
        tag("service", value: reading.service?.description ?? "", to: &bytes)
        tag("characteristic", value: reading.characteristic?.description ?? "", to: &bytes)
        tag("recipe", value: reading.recipe ?? "", to: &bytes)
        if case .value(let measurement, _) = reading.outcome {
            tag("field", value: Reading.fieldLabel(measurement.field, instance: reading.instance), to: &bytes)
            tag("unit", value: measurement.unit ?? "", to: &bytes)
        }
        bytes.append(UInt8(ascii: " "))
        if let sequence = live.sequence {
            bytes.append(text: "seq=")
            bytes.append(integer: sequence)
            bytes.append(text: "i,")
        }
        bytes.append(text: "tick=")
        bytes.append(integer: Int64(reading.tick))
        bytes.append(UInt8(ascii: "i"))
        field("name", value: reading.name, to: &bytes)
        switch reading.outcome {
        case .value(let measurement, let raw):
            append(measurement.value, to: &bytes)
            field("state", value: measurement.state ?? "", to: &bytes)
            field("raw", raw: raw, to: &bytes)
        case .failure(let failure, let raw):
            field("error_code", value: failure.code.rawValue, to: &bytes)
            field("error_message", value: failure.message, to: &bytes)
            field("raw", raw: raw ?? [], to: &bytes)
        }
        bytes.append(UInt8(ascii: " "))
        let (nanoseconds, overflow) = reading.time.multipliedReportingOverflow(by: 1_000_000)
        bytes.append(integer: overflow ? (reading.time < 0 ? .min : .max) : nanoseconds &+ separation(live.sequence))
    }

    /// Nanoseconds within a millisecond, different for a million consecutive readings. A reading without a number is in the
    /// first nanosecond.
    private func separation(_ sequence: Int64?) -> Int64 { separatesReadings ? (sequence ?? 0) % 1_000_000 : 0 }

    private func append(_ value: MeasuredValue?, to bytes: inout [UInt8]) {
        switch value {
        case nil: break
        case .integer(let integer):
            bytes.append(text: ",value=")
            bytes.append(integer: integer)
        case .number(let number):
            if number.isFinite { bytes.append(text: ",value=\(number)") }
        case .boolean(let flag):
            bytes.append(text: flag ? ",flag=true" : ",flag=false")
        case .text(let text):
            field("text", value: text, evenEmpty: true, to: &bytes)
        case .list:
            var list: [UInt8] = []
            if let value { JSONText.append(value, to: &list) }
            field("text", value: String(decoding: list, as: UTF8.self), to: &bytes)
        }
    }

    /// Adds a tag. Without a value, there is no tag, because the protocol has no empty tags.
    ///
    /// A backslash becomes `_`, because a tag can't escape it and a final one would escape the next comma. Invisible
    /// characters become `_`, too.
    private func tag(_ key: String, value: String, to bytes: inout [UInt8]) {
        guard !value.isEmpty else { return }
        bytes.append(text: ",\(key)=")
        for scalar in value.unicodeScalars {
            switch scalar {
            case ",", "=", " ":
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            case _ where scalar == "\\" || scalar.isInvisible:
                bytes.append(UInt8(ascii: "_"))
            default:
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }

    private func field(_ key: String, value: String, evenEmpty: Bool = false, to bytes: inout [UInt8]) {
        guard evenEmpty || !value.isEmpty else { return }
        bytes.append(text: ",\(key)=\"")
        for byte in Untrusted.whole(value).utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private func field(_ key: String, raw: [UInt8], to bytes: inout [UInt8]) {
        guard !raw.isEmpty else { return }
        bytes.append(text: ",\(key)=\"")
        bytes.append(hex: raw)
        bytes.append(UInt8(ascii: "\""))
    }
}
