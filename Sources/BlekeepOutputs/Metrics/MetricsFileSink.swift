import BlekeepRecords
import Glibc
import RunLoop

/// Keeps the newest values and the state of blekeep in a file for Prometheus's node_exporter.
///
/// The file changes at most every 15 s, and only when there is news or a value is out of date. It is removed at the end of
/// `poll`, so that no program takes an old value for the current one.
package final class MetricsFileSink: Sink, @unchecked Sendable {
    package let name = "metrics"
    package let delivery = SinkDelivery.liveOnly
    private let path: String
    private let loop: RunLoop
    private let report: ((any Error)?) -> Void
    private var metrics: GatewayMetrics
    private var lastWrite: Uptime?
    private var isNew = false
    private var hasFile = false
    /// The failure of the last write; `nil` after a success.
    package private(set) var failure: String?
    private lazy var timer = ClosureTimer { [weak self] in self?.write() }

    /// The shortest time between two writes.
    static let pause: Duration = .seconds(15)

    /// - Parameters:
    ///   - report: called with the first failure and each different one, and with `nil` when writing works again.
    package init(
        _ metrics: MetricsConfiguration, for configuration: PollConfiguration, version: String, on loop: RunLoop,
        report: @escaping ((any Error)?) -> Void
    ) {
        path = metrics.path
        self.metrics = GatewayMetrics(configuration, version: version)
        self.loop = loop
        self.report = report
    }

    package func send(_ readings: [LiveReading], isLive: Bool, key: Int?) {
        for live in readings { metrics.record(live.reading, at: loop.now) }
        changed()
    }

    package func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) {
        guard !changes.isEmpty || heartbeat != nil else { return }
        metrics.apply(changes, heartbeat: heartbeat)
        changed()
    }

    package func note(_ device: DeviceID, isAvailable: Bool) {
        if isAvailable { metrics.confirm(device, at: loop.now) }
    }

    package func note(_ time: WorkTime, of device: DeviceID) {
        metrics.record(time, of: device)
        changed()
    }

    package func end() {
        loop.disarm(timer)
        if hasFile { unlink(path) }
        hasFile = false
    }

    // MARK: Writing

    private func changed() {
        isNew = true
        schedule()
    }

    /// Writes soon if there is news, and otherwise when the next value is out of date.
    private func schedule() {
        let earliest = lastWrite.map { $0 + Self.pause } ?? loop.now
        guard !isNew else { return loop.arm(timer, at: max(earliest, loop.now)) }
        guard let stale = metrics.nextStale else { return loop.disarm(timer) }
        loop.arm(timer, at: max(earliest, stale))
    }

    private func write() {
        lastWrite = loop.now
        let page = metrics.page(at: loop.now).bytes
        do {
            let file = try WholeFile(path, isPublic: true)
            try file.write(page)
            try file.finish(isDurable: false)
            hasFile = true
            isNew = false
            if failure != nil { report(nil) }
            failure = nil
        } catch {
            // Tries again after the pause.
            isNew = true
            let text = "\(error)"
            if failure != text { report(error) }
            failure = text
        }
        schedule()
    }
}
