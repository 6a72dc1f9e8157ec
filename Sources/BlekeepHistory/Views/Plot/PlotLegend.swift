/// The numbers in the legend of a series.
package struct PlotLegend: Sendable {
    /// For example `min 18.2  max 24.9  last 21.3 °C`.
    package let text: String

    package init(_ series: PlottedSeries) {
        let numbers = [
            ("min", series.points.map(\.least).min()), ("max", series.points.map(\.greatest).max()),
            ("last", series.points.last?.latest),
        ].compactMap { word, number in number.map { (word: word, number: $0) } }
        let texts = zip(numbers, series.texts(numbers.map(\.number))).map { "\($0.word) \($1)" }
        text = texts.joined(separator: "  ") + (series.shownUnit.isEmpty ? "" : " \(series.shownUnit)")
    }
}
