import BlekeepRecords
import RunLoop

/// The newest number of each field of each configured device, until it is out of date or a read fails.
struct MeasuredValues: Sendable {
    private struct Entry {
        let metric: MeasuredMetric
        let value: Double
        let name: String
        let address: BluetoothAddress
        var time: Uptime
    }

    private var entries: [DeviceID: [SeriesKey: Entry]] = [:]
    private(set) var lifetimes: ValueLifetimes
    private let reserved: Set<String>

    /// The largest number of fields of a device, because a device chooses how many it has.
    static let maxFields = 256

    /// - Parameter reserved: the names of metrics that aren't measured.
    init(_ lifetimes: ValueLifetimes, reserved: Set<String>) { (self.lifetimes, self.reserved) = (lifetimes, reserved) }

    mutating func record(_ reading: Reading, at now: Uptime) {
        guard lifetimes[reading.id] != nil else { return }
        _ = lifetimes.learn(from: reading)
        switch reading.outcome {
        case .value(let measurement, _): record(measurement, of: reading, at: now)
        case .failure: drop(reading)
        }
    }

    private mutating func record(_ measurement: Measurement, of reading: Reading, at now: Uptime) {
        let key = reading.key.newest
        let old = entries[reading.id]?[key]
        let known = old.flatMap { $0.metric.fits(measurement) ? $0.metric : nil }
        let metric = known ?? MeasuredMetric(measurement, reserved: reserved)
        guard let value = metric.value(measurement) else {
            entries[reading.id]?[key] = nil
            return
        }
        if old == nil, let count = entries[reading.id]?.count, count >= Self.maxFields { return }
        entries[reading.id, default: [:]][key] = Entry(
            metric: metric, value: value, name: reading.device, address: reading.address, time: now)
    }

    /// A device was read or heard: what it repeats, what is throttled, and what is read less often, still counts.
    mutating func confirm(_ device: DeviceID, at now: Uptime) {
        guard let fields = entries[device] else { return }
        entries[device] = fields.mapValues { entry in
            var entry = entry
            entry.time = max(entry.time, now)
            return entry
        }
    }

    /// Drops the values that a failed read would have brought.
    private mutating func drop(_ reading: Reading) {
        guard !reading.isOfWholeDevice else {
            entries[reading.id] = nil
            return
        }
        entries[reading.id] = entries[reading.id]?.filter { $0.key.source != reading.source }
    }

    /// Takes the interval in force of a device.
    mutating func apply(_ interval: Duration?, of device: DeviceID) { _ = lifetimes.apply(interval, of: device) }

    /// When the next value is out of date; `nil` without values.
    var nextStale: Uptime? {
        entries.compactMap { device, fields in
            lifetimes[device].flatMap { lifetime in fields.values.map { $0.time + lifetime }.min() }
        }.min()
    }

    /// Drops the values that are out of date.
    mutating func dropStale(at now: Uptime) {
        for (device, fields) in entries {
            guard let lifetime = lifetimes[device] else { continue }
            entries[device] = fields.filter { $0.value.time + lifetime > now }
        }
    }

    var families: [MetricFamily] {
        var families: [String: MetricFamily] = [:]
        for fields in entries.values {
            for (key, entry) in fields {
                let (metric, source) = (entry.metric, key.source)
                let labels: KeyValuePairs = [
                    "device": entry.name, "address": entry.address.description,
                    "service": source.service?.description ?? "",
                    "characteristic": source.characteristic?.description ?? "", "field": key.field ?? "",
                    "number": "\(source.instance)",
                ]
                families[metric.name, default: MetricFamily(metric.name, .gauge, help: metric.help)].set(
                    entry.value,
                    labels: Array(labels) + (source.recipe.map { [("recipe", $0)] } ?? [])
                        + (source.format.isEmpty ? [] : [("format", source.format)]))
            }
        }
        return Array(families.values)
    }
}
