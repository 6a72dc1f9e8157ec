import BlekeepRecords

/// The course of numbers of several devices in one time, each in a few columns.
package struct Trends: Sendable {
    package let devices: [DeviceID: PlottedDevice]
    package let columns: Int
    package let length: Duration

    /// Without any numbers.
    package init() { (devices, columns, length) = ([:], 1, .zero) }

    fileprivate init(_ devices: [DeviceID: PlottedDevice], _ time: ClosedRange<Int64>, columns: Int) {
        self.devices = devices
        self.columns = columns
        length = .milliseconds(time.upperBound - time.lowerBound)
    }

    /// Returns the course of a measurement; `nil` without numbers.
    package func series(of reading: Reading) -> PlottedSeries? {
        devices[reading.id]?.series.first { $0.key == reading.key }
    }
}

extension HistoryReader {
    /// The most rows to read for trends; with more, hours have to do.
    private static let maxRows: Int64 = 12_000

    /// The shortest time that a trend shows.
    private static let shortest: Int64 = 600_000

    /// Returns the course of all numbers until a time.
    ///
    /// - Parameters:
    ///   - length: in milliseconds. Trends begin later, with the first reading, when the history is younger.
    ///   - series: about how many series have numbers.
    package func trends(until end: Int64, length: Int64, columns: Int, series: Int) throws -> Trends {
        let oldest = end - length
        let first = try page(HistoryQuery(), after: 0, limit: 1).first?.reading.time ?? oldest
        let time = max(oldest, min(first, end - Self.shortest))...end
        let query = HistoryQuery(since: time.lowerBound, until: end)
        var builders: [DeviceID: PlotBuilder] = [:]
        func builder(_ device: DeviceID) -> PlotBuilder {
            PlotBuilder(PlotSelection(device: device, time: time, columns: columns), time)
        }
        if try lastSequence() <= Self.maxRows {
            try readings(query) { builders[$0.reading.id, default: builder($0.reading.id)].add($0.reading) }
        } else {
            let rows = Int64(series) * (length / Summary.Period.fiveMinutes.milliseconds)
            try summaries(query, every: rows <= Self.maxRows ? .fiveMinutes : .hour) {
                builders[$0.id, default: builder($0.id)].add($0)
            }
        }
        for newest in try latest().map(\.reading) { builders[newest.id, default: builder(newest.id)].hold(newest) }
        let heard = try heardTimes(of: Array(builders.keys), in: time)
        return Trends(
            builders.reduce(into: [:]) { $0[$1.key] = $1.value.result(heard[$1.key]) }, time, columns: columns)
    }
}
