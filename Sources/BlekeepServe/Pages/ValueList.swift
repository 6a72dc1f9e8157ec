import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// The newest values of a device: each with its unit and its course, and with its age if it is older than the newest one.
struct ValueList {
    let device: NewestValues.Device
    let trends: Trends
    let clock: PageClock

    /// A device that changes its characteristics with each read has many fields.
    static let maxValues = 24

    var html: Markup {
        // The charge is among the facts, unless there is nothing else.
        let all = device.values.isEmpty ? [device.charge].compactMap(\.self) : device.values
        let shown = all.prefix(Self.maxValues).map(row)
        let rest = all.count - shown.count
        let more: Markup? = rest > 0 ? "<p class=\"more\">\(rest) more values</p>" : nil
        return "<dl class=\"values\">\(Markup(joining: shown, "\n"))</dl>\(more)"
    }

    /// Values of one tick don't come at once.
    private static let oneTick: Int64 = 60_000

    private func row(_ value: NewestValues.Value) -> Markup {
        let (number, unit) = value.shown
        let style: Markup = value.measurement.value?.plottedNumber == nil ? "number word" : "number"
        let age: Markup? =
            device.time - value.reading.time > Self.oneTick
            ? "<span class=\"age\">\(clock.time(value.reading.time, as: .age))</span>" : nil
        let trend = trends.series(of: value.reading, value.measurement).map {
            Sparkline(series: $0, trends: trends).svg
        }
        return """
            <div><dt>\(value.name)\(age)</dt>\
            <dd class="value"\(PlotFigure.celsius(unit))><span class="\(style)">\(number)</span> <span class="unit">\(unit)</span></dd><dd class="trend">\(trend)</dd></div>
            """
    }
}
