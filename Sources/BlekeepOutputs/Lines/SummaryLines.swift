import Blekeep

/// Summaries as lines for programs, in base units.
public enum SummaryLines {
    public static let csvHeader = "time,device,measured,unit,count,min,mean,max,last"

    /// What a summary is of, for people: `Temperature`, or `Temperature, failed reads`.
    public static func measured(_ summary: Summary) -> String {
        let name = MeasuredName.text(
            summary.name, summary.characteristic, field: summary.field, instance: summary.instance)
        if summary.field != nil { return name }
        return name.isEmpty ? "failed reads" : "\(name), failed reads"
    }

    /// Adds a line of cells, without its line feed.
    public static func appendCSV(_ summary: Summary, to bytes: inout [UInt8]) {
        UTCTime(milliseconds: summary.start).appendISO(to: &bytes)
        CSVText.append(summary.device, to: &bytes)
        CSVText.append(guarded: measured(summary), to: &bytes)
        CSVText.append(summary.unit ?? "", to: &bytes)
        CSVText.append(.integer(summary.count), to: &bytes)
        for number in [summary.minimum, summary.mean, summary.maximum] {
            CSVText.append(number.map { .number($0) }, to: &bytes)
        }
        CSVText.append(summary.last, to: &bytes)
    }

    /// Adds an object, without a line feed. What a reading's line lacks is left out here, too: an unknown service or
    /// characteristic, the unit, the first instance, and the field of failed reads.
    public static func appendJSON(_ summary: Summary, to bytes: inout [UInt8]) {
        bytes.append(text: "{\"time\":\"")
        UTCTime(milliseconds: summary.start).appendISO(to: &bytes)
        bytes.append(text: "\",\"every\":\"\(summary.period.text)\"")
        append("device", summary.device, to: &bytes)
        append("address", summary.address.description, to: &bytes)
        append("service", summary.service?.description, to: &bytes)
        append("characteristic", summary.characteristic?.description, to: &bytes)
        if summary.instance != 1 { bytes.append(text: ",\"instance\":\(summary.instance)") }
        append("name", summary.name, to: &bytes)
        append("field", summary.field.map { Reading.fieldLabel($0, instance: summary.instance) }, to: &bytes)
        append("unit", summary.unit, to: &bytes)
        bytes.append(text: ",\"count\":\(summary.count)")
        for (key, number) in [("min", summary.minimum), ("mean", summary.mean), ("max", summary.maximum)] {
            bytes.append(text: ",\"\(key)\":")
            if let number { JSONText.append(short: number, to: &bytes) } else { bytes.append(text: "null") }
        }
        bytes.append(text: ",\"last\":")
        switch summary.last {
        case .number(let number)?: JSONText.append(short: number, to: &bytes)
        case let value?: JSONText.append(value, to: &bytes)
        case nil: bytes.append(text: "null")
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func append(_ key: String, _ value: String?, to bytes: inout [UInt8]) {
        guard let value else { return }
        bytes.append(text: ",\"\(key)\":")
        JSONText.append(value, to: &bytes)
    }
}

extension Summary.Period {
    /// As the command line spells it.
    public var text: String {
        switch self {
        case .fiveMinutes: "5m"
        case .hour: "1h"
        }
    }
}
