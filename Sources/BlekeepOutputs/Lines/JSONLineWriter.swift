import BlekeepRecords

/// Newline-delimited JSON: one object a line, its keys always in the same order.
///
/// ```json
/// {"time":"2026-11-21T03:18:00.123Z","seq":17,"tick":3,"device":"greenhouse","address":"F0:00:00:00:00:01",
///  "service":"181a","characteristic":"2a6e","name":"Temperature","field":"temperature","value":21.93,
///  "unit":"°C","raw":"9108"}
/// ```
/// `"seq":null` means that the history can't take the reading yet.
/// A special value has `"value":null,"state":"unknown"`. A failed read has `"error":{"code":…,"message":…}` instead of
/// field, value and unit, and `raw` only if there were bytes. A failure of the whole device has no service,
/// characteristic and name. The second and further characteristics of the same UUID have an `instance`, and its number
/// after the field: `"instance":2`, `"field":"temperature#2"`. `"clock":"not set"` after the time marks a reading from
/// before the machine's clock was set. A device with tags has `"tags":["cellar"]` after its address.
package struct JSONLineWriter: LineWriter {
    private let tags: DeviceTags

    package init(tags: DeviceTags = DeviceTags()) { self.tags = tags }

    package func append(_ live: LiveReading, to bytes: inout [UInt8]) {
        let reading = live.reading
        bytes.append(text: "{\"time\":\"")
        UTCTime(milliseconds: reading.time).appendISO(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        if !reading.isClockSet { JSONText.append(key: "clock", "not set", to: &bytes) }
        JSONText.append(key: "seq", to: &bytes)
        JSONText.append(measured: live.sequence.map { .integer($0) }, to: &bytes)
        JSONText.append(key: "tick", Int64(reading.tick), to: &bytes)
        JSONText.append(key: "device", reading.device, to: &bytes)
        JSONText.append(key: "address", reading.address.description, to: &bytes)
        let tags = tags[reading.address]
        if !tags.isEmpty {
            JSONText.append(key: "tags", to: &bytes)
            JSONText.append(.list(tags.map { .text($0) }), to: &bytes)
        }
        JSONText.append(key: "service", reading.service?.description, to: &bytes)
        if let characteristic = reading.characteristic {
            JSONText.append(key: "characteristic", characteristic.description, to: &bytes)
            if reading.instance != 1 { JSONText.append(key: "instance", Int64(reading.instance), to: &bytes) }
            JSONText.append(key: "name", reading.name, to: &bytes)
        }
        switch reading.outcome {
        case .value(let measurement, let raw):
            let field = Reading.fieldLabel(measurement.field, instance: reading.instance)
            JSONText.append(key: "field", field, to: &bytes)
            JSONText.append(key: "value", to: &bytes)
            JSONText.append(measured: measurement.value, to: &bytes)
            JSONText.append(key: "state", measurement.state, to: &bytes)
            JSONText.append(key: "unit", measurement.unit, to: &bytes)
            append(raw: raw, to: &bytes)
        case .failure(let failure, let raw):
            bytes.append(text: ",\"error\":{\"code\":")
            JSONText.append(failure.code.rawValue, to: &bytes)
            JSONText.append(key: "message", failure.message, to: &bytes)
            bytes.append(UInt8(ascii: "}"))
            if let raw { append(raw: raw, to: &bytes) }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private func append(raw: [UInt8], to bytes: inout [UInt8]) {
        JSONText.append(key: "raw", to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(hex: raw)
        bytes.append(UInt8(ascii: "\""))
    }
}
