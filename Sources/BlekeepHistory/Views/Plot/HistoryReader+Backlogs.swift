import BlekeepRecords
internal import GRDB

extension HistoryReader {
    /// The rows of heartbeats are of ten minutes, or shorter.
    private static let maxRows = 10_000

    /// Returns how many readings waited for each sink, most at a heartbeat, as a plot of the sinks for which some waited.
    package func backlogs(in time: ClosedRange<Int64>, columns: Int) throws -> PlottedDevice {
        var beats: [Int64: ClosedRange<Int64>] = [:]
        var waiting: [String: [Int64: Int64]] = [:]
        try database { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT heartbeats.id, from_ms, to_ms, key, value
                    FROM heartbeats LEFT JOIN json_each(iif(json_valid(backlogs), backlogs, '{}'))
                    WHERE to_ms >= ? AND from_ms <= ? ORDER BY heartbeats.id DESC LIMIT \(Self.maxRows)
                    """, arguments: [time.lowerBound, time.upperBound])
            while let row = try rows.next() {
                guard let id = Int64.stored(row[0]), let from = Int64.stored(row[1]),
                    let to = Int64.stored(row[2])
                else { continue }
                beats[id] = from...max(from, to)
                guard let sink = String.fromDatabaseValue(row[3]), let most = Int64.stored(row[4]) else { continue }
                waiting[sink, default: [:]][id] = max(0, most)
            }
        }
        var plot = PlottedDevice(name: "", time: time, columns: columns)
        plot.leftOut = max(0, waiting.count - PlottedDevice.maxSeries)
        for (sink, most) in waiting.sorted(by: { $0.key < $1.key }).prefix(PlottedDevice.maxSeries) {
            var columns = PlotColumns(time, columns: columns)
            for (id, span) in beats {
                let number = Double(most[id] ?? 0)
                columns.add(
                    PlottedPoint(
                        column: 0, first: span.lowerBound, last: span.upperBound, least: number, greatest: number,
                        mean: number, latest: number, count: 1))
            }
            let address = BluetoothAddress(bits: 0)
            plot.series.append(
                PlottedSeries(
                    id: DeviceID(address), address: address, key: SeriesKey(ReadingSource(name: sink), field: "value"),
                    name: sink, points: columns.result))
        }
        return plot
    }
}
