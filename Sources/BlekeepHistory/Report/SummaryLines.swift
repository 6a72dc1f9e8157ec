import BlekeepOutputs
import BlekeepRecords

/// Summaries as lines for programs, in base units.
package enum SummaryLines {
    package static let csvHeader = "time,device,measured,unit,count,min,mean,max,last"

    /// What a summary is of, for people: `Temperature`, or `Temperature, failed reads`.
    package static func measured(_ summary: Summary) -> String {
        let name = MeasuredName.text(
            summary.name, summary.characteristic, field: summary.field, instance: summary.instance)
        if summary.field != nil { return name }
        return name.isEmpty ? "failed reads" : "\(name), failed reads"
    }

    /// Adds a line of cells, without its line feed.
    package static func appendCSV(_ summary: Summary, to bytes: inout [UInt8]) {
        UTCTime(milliseconds: summary.start).appendISO(to: &bytes)
        CSVText.append(summary.device, to: &bytes)
        CSVText.append(measured(summary), to: &bytes)
        CSVText.append(summary.unit ?? "", to: &bytes)
        CSVText.append(.integer(summary.count), to: &bytes)
        for number in [summary.minimum, summary.mean, summary.maximum] {
            CSVText.append(number.map { .number($0) }, to: &bytes)
        }
        CSVText.append(summary.last, to: &bytes)
    }

    /// Adds an object, without a line feed. What a reading's line lacks is left out here, too: an unknown service or
    /// characteristic, the unit, the first instance, and the field of failed reads.
    package static func appendJSON(_ summary: Summary, to bytes: inout [UInt8]) {
        bytes.append(text: "{\"time\":\"")
        UTCTime(milliseconds: summary.start).appendISO(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        JSONText.append(key: "every", summary.period.text, to: &bytes)
        JSONText.append(key: "device", summary.device, to: &bytes)
        JSONText.append(key: "address", summary.address.description, to: &bytes)
        JSONText.append(key: "service", summary.service?.description, to: &bytes)
        JSONText.append(key: "characteristic", summary.characteristic?.description, to: &bytes)
        if summary.instance != 1 { JSONText.append(key: "instance", Int64(summary.instance), to: &bytes) }
        JSONText.append(key: "name", summary.name, to: &bytes)
        let field = summary.field.map { Reading.fieldLabel($0, instance: summary.instance) }
        JSONText.append(key: "field", field, to: &bytes)
        JSONText.append(key: "unit", summary.unit, to: &bytes)
        JSONText.append(key: "count", summary.count, to: &bytes)
        let numbers: [(StaticString, Double?)] = [
            ("min", summary.minimum), ("mean", summary.mean), ("max", summary.maximum),
        ]
        for (key, number) in numbers {
            JSONText.append(key: key, to: &bytes)
            JSONText.append(measured: number.map { .number($0) }, to: &bytes)
        }
        JSONText.append(key: "last", to: &bytes)
        JSONText.append(measured: summary.last, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }
}

extension Summary.Period {
    /// As the command line spells it.
    package var text: String {
        switch self {
        case .fiveMinutes: "5m"
        case .hour: "1h"
        }
    }
}
