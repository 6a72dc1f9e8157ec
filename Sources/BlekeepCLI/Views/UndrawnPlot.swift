import Blekeep
import BlekeepHistory
import BlekeepOutputs

/// Says why a plot has nothing to draw, or not all that it was asked for. Pure.
struct UndrawnPlot {
    private let names: [CharacteristicName]
    /// The newest values that a plot can't draw.
    private let others: [Reading]
    /// The newest number of each series that a plot can draw.
    private let numbers: [Reading]

    /// - Parameters:
    ///   - names: the characteristics to draw; none for all.
    ///   - latest: the newest readings of the device.
    init(_ names: [CharacteristicName], _ latest: [StoredReading]) {
        self.names = names
        numbers = latest.map(\.reading).filter(Self.isNumber)
        others = latest.map(\.reading).filter { Self.kind(of: $0) != nil }
    }

    private static func isNumber(_ reading: Reading) -> Bool {
        guard case .value(let measurement, _) = reading.outcome else { return false }
        return measurement.value?.plottedNumber != nil
            && PlotSelection.isMeasured(reading.service, field: measurement.field)
    }

    /// What kind of value a reading has instead of a number; `nil` for a number, and when unknown.
    private static func kind(of reading: Reading) -> String? {
        guard case .value(let measurement, _) = reading.outcome else { return nil }
        return switch measurement.value {
        case .boolean: "true or false"
        case .text: "text"
        case .list: "a list"
        case .integer, .number, nil: nil
        }
    }

    /// Refuses a name whose values are no numbers; `nil` when there is none.
    func refusal(_ device: String) -> Failure? {
        for name in names {
            let isMeant = { (reading: Reading) in [name].admit(reading.key) }
            guard !numbers.contains(where: isMeant), let other = others.first(where: isMeant),
                let kind = Self.kind(of: other)
            else { continue }
            let field = MeasuredName.text(other)
            let shown = Untrusted(device)
            return Failure(
                .notFound,
                "\(field) of \(shown) is \(kind), and 'plot' draws numbers only; "
                    + "'blekeep history \(shown) \(Untrusted(name.text))' prints it")
        }
        return nil
    }

    /// Refuses a name that no value has, beside others; `nil` when there is none.
    func unknown(_ device: String) -> Failure? {
        HistoryWords.unknown(names, of: device, among: numbers + others)
    }

    func failure(
        _ device: String, time: ClosedRange<Int64>, offset: (Int64) -> Int = LocalTime.offset
    ) -> Failure {
        let shown = Untrusted(device)
        guard !numbers.isEmpty else {
            return Failure(
                .notFound, "\(shown) has no numbers to draw; 'blekeep history \(shown)' prints what it has")
        }
        let wanted = numbers.filter { names.admit($0.key) }
        let asked = names.map { "'\(Untrusted($0.text))'" }.joined(separator: ", ")
        guard let newest = wanted.map(\.time).max() else {
            var known: [String] = []
            for reading in numbers where !known.contains(reading.name) { known.append(reading.name) }
            let more = known.count > 20 ? " and \(known.count - 20) more" : ""
            let list = known.prefix(20).map { Untrusted($0).description }.joined(separator: ", ")
            return Failure(.notFound, "\(shown) has no numbers of \(asked); it has numbers of \(list)\(more)")
        }
        let local = UTCTime(milliseconds: newest, offset: offset).dateAndMinute
        let what = asked.isEmpty ? "numbers" : "numbers of \(asked)"
        let advice = newest < time.lowerBound ? "choose an earlier --since" : "choose another --since or --until"
        return Failure(
            .notFound, "\(shown) has no \(what) in this time; the newest is from \(local): \(advice)")
    }
}
