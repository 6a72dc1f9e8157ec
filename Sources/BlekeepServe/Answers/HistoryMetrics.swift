import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords
import RunLoop

/// The page for Prometheus, from what the history holds.
enum HistoryMetrics {
    /// In seconds. Older values don't count anyway.
    private static let oldest = 1 << 31

    /// - Parameters:
    ///   - newest: the newest reading of each series, in the order of sequence numbers.
    ///   - configured: the devices of the configuration.
    ///   - totals: the work for each device, and what listening took.
    ///   - percentage: the charge of the machine's battery.
    static func bytes(
        _ report: StatusReport, newest: [Reading], configured: [DeviceConfiguration], gateway: String,
        totals: WorkTotals, percentage: Double?, at now: Uptime
    ) -> [UInt8] {
        var configuration = PollConfiguration(devices: devices(report, configured: configured))
        configuration.gateway = gateway
        var metrics = GatewayMetrics(configuration, version: BlekeepVersion.text)
        metrics.isPolling = report.isPolling
        // Intervals first: they say how long a value counts.
        var changes = LedgerChanges(statuses: report.devices, poller: report.poller, sinks: report.sinks)
        changes.rules = report.rules
        var heartbeat = Heartbeat(clocks: .now(), percentage: percentage, activities: totals.activities)
        heartbeat.air = totals.air
        metrics.apply(changes, heartbeat: heartbeat)
        // A damaged row may have any time.
        func moment(_ time: Int64) -> Uptime {
            now + (.zero - min(.seconds(oldest), .milliseconds(max(0, report.now &- time))))
        }
        for reading in newest { metrics.record(reading, at: moment(reading.time)) }
        for device in report.devices where device.state == .good {
            if let time = device.lastValue { metrics.confirm(device.id, at: moment(time)) }
        }
        return metrics.page(at: now).bytes
    }

    /// The configured devices, and others that were polled last.
    private static func devices(_ report: StatusReport, configured: [DeviceConfiguration]) -> [DeviceConfiguration] {
        let known = Set(configured.map(\.id))
        return configured.filter(\.isPolled)
            + report.devices.filter { !known.contains($0.id) }.map { status in
                var device = DeviceConfiguration(alias: status.name, address: status.address)
                device.ownID = status.id
                return device
            }
    }
}
