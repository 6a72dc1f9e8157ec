import BlekeepRecords

/// When blekeep heard a device that advertises. The history has what it repeats only once, so that a value holds until
/// another one comes, or until blekeep doesn't hear the device any more.
struct HeardTimes {
    /// Milliseconds since 1970; `nil` if it was never heard.
    private let last: Int64?
    /// The times in which it wasn't heard, in order.
    private let silences: [ClosedRange<Int64>]

    init(last: Int64?, silences: [ClosedRange<Int64>] = []) {
        self.last = last
        self.silences = silences.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// Returns points with those up to which their numbers hold: before a gap, and at the end.
    ///
    /// - Parameters:
    ///   - points: in the order of time, joined where there is no gap.
    ///   - end: that of the plot.
    ///   - column: returns the column of a time.
    func holding(_ points: [PlottedPoint], until end: Int64, column: (Int64) -> Int) -> [PlottedPoint] {
        var all: [PlottedPoint] = []
        for point in points {
            var point = point
            if let before = all.last, !point.isJoined {
                let stretches = heard(from: before.last, to: point.first)
                all += held(before, stretches, column: { min(column($0), max(before.column, point.column - 1)) })
                point.isJoined = stretches.last?.upperBound == point.first
            }
            all.append(point)
        }
        guard let newest = all.last, let last else { return all }
        return all + held(newest, heard(from: newest.last, to: min(last, end)), column: column)
    }

    /// The points between which a number holds.
    private func held(
        _ point: PlottedPoint, _ stretches: [ClosedRange<Int64>], column: (Int64) -> Int
    ) -> [PlottedPoint] {
        stretches.flatMap { stretch -> [PlottedPoint] in
            let ends = [stretch.lowerBound, stretch.upperBound].map { time in
                var held = PlottedPoint(point.latest, at: time)
                (held.column, held.count, held.isJoined) = (column(time), 0, time != stretch.lowerBound)
                return held
            }
            // The first stretch begins with the point itself.
            return Array(stretch.lowerBound == point.last ? ends.dropFirst() : ends[...])
                .filter { $0.column > point.column }
        }
    }

    /// Returns the parts of a time in which the device was heard.
    private func heard(from start: Int64, to end: Int64) -> [ClosedRange<Int64>] {
        guard start < end else { return [] }
        var (parts, from): ([ClosedRange<Int64>], Int64) = ([], start)
        for silence in silences where silence.upperBound > from && silence.lowerBound < end {
            if silence.lowerBound > from { parts.append(from...silence.lowerBound) }
            from = silence.upperBound
        }
        return from < end ? parts + [from...end] : parts
    }
}

extension HistoryReader {
    private static let maxSilences = 200

    /// Returns when blekeep heard some devices in a time.
    func heardTimes(of devices: [DeviceID], in time: ClosedRange<Int64>) throws -> [DeviceID: HeardTimes] {
        let gaps = try gaps(in: time).map { $0.from...$0.to }
        let failures = Dictionary(
            grouping: try failures(of: devices, in: time, limit: Self.maxSilences * devices.count), by: \.device)
        return try devices.reduce(into: [:]) { all, device in
            // Without a device, a failure concerns all of them.
            let failed = (failures[device] ?? []) + (failures[nil] ?? [])
            let silent = failed.suffix(Self.maxSilences).filter { $0.first < $0.last }.map { $0.first...$0.last }
            all[device] = HeardTimes(last: try status(of: device)?.lastValue, silences: gaps + silent)
        }
    }
}
