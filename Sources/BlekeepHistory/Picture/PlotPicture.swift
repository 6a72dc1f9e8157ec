import BlekeepOutputs

/// A plot as a picture: an SVG document with a panel for each unit.
package struct PlotPicture {
    private let plot: PlottedDevice
    private let title: String
    private let offset: (Int64) -> Int

    /// The number of columns for which a picture has room.
    package static let columns = PlotPanelPicture.columns

    /// - Parameter offset: returns the seconds that the local clock is ahead of UTC at a time.
    package init(_ plot: PlottedDevice, title: String, offset: @escaping (Int64) -> Int) {
        self.plot = plot
        self.title = title
        self.offset = offset
    }

    package var text: String {
        var parts = [SVGMarks.label(x: 16, y: 22, title, size: 14)]
        var top = 34.0
        for panel in plot.panels.map({ PlotPanelPicture($0, of: plot, offset: offset) }) {
            parts += panel.marks(top: top)
            top += panel.height
        }
        if plot.leftOut > 0 {
            parts.append(SVGMarks.label(x: 16, y: top + 12, PlottedDevice.leftOutText(plot.leftOut), size: 10))
            top += 20
        }
        return SVGMarks.document(width: 720, height: top + 8, title: title, parts)
    }
}

extension PlottedDevice {
    /// What says that there are more fields.
    package static func leftOutText(_ number: Int) -> String {
        "\(number) more: name \(number == 1 ? "it to draw it" : "them to draw them"), as 'blekeep values --json' shows \(number == 1 ? "it" : "them")"
    }
}
