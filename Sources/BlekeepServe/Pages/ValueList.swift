import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// The newest values of a device: each with its unit and its course, and with its age if it is older than the newest one.
struct ValueList {
    let device: NewestValues.Device
    let trends: Trends
    let clock: PageClock

    /// Whether users can open the values that the list only counts.
    var canOpen = false

    /// A device that changes its characteristics with each read has many fields.
    static let maxValues = 24

    var html: Markup {
        // The charge is among the facts, unless there is nothing else.
        let all = device.values.isEmpty ? [device.charge].compactMap(\.self) : Array(device.main)
        let shown = all.prefix(Self.maxValues)
        let others = device.others.prefix(canOpen ? Self.maxValues : 0)
        let rest = all.count + device.others.count - shown.count - others.count
        let more: Markup? = rest > 0 ? "<p class=\"more\">\(rest) more</p>" : nil
        let opened: Markup? =
            others.isEmpty
            ? nil : "<details id=\"others\"><summary>\(others.count) more</summary>\(list(others))</details>"
        return "\(list(shown))\(opened)\(more)"
    }

    private func list(_ values: ArraySlice<NewestValues.Value>) -> Markup {
        let shown = values.map(\.shown)
        let rows = values.map { row($0, isNamed: $0.shown.isNamed(among: shown)) }
        return "<dl class=\"values\">\(Markup(joining: rows, "\n"))</dl>"
    }

    private static let clear: Markup = " class=\"clear\""

    /// Values of one tick don't come at once.
    private static let oneTick: Int64 = 60_000

    private func row(_ value: NewestValues.Value, isNamed: Bool) -> Markup {
        let (number, unit) = (value.shown.value, value.shown.unit)
        let style: Markup = value.measurement.value?.plottedNumber == nil ? "number word" : "number"
        let age: Markup? =
            device.time - value.time > Self.oneTick
            ? "<span class=\"age\">\(clock.time(value.time, as: .age))</span>" : nil
        let trend = trends.series(of: value.reading).map { SparklineFigure(series: $0, trends: trends).svg }
        return """
            <div\(isNamed ? nil : Self.clear)><dt>\(value.shown.name)\(age)</dt>\
            <dd class="value"\(PlotFigure.celsius(unit))><span class="\(style)">\(number)</span> <span class="unit">\(unit)</span></dd><dd class="trend">\(trend)</dd></div>
            """
    }
}
