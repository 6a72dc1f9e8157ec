import BlekeepOutputs
import BlekeepRecords

/// The points of a plot as lines for programs, in base units.
package enum PlotLines {
    /// Returns an object for each point, without line feeds: the fields of a summary, with the time of the first number.
    /// `gap` is true for a point to which no line leads from the one before.
    package static func json(_ plot: PlottedDevice) -> [String] {
        plot.series.flatMap { series in
            // What only holds isn't a reading.
            series.points.enumerated().filter { $1.count > 0 }.map { index, point in
                line(point, series: series, device: series.device ?? plot.name, isGap: index > 0 && !point.isJoined)
            }
        }
    }

    private static func line(
        _ point: PlottedPoint, series: PlottedSeries, device: String, isGap: Bool
    ) -> String {
        var bytes: [UInt8] = []
        bytes.append(text: "{\"time\":\"")
        UTCTime(milliseconds: point.first).appendISO(to: &bytes)
        bytes.append(text: "\",\"until\":\"")
        UTCTime(milliseconds: point.last).appendISO(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        JSONText.append(key: "device", device, to: &bytes)
        JSONText.append(key: "address", series.address.description, to: &bytes)
        JSONText.append(key: "service", series.service?.description, to: &bytes)
        JSONText.append(key: "characteristic", series.characteristic?.description, to: &bytes)
        JSONText.append(key: "recipe", series.recipe, to: &bytes)
        if series.instance != 1 { JSONText.append(key: "instance", Int64(series.instance), to: &bytes) }
        JSONText.append(key: "name", series.name, to: &bytes)
        JSONText.append(key: "field", Reading.fieldLabel(series.field, instance: series.instance), to: &bytes)
        JSONText.append(key: "unit", series.unit, to: &bytes)
        JSONText.append(key: "count", point.count, to: &bytes)
        let numbers: [(StaticString, Double)] = [
            ("min", point.least), ("mean", point.mean), ("max", point.greatest), ("last", point.latest),
        ]
        for (key, number) in numbers {
            JSONText.append(key: key, to: &bytes)
            JSONText.append(measured: .number(number), to: &bytes)
        }
        if isGap { bytes.append(text: ",\"gap\":true") }
        bytes.append(UInt8(ascii: "}"))
        return String(decoding: bytes, as: UTF8.self)
    }
}
