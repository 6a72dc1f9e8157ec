import BlekeepRecords

/// Comma-separated values as RFC 4180 quotes them, with a header line. Lines end in a line feed alone.
///
/// Text that a spreadsheet would run as a formula gets a `'` before it; control characters show
/// as `\u{A}`, so that a record is always one line. A cell with a semicolon is quoted, too: spreadsheets of many
/// languages split there. A special value has an empty `value` and its word in `state`.
/// `seq` is empty while the history can't take the reading, and for one with `true` in `logged`, which the device kept in its own
/// memory. `tags` has the device's, sorted, with commas between them.
///
/// A new column goes to the end of the header, so that programs that count columns keep working.
package struct CSVLineWriter: LineWriter {
    private let tags: DeviceTags

    package init(tags: DeviceTags = DeviceTags()) { self.tags = tags }

    package var header: String? { Self.header }

    package static let header =
        "time,seq,tick,device,address,service,characteristic,name,field,value,unit,state,raw,error_code,error_message,tags,recipe,gateway,logged"

    package func append(_ live: LiveReading, to bytes: inout [UInt8]) {
        let reading = live.reading
        UTCTime(milliseconds: reading.time).appendISO(to: &bytes)
        bytes.append(UInt8(ascii: ","))
        if let sequence = live.sequence { bytes.append(integer: sequence) }
        bytes.append(UInt8(ascii: ","))
        bytes.append(integer: Int64(reading.tick))
        CSVText.append(reading.device, to: &bytes)
        CSVText.append(reading.address.description, to: &bytes)
        CSVText.append(reading.service?.description ?? "", to: &bytes)
        CSVText.append(reading.characteristic?.description ?? "", to: &bytes)
        CSVText.append(reading.name, to: &bytes)
        switch reading.outcome {
        case .value(let measurement, let raw):
            CSVText.append(Reading.fieldLabel(measurement.field, instance: reading.instance), to: &bytes)
            CSVText.append(measurement.value, to: &bytes)
            CSVText.append(measurement.unit ?? "", to: &bytes)
            CSVText.append(measurement.state ?? "", to: &bytes)
            bytes.append(UInt8(ascii: ","))
            bytes.append(hex: raw)
            bytes.append(text: ",,")
        case .failure(let failure, let raw):
            bytes.append(text: ",,,,,")
            bytes.append(hex: raw ?? [])
            CSVText.append(failure.code.rawValue, to: &bytes)
            CSVText.append(failure.message, to: &bytes)
        }
        CSVText.append(tags[reading.id].sorted().joined(separator: ","), to: &bytes)
        CSVText.append(reading.recipe ?? "", to: &bytes)
        CSVText.append(tags.gateway ?? "", to: &bytes)
        CSVText.append(reading.isLogged ? "true" : "", to: &bytes)
    }
}
