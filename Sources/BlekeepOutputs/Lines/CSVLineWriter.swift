import Blekeep

/// Comma-separated values as RFC 4180 quotes them, with a header line. Lines end in a line feed alone.
///
/// Text from a peripheral that a spreadsheet would run as a formula gets a `'` before it; control characters show
/// as `\u{A}`, so that a record is always one line. A cell with a semicolon is quoted, too: spreadsheets of many
/// languages split there. A special value has an empty `value` and its word in `state`.
public struct CSVLineWriter: LineWriter {
    public init() {}

    public var header: String? {
        "time,seq,tick,device,address,service,characteristic,name,field,value,unit,state,raw,error_code,error_message"
    }

    public func append(_ stored: StoredReading, to bytes: inout [UInt8]) {
        let reading = stored.reading
        UTCTime(milliseconds: reading.time).appendISO(to: &bytes)
        bytes.append(UInt8(ascii: ","))
        bytes.append(integer: stored.sequence)
        bytes.append(UInt8(ascii: ","))
        bytes.append(integer: Int64(reading.tick))
        cell(reading.device, to: &bytes)
        cell(reading.address.description, to: &bytes)
        cell(reading.service?.description ?? "", to: &bytes)
        cell(reading.characteristic?.description ?? "", to: &bytes)
        guarded(reading.name, to: &bytes)
        switch reading.outcome {
        case .value(let measurement, let raw):
            cell(Reading.fieldLabel(measurement.field, instance: reading.instance), to: &bytes)
            append(measurement.value, to: &bytes)
            cell(measurement.unit ?? "", to: &bytes)
            cell(measurement.state ?? "", to: &bytes)
            bytes.append(UInt8(ascii: ","))
            bytes.append(hex: raw)
            bytes.append(text: ",,")
        case .failure(let failure, let raw):
            bytes.append(text: ",,,,,")
            bytes.append(hex: raw ?? [])
            cell(failure.code, to: &bytes)
            guarded(failure.message, to: &bytes)
        }
    }

    private func append(_ value: MeasuredValue?, to bytes: inout [UInt8]) {
        switch value {
        case nil:
            bytes.append(UInt8(ascii: ","))
        case .text(let text):
            guarded(text, to: &bytes)
        case .list(let values):
            var list: [UInt8] = []
            JSONText.append(.list(values), to: &list)
            cell(String(decoding: list, as: UTF8.self), to: &bytes)
        case .number(let number):
            cell(number.isFinite ? number.description : "", to: &bytes)
        case .integer(let integer):
            bytes.append(UInt8(ascii: ","))
            bytes.append(integer: integer)
        case .boolean(let flag):
            bytes.append(text: flag ? ",true" : ",false")
        }
    }

    /// A cell with text that a stranger chose.
    private func guarded(_ text: String, to bytes: inout [UInt8]) {
        switch text.unicodeScalars.first {
        case "=", "+", "-", "@": cell("'" + text, to: &bytes)
        default: cell(text, to: &bytes)
        }
    }

    private static let separating = Array(",;\"".utf8)

    /// A comma and the cell that follows it.
    private func cell(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: ","))
        let shown = Untrusted(text, limit: .max).description
        guard
            shown.utf8.contains(where: Self.separating.contains)
                || shown.hasPrefix(" ") || shown.hasSuffix(" ")
        else {
            bytes.append(text: shown)
            return
        }
        bytes.append(UInt8(ascii: "\""))
        for octet in shown.utf8 {
            if octet == UInt8(ascii: "\"") { bytes.append(octet) }
            bytes.append(octet)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
