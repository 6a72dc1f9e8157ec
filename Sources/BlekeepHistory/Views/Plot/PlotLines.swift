import BlekeepOutputs
import BlekeepRecords

/// The points of a plot as lines for programs, in base units.
package enum PlotLines {
    private struct Line {
        var point: PlottedPoint
        var series: PlottedSeries
        var device: String
        /// Whether no line leads here from the point before.
        var isGap: Bool
    }

    /// Returns an object for each point, without line feeds: the fields of a summary, with the time of the first number.
    /// `gap` is true for a point to which no line leads from the one before.
    package static func json(_ plot: PlottedDevice) -> [String] {
        plot.series.flatMap { series in
            // What only holds isn't a reading.
            series.points.enumerated().filter { $1.count > 0 }.map { index, point in
                let line = Line(
                    point: point, series: series, device: series.device ?? plot.name,
                    isGap: index > 0 && !point.isJoined)
                return table.json(line).text
            }
        }
    }

    private static let table = JSONTable<Line>(
        [
            .always("time", schema: text) { .text(UTCTime(milliseconds: $0.point.first).iso) },
            .always("until", schema: text) { .text(UTCTime(milliseconds: $0.point.last).iso) },
            .always("device", schema: text) { .text($0.device) },
            .always("address", schema: text) { .text($0.series.address.description) },
        ] + SummaryLines.series.map { $0.of { ($0.series.key, $0.series.name) } } + [
            .always("count", schema: number) { .integer(Int(clamping: $0.point.count)) },
            .always("min", schema: number) { .measured(.number($0.point.least)) },
            .always("mean", schema: number) { .measured(.number($0.point.mean)) },
            .always("max", schema: number) { .measured(.number($0.point.greatest)) },
            .always("last", schema: number) { .measured(.number($0.point.latest)) },
            .maybe("gap", schema: .schema("boolean")) { $0.isGap ? .boolean(true) : nil },
        ])

    private static let text = JSON.schema("string")
    private static let number = JSON.schema("number")
}
