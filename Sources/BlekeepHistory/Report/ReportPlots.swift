import BlekeepRecords

/// The measurements of a report's devices, for its picture.
package struct ReportPlots: Sendable, Hashable {
    /// The most panels that a picture holds.
    static let maxPanels = 12

    package private(set) var devices: [PlottedDevice] = []
    private var panels = 0
    private var missingPanels = 0
    private var missingFields = 0
    /// The number of devices that weren't read, because the picture is full.
    private var missingDevices = 0

    package init() {}

    /// Reads the measurements in the report's time, until a picture is full.
    ///
    /// - Throws: `HistoryError`.
    package init(_ report: Report, from reader: HistoryReader) throws {
        // Where the clock was set back, no time is between the ends.
        guard report.from < report.to else { return }
        for device in report.devices.prefix(ReportPicture.maxDevices) {
            if isFull {
                missingDevices += 1
            } else {
                add(
                    try reader.plotted(
                        PlotSelection(
                            device: device.id, time: report.from...report.to,
                            columns: PlotPanelPicture.columns)
                    ).folded)
            }
        }
        missingDevices += max(0, report.devices.count - ReportPicture.maxDevices)
    }

    private var isFull: Bool { panels >= Self.maxPanels }

    /// Adds the panels of a device for which there is room.
    mutating func add(_ plot: PlottedDevice) {
        let all = plot.panels
        let kept = all.prefix(max(0, Self.maxPanels - panels))
        panels += kept.count
        missingPanels += all.count - kept.count
        missingFields += plot.leftOut
        guard !kept.isEmpty else { return }
        var shown = plot
        shown.series = kept.flatMap(\.series)
        devices.append(shown)
    }

    /// A sentence on what isn't drawn; `nil` when all is.
    var rest: String? {
        let parts = [(missingPanels, "panel"), (missingFields, "field"), (missingDevices, "device")]
            .filter { $0.0 > 0 }.map { "\($0) more \($1)\($0 == 1 ? "" : "s")" }
        guard !parts.isEmpty else { return nil }
        return "not drawn: \(parts.joined(separator: ", ")); 'blekeep plot DEV --svg FILE' draws a device"
    }
}
