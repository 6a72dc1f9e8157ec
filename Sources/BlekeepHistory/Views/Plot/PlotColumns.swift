/// Sorts numbers into the columns of a plot. It takes as much memory as there are columns.
struct PlotColumns {
    private let time: ClosedRange<Int64>
    private let columns: Int
    private var points: [Int: PlottedPoint] = [:]

    /// Greater numbers have no room for the arithmetic of axes and units.
    private static let greatest = 1e100

    /// - Parameter columns: at least one.
    init(_ time: ClosedRange<Int64>, columns: Int) {
        self.time = time
        self.columns = max(1, columns)
    }

    /// How long a column is, in milliseconds.
    static func width(_ time: ClosedRange<Int64>, columns: Int) -> Double {
        (Double(time.upperBound) - Double(time.lowerBound)) / Double(max(1, columns))
    }

    /// Takes a number, or several at once, such as those of a summary, whose period may begin before the plot's time.
    /// Numbers that can't be drawn and times outside the plot are left out.
    mutating func add(_ sample: PlottedPoint) {
        var sample = sample
        let numbers = [sample.least, sample.mean, sample.greatest, sample.latest]
        guard sample.count > 0, sample.first <= time.upperBound, sample.last >= time.lowerBound,
            sample.first <= sample.last, numbers.allSatisfy({ $0.magnitude <= Self.greatest })
        else { return }
        sample.first = max(sample.first, time.lowerBound)
        sample.last = min(sample.last, time.upperBound)
        sample.column = column(of: sample.first + (sample.last - sample.first) / 2)
        points[sample.column] = points[sample.column].map { Self.sum($0, sample) } ?? sample
    }

    func column(of moment: Int64) -> Int {
        let span = Double(time.upperBound) - Double(time.lowerBound)
        guard span > 0 else { return 0 }
        let share = (Double(moment) - Double(time.lowerBound)) / span
        return max(0, min(columns - 1, Int(max(0, min(1, share)) * Double(columns))))
    }

    private static func sum(_ one: PlottedPoint, _ other: PlottedPoint) -> PlottedPoint {
        let (count, isTooMany) = one.count.addingReportingOverflow(other.count)
        var sum = one
        sum.first = min(one.first, other.first)
        sum.last = max(one.last, other.last)
        sum.least = min(one.least, other.least)
        sum.greatest = max(one.greatest, other.greatest)
        sum.latest = other.last >= one.last ? other.latest : one.latest
        sum.count = isTooMany ? .max : count
        sum.mean += (other.mean - one.mean) * (Double(other.count) / Double(sum.count))
        return sum
    }

    /// The columns with numbers, in order, joined where there is no gap.
    var result: [PlottedPoint] {
        PlotGaps.joined(points.values.sorted { $0.column < $1.column }, width: Self.width(time, columns: columns))
    }

    /// Returns the same for a device that advertises, whose numbers hold while blekeep hears it.
    func result(_ heard: HeardTimes) -> [PlottedPoint] { heard.holding(result, until: time.upperBound, column: column) }
}

/// Decides where a line has a gap.
enum PlotGaps {
    /// How many times the usual distance may pass between two numbers.
    static let patience = 3.0
    /// No gap is narrower than so many columns.
    static let narrowest = 1.5

    /// Marks the points to which a line leads.
    ///
    /// Two points are apart when the time between them is longer than three times the usual one, which is the median of
    /// such times: of a sensor that is read every 30 s, two failed reads are no gap.
    ///
    /// - Parameter width: how long a column is, in milliseconds.
    static func joined(_ points: [PlottedPoint], width: Double) -> [PlottedPoint] {
        let distances = zip(points, points.dropFirst()).map { max(0, Double($1.first) - Double($0.last)) }
        guard !distances.isEmpty else { return points }
        let usual = distances.sorted()[(distances.count - 1) / 2]
        let longest = max(patience * usual, narrowest * width)
        var points = points
        for (index, distance) in distances.enumerated() { points[index + 1].isJoined = distance <= longest }
        return points
    }
}
