import Blekeep
import BlekeepHistory
import BlekeepOutputs

/// Says why a plot has nothing to draw. Pure.
struct EmptyPlot {
    private let names: [CharacteristicName]
    /// The newest number of each series that a plot can draw.
    private let numbers: [Reading]

    /// - Parameters:
    ///   - names: the characteristics to draw; none for all.
    ///   - latest: the newest readings of the device.
    init(_ names: [CharacteristicName], _ latest: [StoredReading]) {
        self.names = names
        numbers = latest.map(\.reading).filter(Self.isNumber)
    }

    private static func isNumber(_ reading: Reading) -> Bool {
        guard case .value(let measurement, _) = reading.outcome else { return false }
        return measurement.value?.plottedNumber != nil
            && PlotSelection.isMeasured(reading.service, field: measurement.field)
    }

    func failure(
        _ device: String, time: ClosedRange<Int64>, offset: (Int64) -> Int = LocalTime.offset
    ) -> Failure {
        let shown = Untrusted(device)
        guard !numbers.isEmpty else {
            return Failure(
                .notFound, "\(shown) has no numbers to draw; 'blekeep history \(shown)' prints what it has")
        }
        let wanted = numbers.filter { names.admit($0.service, $0.characteristic, $0.instance) }
        let asked = names.map { "'\(Untrusted($0.text))'" }.joined(separator: ", ")
        guard let newest = wanted.map(\.time).max() else {
            var known: [String] = []
            for reading in numbers where !known.contains(reading.name) { known.append(reading.name) }
            let more = known.count > 20 ? " and \(known.count - 20) more" : ""
            let list = known.prefix(20).map { Untrusted($0).description }.joined(separator: ", ")
            return Failure(.notFound, "\(shown) has no numbers of \(asked); it has numbers of \(list)\(more)")
        }
        let local = UTCTime(milliseconds: newest &+ Int64(offset(newest)) &* 1000).iso.prefix(16).replacing(
            "T", with: " ")
        let what = asked.isEmpty ? "numbers" : "numbers of \(asked)"
        let advice = newest < time.lowerBound ? "choose an earlier --since" : "choose another --since or --until"
        return Failure(
            .notFound, "\(shown) has no \(what) in this time; the newest is from \(local): \(advice)")
    }
}
