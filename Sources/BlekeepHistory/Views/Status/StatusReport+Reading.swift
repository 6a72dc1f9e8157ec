import BlekeepRecords
import RunLoop

extension StatusReport {
    /// Reads the status from the ledger, the lock beside the history, and the configuration.
    ///
    /// - Parameter configured: the configured devices. The report also has those that the ledger lacks.
    /// - Throws: `StatusError` before the first run; `HistoryError`.
    package static func read(
        from reader: HistoryReader, configured: [DeviceConfiguration], now: Int64, clocks: ClockReading?
    ) throws -> StatusReport {
        let path = reader.path
        let (run, sinks) = (try reader.lastRun(), try reader.sinks())
        let pid = HistoryHolder.poller(of: path, run?.poller)
        guard let run else { throw StatusError(path: path, pid: pid) }
        let others = configured.filter { !$0.isPolled }
        // The last run may have polled a device that is disabled now, or that another gateway reads now.
        let polled = run.devices.filter { device in !others.contains { $0.id == device.id } }
        let known = Set(run.devices.map(\.id))
        let missing = try configured.filter { $0.isPolled && !known.contains($0.id) }.map { device in
            try reader.status(of: device.id) ?? DeviceStatus(device, since: now)
        }
        var report = StatusReport(
            poller: run.poller, devices: polled + missing, sinks: sinks, pid: pid, now: now, clocks: clocks,
            isStopped: pid.map(PollerProcess.isStopped) ?? false, isDiskFull: PollerProcess.isDiskFull(path),
            copies: HistoryCopies.all(of: path))
        let shown = Set(report.devices.map(\.id))
        report.rules = try reader.rules().filter { shown.contains($0.device) }
        let fillings = try reader.fillings()
        for device in configured where device.log != .off && device.isPolled {
            report.fillings[device.id] = .some(fillings[device.id])
        }
        report.heldLog = HistorySize.heldLog(of: path)
        report.disabled = others.filter { !$0.isEnabled }.map(\.name)
        let elsewhere = others.filter(\.isEnabled)
        report.elsewhere = Dictionary(grouping: elsewhere) { $0.gateways.joined(separator: ", ") }.mapValues {
            $0.map(\.name)
        }
        return report
    }
}

/// The history has no status yet.
package struct StatusError: Error, Sendable, Hashable, CustomStringConvertible {
    package let path: String
    /// The polling process; `nil` when blekeep isn't polling.
    package let pid: Int32?

    package var description: String {
        guard let pid else { return "the history \(path) is empty; start with 'blekeep poll'" }
        let reason = PollerProcess.isDiskFull(path) ? "the disk is full; make room" : "see its log"
        return "poll runs as process \(pid), but hasn't written anything since it started: \(reason)"
    }
}

/// The state of the polling process and of its disk, as the system reports it.
package enum PollerProcess {
    /// Whether a signal or a debugger has stopped the process.
    package static func isStopped(_ pid: Int32) -> Bool {
        guard let line = SystemFile.line(of: "/proc/\(pid)/stat"), let name = line.lastIndex(of: ")") else {
            return false
        }
        let state = line[line.index(after: name)...].first { $0 != " " }
        return state == "T" || state == "t"
    }

    /// Whether the disk of the history at `path` is full. SQLite needs a few pages for each commit.
    package static func isDiskFull(_ path: String) -> Bool {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard let space = FileSystemSpace(of: path) ?? FileSystemSpace(of: folder) else { return false }
        return space.free < 64 << 10 || !space.takesFiles
    }
}
