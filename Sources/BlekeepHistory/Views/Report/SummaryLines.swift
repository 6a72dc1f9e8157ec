import BlekeepOutputs
import BlekeepRecords

/// Summaries as lines for programs, in base units.
package enum SummaryLines {
    package static let csvHeader = "time,device,measured,unit,count,min,mean,max,last"

    /// What a summary is of, for people: `Temperature`, or `Temperature, failed reads`.
    package static func measured(_ summary: Summary) -> String {
        let name = MeasuredName.text(summary.key, name: summary.name)
        if summary.key.field != nil { return name }
        return name.isEmpty ? "failed reads" : "\(name), failed reads"
    }

    /// Adds a line of cells, without its line feed.
    package static func appendCSV(_ summary: Summary, to bytes: inout [UInt8]) {
        UTCTime(milliseconds: summary.start).appendISO(to: &bytes)
        CSVText.append(summary.device, to: &bytes)
        CSVText.append(measured(summary), to: &bytes)
        CSVText.append(summary.key.unit ?? "", to: &bytes)
        CSVText.append(.integer(summary.count), to: &bytes)
        for number in [summary.minimum, summary.mean, summary.maximum] {
            CSVText.append(number.map { .number($0) }, to: &bytes)
        }
        CSVText.append(summary.last, to: &bytes)
    }

    /// Adds an object, without a line feed. What a reading's line lacks is left out here, too: an unknown service or
    /// characteristic, the unit, the first instance, and the field of failed reads.
    package static func appendJSON(_ summary: Summary, to bytes: inout [UInt8]) { table.append(summary, to: &bytes) }

    package static let table = JSONTable<Summary>(
        [
            .always("time", schema: .schema("string", meaning: "When the period begins, in UTC.")) {
                .text(UTCTime(milliseconds: $0.start).iso)
            },
            .always("every", schema: .schema("string", meaning: "The length of the period.")) {
                .text(DurationText.text(.milliseconds($0.milliseconds)))
            },
            .always("device", schema: .schema("string", meaning: "The alias, or the address.")) { .text($0.device) },
            .always("address", schema: .schema("string")) { .text($0.address.description) },
        ] + series.map { $0.of { ($0.key, $0.name) } } + [
            .always("count", schema: .schema("integer")) { .integer(Int(clamping: $0.count)) },
            .always("min", schema: number) { .measured($0.minimum.map { .number($0) }) },
            .always("mean", schema: number) { .measured($0.mean.map { .number($0) }) },
            .always("max", schema: number) { .measured($0.maximum.map { .number($0) }) },
            .always("last", schema: .schema(nil, meaning: "The last value; null for a special value.", more: nullable))
            {
                .measured($0.last)
            },
        ])

    /// The fields of what a summary or a point of a plot is of.
    static let series: [JSONField<(key: SeriesKey, name: String)>] = [
        .maybe("service", schema: .schema("string", meaning: "A UUID.")) { .text($0.key.source.service?.description) },
        .maybe("characteristic", schema: .schema("string", meaning: "A UUID.")) {
            .text($0.key.source.characteristic?.description)
        },
        .maybe("recipe", schema: .schema("string", meaning: "In place of a characteristic.")) {
            .text($0.key.source.recipe)
        },
        .maybe(
            "instance", schema: .schema("integer", meaning: "2 or more for further characteristics of the same UUID.")
        ) {
            $0.key.source.instance == 1 ? nil : .integer($0.key.source.instance)
        },
        .maybe("name", schema: .schema("string")) { .text($0.name) },
        .maybe("field", schema: .schema("string")) { series in
            .text(series.key.field.map { Reading.fieldLabel($0, instance: series.key.source.instance) })
        },
        .maybe("unit", schema: .schema("string", meaning: "The symbol of the values' unit.")) { .text($0.key.unit) },
    ]

    private static let number: JSON = .schema("number", meaning: "null without a number.", more: nullable)
    private static let nullable: KeyValuePairs<String, JSON?> = ["nullable": true]
}
