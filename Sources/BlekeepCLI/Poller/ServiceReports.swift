import Blekeep
import BlekeepLog
import BlekeepOutputs
import Glibc
import RunLoop

/// What systemd gets to know of a running poller: that it is ready, its status in a line, and signs of life.
final class ServiceReports: Sink {
    let name = "systemd"
    let delivery = SinkDelivery.liveOnly
    let isReported = false
    private let notification: ServiceNotification
    private let watchdog: WatchdogRule?
    private let loop: RunLoop
    private var line = ServiceLine()
    private var shown = ""
    /// Returns how far the poller is behind its plan; `nil` before it is ready.
    private var lag: (() -> PollerLag)?
    private lazy var timer = ClosureTimer { [weak self] in self?.feed() }

    /// - Returns: `nil` when systemd didn't start the process as a service that notifies.
    init?(_ environment: [String: String], on loop: RunLoop) {
        guard let notification = ServiceNotification(environment) else { return nil }
        self.notification = notification
        self.loop = loop
        watchdog = WatchdogRule(environment, pid: getpid())
    }

    /// The message bus is there, or known to be missing.
    ///
    /// - Parameter lag: returns how far the poller is behind its plan.
    func ready(lag: @escaping () -> PollerLag) {
        self.lag = lag
        notification.send("READY=1")
        feed()
    }

    func stopping() { notification.send("STOPPING=1") }

    private func feed() {
        guard let watchdog else { return }
        if let lag, watchdog.feeds(lag()) { notification.send("WATCHDOG=1") }
        loop.arm(timer, at: loop.now + watchdog.pause)
    }

    // MARK: The status

    func send(_ readings: [LiveReading], isLive: Bool, key: Int?) {}

    func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) {
        line.apply(changes)
        guard line.text != shown else { return }
        shown = line.text
        notification.send("STATUS=\(shown)")
    }

    func end() { loop.disarm(timer) }
}

/// Tells systemd about the state of the service, over the socket that it names in `NOTIFY_SOCKET`; see sd_notify(3).
struct ServiceNotification {
    private let socket: DatagramSocket

    /// - Returns: `nil` without systemd, or when the socket can't be used.
    init?(_ environment: [String: String]) {
        guard let name = environment["NOTIFY_SOCKET"], let socket = DatagramSocket(name) else { return nil }
        self.socket = socket
    }

    /// Sends an assignment such as `READY=1`, without waiting.
    func send(_ assignment: String) { socket.send(Array(assignment.utf8)) }
}

/// Decides when to tell systemd's watchdog that the poller makes progress: only while it keeps its own plan. Pure.
struct WatchdogRule: Equatable {
    /// How long systemd waits for a sign of life.
    let timeout: Duration

    /// - Returns: `nil` when systemd doesn't watch this process.
    init?(_ environment: [String: String], pid: Int32) {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        if let watched = environment["WATCHDOG_PID"], watched != "\(pid)" { return nil }
        timeout = .microseconds(microseconds)
    }

    /// The time between two checks.
    var pause: Duration { timeout / 3 }

    /// Whether to feed the watchdog.
    func feeds(_ lag: PollerLag) -> Bool { lag.loop < timeout / 3 && lag.store < timeout / 3 }
}

/// The status of the poller in a line, such as `3 devices: 2 good, 1 lost; hci0 off`. Pure.
struct ServiceLine {
    private var devices: [DeviceID: DeviceStatus] = [:]
    private var poller: GatewayStatus?

    mutating func apply(_ changes: LedgerChanges) {
        for status in changes.statuses { devices[status.id] = changes.leftDevices.contains(status.id) ? nil : status }
        if let poller = changes.poller { self.poller = poller }
    }

    var text: String {
        if let outage = poller?.outage { return Untrusted(Advice.message(outage), limit: 200).description }
        let states = Dictionary(grouping: devices.values) { $0.pause == nil ? $0.state.words : "paused" }
        let order = DeviceCondition.State.allCases.map(\.words) + ["paused"]
        let counts = order.compactMap { state in states[state].map { "\($0.count) \(state)" } }
        let off = poller?.adapters.filter { !$0.isOn }.map { "; \(Untrusted($0.name)) off" }.joined() ?? ""
        let noun = devices.count == 1 ? "device" : "devices"
        return "\(devices.count) \(noun)\(counts.isEmpty ? "" : ": ")\(counts.joined(separator: ", "))\(off)"
    }
}
