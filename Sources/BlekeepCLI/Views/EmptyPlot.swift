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
        guard case .value(let measurement, _) = reading.outcome, measurement.field != "flags",
            reading.service != BluetoothUUID(0x180A)
        else { return false }
        switch measurement.value {
        case .integer?, .number?: return true
        case .text?, .boolean?, .list?, nil: return false
        }
    }

    func failure(
        _ device: String, time: ClosedRange<Int64>, offset: (Int64) -> Int = LocalTime.offset
    ) -> Failure {
        let shown = Untrusted(device)
        guard !numbers.isEmpty else {
            return Failure(
                .notFound, "\(shown) has no numbers to draw; 'blekeep history \(shown)' prints what it has")
        }
        let wanted = numbers.filter { reading in
            names.isEmpty
                || names.contains {
                    $0.uuid == reading.characteristic && $0.matches(reading.service, reading.instance)
                }
        }
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
