import BlekeepOutputs
import BlekeepRecords
import RunLoop

/// A report as a small picture: an SVG document for any browser.
package struct ReportPicture: Sendable {
    private let report: Report
    private let line: ReportBands
    private let title: String
    private let plots: ReportPlots
    private let offset: @Sendable (Int64) -> Int

    private static let width = 720.0
    private static let left = 16.0
    private static let right = 704.0
    private static let rowHeight = 20.0
    /// More devices than these would make no picture.
    static let maxDevices = 40

    /// - Parameters:
    ///   - plots: the measurements to draw below the report.
    ///   - offset: returns the seconds that the local clock is ahead of UTC at a time.
    package init(
        _ report: Report, title: String, plots: ReportPlots = ReportPlots(),
        offset: @escaping @Sendable (Int64) -> Int = { _ in 0 }
    ) {
        self.report = report
        line = ReportBands(report)
        self.title = title
        self.plots = plots
        self.offset = offset
    }

    /// The document, well-formed whatever devices are called.
    package var text: String {
        let devices = report.devices.prefix(Self.maxDevices)
        let height = 190 + Double(devices.count) * Self.rowHeight
        let plots = plots(top: height)
        let parts =
            [SVGMarks.label(x: Self.left, y: 22, title, size: 14)]
            + timeline(top: 34) + battery(top: 74, height: 70) + bars(Array(devices), top: 176) + plots.marks
        return SVGMarks.document(width: Self.width, height: height + plots.height, title: title, parts)
    }

    // MARK: Parts

    /// When the poller ran, in which mode, and when it did not.
    private func timeline(top: Double) -> [Markup] {
        var parts = line.bands.map { band in
            SVGMarks.box(
                x: x(band.start), y: top,
                width: max(band.mode == nil ? 1 : 0.5, band.length * (Self.right - Self.left)), height: 18,
                ink: .color(band.mode.map(Self.color) ?? Self.gap), title: band.title)
        }
        var place = Self.left
        let keys = PowerMode.allCases.filter { report.time(in: $0) > .zero }.map { ($0.rawValue, Self.color($0)) }
        for (word, color) in keys + (report.gaps.isEmpty ? [] : [("gap", Self.gap)]) {
            parts.append(SVGMarks.box(x: place, y: top + 24, width: 8, height: 8, ink: .color(color)))
            parts.append(SVGMarks.label(x: place + 12, y: top + 32, word, size: 10))
            place += 70
        }
        return parts
    }

    /// What the machine's battery held.
    private func battery(top: Double, height: Double) -> [Markup] {
        func y(_ percentage: Double) -> Double { top + height * (1 - percentage / 100) }
        guard let last = line.charges.last else {
            return [SVGMarks.label(x: Self.left, y: top + 16, "no battery", size: 10)]
        }
        let points = line.charges.map { (x($0.place), y($0.percentage)) }
        return [
            SVGMarks.box(x: Self.left, y: top, width: Self.right - Self.left, height: height, ink: "#f4f4f4"),
            SVGMarks.line(points, ink: "#1f6fb2", width: 1.5),
            SVGMarks.label(
                x: Self.left, y: top + height + 14, "battery \(SVGMarks.number(last.percentage.rounded())) %", size: 10),
        ]
    }

    /// How much was read of each device.
    private func bars(_ devices: [DeviceActivity], top: Double) -> [Markup] {
        let most = Double(max(1, devices.map(\.values).max() ?? 1))
        return devices.enumerated().flatMap { index, device in
            let y = top + Double(index) * Self.rowHeight
            let width = (Self.right - 320) * Double(max(0, device.values)) / most
            return [
                SVGMarks.label(x: Self.left, y: y + 11, device.device, size: 12),
                SVGMarks.box(x: 240, y: y + 2, width: width, height: 10, ink: "#2e8b57"),
                SVGMarks.label(x: 246 + width, y: y + 11, "\(device.values)", size: 10),
            ]
        }
    }

    /// What was measured.
    private func plots(top: Double) -> (marks: [Markup], height: Double) {
        var marks: [Markup] = []
        var height = 0.0
        for plot in plots.devices {
            for panel in plot.panels {
                let picture = PlotPanelPicture(panel, of: plot, offset: offset)
                marks += picture.marks(top: top + height, title: plot.name)
                height += picture.height
            }
        }
        guard let rest = plots.rest else { return (marks, height) }
        return (marks + [SVGMarks.label(x: Self.left, y: top + height + 12, rest, size: 10)], height + 24)
    }

    private func x(_ place: Double) -> Double { Self.left + (Self.right - Self.left) * place }

    private static let gap = "#444444"

    private static func color(_ mode: PowerMode) -> String {
        switch mode {
        case .normal: "#2e8b57"
        case .battery: "#e0b000"
        case .low: "#e07000"
        case .critical: "#c03030"
        }
    }
}
