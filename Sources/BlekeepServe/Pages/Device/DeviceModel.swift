import BlekeepHistory
import BlekeepRecords

struct DeviceModel: Sendable {
    var id: DeviceID
    var address: BluetoothAddress
    var name: String
    var view = PageView()
    /// What the plots show, in milliseconds since 1970.
    var span: ClosedRange<Int64> = 0...1
    var clock: PageClock
    /// `nil` before the first run of the poller.
    var report: StatusReport?
    /// `nil` for a device that was never polled.
    var status: DeviceStatus?
    /// Why blekeep doesn't poll the device; `nil` for a device that it polls.
    var exclusion: PollExclusion?
    /// The last attempts, the oldest first.
    var attempts: [LedgerEntry] = []
    var newest: NewestValues.Device?
    /// `nil` when the browser has a plot that is new enough.
    var plot: PlottedDevice?
    /// What happened meanwhile.
    var marks: [PlotMark] = []
    var rules: [RuleStatus] = []
    var points: [PolledPoint] = []

    /// Whether what it shows isn't known any more.
    var isStale: Bool { report?.isPolling != true || exclusion != nil }
}

/// A characteristic or an advertising format that is read.
struct PolledPoint: Sendable, Equatable {
    var source: ReadingSource
    var name: String
    /// The time of the last read; `nil` for one that was never read.
    var time: Int64?
    /// Why the last read failed.
    var failure: String?

    /// Returns what is configured and what was read, in order.
    ///
    /// - Parameters:
    ///   - latest: the newest readings of each field, and of failed reads.
    ///   - heard: when blekeep heard the device last, which may repeat what it advertises.
    static func all(
        _ configured: [CharacteristicConfiguration], latest: [Reading], heard: Int64? = nil
    ) -> [PolledPoint] {
        var points: [ReadingSource: PolledPoint] = [:]
        for reading in latest.sorted(by: { $0.time < $1.time }) {
            // Failures of the device as a whole are in the list of attempts.
            guard reading.service != nil || reading.characteristic != nil || !reading.name.isEmpty else { continue }
            let source = reading.source
            var point = points[source] ?? PolledPoint(source: source, name: reading.name)
            point.time = reading.isAdvertised ? max(reading.time, heard ?? reading.time) : reading.time
            if !reading.name.isEmpty { point.name = reading.name }
            point.failure = if case .failure(let failure, _) = reading.outcome { failure.message } else { nil }
            points[source] = point
        }
        for point in configured {
            let isRead = points.keys.contains {
                $0.characteristic == point.characteristic && (point.service == nil || $0.service == point.service)
            }
            guard !isRead else { continue }
            let source = ReadingSource(service: point.service, characteristic: point.characteristic)
            points[source] = PolledPoint(
                source: source, name: AssignedNumbers.characteristicName(point.characteristic) ?? "")
        }
        return points.values.sorted { $0.place < $1.place }
    }

    private var place: String {
        "\(source.service?.description ?? "") \(source.characteristic?.description ?? name) \(source.instance)"
    }
}
