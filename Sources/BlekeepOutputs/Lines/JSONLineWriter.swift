import Blekeep

/// Newline-delimited JSON: one object a line, its keys always in the same order.
///
/// ```json
/// {"time":"2026-11-21T03:18:00.123Z","seq":17,"tick":3,"device":"greenhouse","address":"F0:00:00:00:00:01",
///  "service":"181a","characteristic":"2a6e","name":"Temperature","field":"temperature","value":21.93,
///  "unit":"°C","raw":"9108"}
/// ```
/// `"seq":null` means that the history can't take the reading yet.
/// A special value has `"value":null,"state":"unknown"`. A failed read has `"error":{"code":…,"message":…}` in the
/// place of field, value and unit, and `raw` only if there were octets; one that befell the device as a whole has no
/// service, characteristic and name. The second and further characteristics of the same UUID have an `instance`, and its
/// number behind the field: `"instance":2`, `"field":"temperature#2"`. `"clock":"not set"` after the time marks a
/// reading that came before the machine's clock was set.
public struct JSONLineWriter: LineWriter {
    public init() {}

    public func append(_ live: LiveReading, to bytes: inout [UInt8]) {
        let reading = live.reading
        bytes.append(text: "{\"time\":\"")
        UTCTime(milliseconds: reading.time).appendISO(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        if !reading.isClockSet { append("clock", "not set", to: &bytes) }
        bytes.append(text: ",\"seq\":")
        if let sequence = live.sequence { bytes.append(integer: sequence) } else { bytes.append(text: "null") }
        bytes.append(text: ",\"tick\":")
        bytes.append(integer: Int64(reading.tick))
        append("device", reading.device, to: &bytes)
        append("address", reading.address.description, to: &bytes)
        if let service = reading.service { append("service", service.description, to: &bytes) }
        if let characteristic = reading.characteristic {
            append("characteristic", characteristic.description, to: &bytes)
            if reading.instance != 1 {
                bytes.append(text: ",\"instance\":")
                bytes.append(integer: Int64(reading.instance))
            }
            append("name", reading.name, to: &bytes)
        }
        switch reading.outcome {
        case .value(let measurement, let raw):
            append("field", Reading.fieldLabel(measurement.field, instance: reading.instance), to: &bytes)
            append(measurement, to: &bytes)
            append(raw: raw, to: &bytes)
        case .failure(let failure, let raw):
            bytes.append(text: ",\"error\":{\"code\":")
            JSONText.append(failure.code, to: &bytes)
            append("message", failure.message, to: &bytes)
            bytes.append(UInt8(ascii: "}"))
            if let raw { append(raw: raw, to: &bytes) }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private func append(_ measurement: Measurement, to bytes: inout [UInt8]) {
        bytes.append(text: ",\"value\":")
        switch measurement.value {
        case .number(let number)?: JSONText.append(short: number, to: &bytes)
        case let value?: JSONText.append(value, to: &bytes)
        case nil: bytes.append(text: "null")
        }
        if let state = measurement.state { append("state", state, to: &bytes) }
        if let unit = measurement.unit { append("unit", unit, to: &bytes) }
    }

    private func append(raw: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(text: ",\"raw\":\"")
        bytes.append(hex: raw)
        bytes.append(UInt8(ascii: "\""))
    }

    private func append(_ key: StaticString, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(text: ",\"")
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(text: "\":")
        JSONText.append(value, to: &bytes)
    }
}
